//! How many rows there are, and which of them are shown.

use maud::{Markup, html};

use super::asked::Asked;
use super::bounds::{MOST, ROWS};
use super::read::Total;
use super::select::{Outcome, Shown};
use crate::layout::note;
use crate::texts::Texts;

impl Asked {
    /// The line above the table: `312 keys, showing 1–50`, `1 of 12 keys matches`.
    pub(crate) fn caption<R>(&self, texts: &Texts, shown: &Shown<R>) -> Markup {
        let rows = shown.rows.len();
        let (found, range) = match shown.outcome {
            Outcome::TooMany => return self.too_many(texts),
            Outcome::Aged { total, first } => {
                let is_cut = matches!(total, Total::Exactly(total) if total > rows as u64);
                (self.aged(texts, total), (first && is_cut).then_some(0))
            }
            Outcome::Matched {
                from,
                matching,
                all,
            } => (
                self.matched(texts, matching, all),
                (matching > ROWS).then_some(from),
            ),
        };
        let text = match range {
            Some(from) => texts.with(
                "lists-range",
                &[
                    ("found", found.into()),
                    ("first", (from + 1).into()),
                    ("last", (from + rows).into()),
                ],
            ),
            None => found,
        };
        html! { p.quiet.count role="status" { (text) @for (_, only) in self.unshown() { br; (texts.of(only)) } } }
    }

    fn aged(&self, texts: &Texts, total: Total) -> String {
        let said = &self.shape.texts;
        match total {
            Total::More => texts.with(said.more, &[("count", MOST.into())]),
            Total::Exactly(total) => texts.with(said.count, &[("count", total.into())]),
        }
    }

    fn matched(&self, texts: &Texts, matching: usize, all: usize) -> String {
        let said = &self.shape.texts;
        if !self.is_filtered() {
            return texts.with(said.count, &[("count", all.into())]);
        }
        let values = [("matching", matching.into()), ("count", all.into())];
        texts.with(said.matches, &values)
    }

    /// Where a search or an order would need more rows than are read.
    fn too_many(&self, texts: &Texts) -> Markup {
        let hows = self.shape.kept.iter();
        let hows = hows.filter(|kept| self.kept(kept.name).is_empty());
        let owner = self.only.is_none().then_some("lists-narrow-owner");
        let hows: Vec<&str> = owner.into_iter().chain(hows.map(|kept| kept.how)).collect();
        let text = html! {
            (texts.with(self.shape.texts.too_many, &[("count", MOST.into())]))
            @if !hows.is_empty() { " " (texts.of("lists-narrow")) ul { @for how in hows { li { (texts.of(how)) } } } }
            " " a href=(self.path) { (texts.of("lists-newest-all")) }
        };
        note("warn", &text)
    }
}
