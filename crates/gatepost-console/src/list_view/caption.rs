//! How many rows there are, and which of them are shown.

use maud::{Markup, html};

use super::asked::Asked;
use super::bounds::{MOST, ROWS};
use super::read::Total;
use super::select::{Outcome, Shown};
use crate::layout::{grouped, note};

impl Asked {
    /// The line above the table: `1–50 of 312 keys`, `1 of 12 keys matches`.
    pub(crate) fn caption<R>(&self, shown: &Shown<R>) -> Markup {
        let rows = shown.rows.len();
        let text = match shown.outcome {
            Outcome::TooMany => return self.too_many(),
            Outcome::Aged { total, first } => self.aged(total, rows, first),
            Outcome::Matched {
                from,
                matching,
                all,
            } => {
                let which = self.matched(matching, all);
                if matching > ROWS {
                    format!("{which}, showing {}–{}", from + 1, from + rows)
                } else {
                    which
                }
            }
        };
        html! { p.quiet.count role="status" { (text) } }
    }

    fn aged(&self, total: Total, rows: usize, first: bool) -> String {
        match total {
            Total::More => format!("{}+ {}{}", grouped(MOST as u64), self.shape.many, self.of()),
            Total::Exactly(total) if first && total > rows as u64 => {
                format!("1–{rows} of {}", self.named(total))
            }
            Total::Exactly(total) => self.named(total),
        }
    }

    fn matched(&self, matching: usize, all: usize) -> String {
        let all = self.named(all as u64);
        match matching {
            _ if !self.is_filtered() => all,
            0 => format!("None of {all} match."),
            1 => format!("1 of {all} matches"),
            matching => format!("{} of {all} match", grouped(matching as u64)),
        }
    }

    /// `1 key`, `312 keys`.
    fn named(&self, count: u64) -> String {
        let rows = if count == 1 {
            self.shape.one
        } else {
            self.shape.many
        };
        format!("{} {rows}{}", grouped(count), self.of())
    }

    /// Of what the list is, where no field of the form shows it.
    fn of(&self) -> String {
        self.unshown().map(|(_, of)| format!(" {of}")).collect()
    }

    /// Where a search or an order would need more rows than are read.
    fn too_many(&self) -> Markup {
        let many = self.shape.many;
        let hows = self.shape.kept.iter();
        let hows = hows.filter(|kept| self.kept(kept.name).is_empty());
        let owner = self.only.is_none().then_some("choose an owner");
        let hows: Vec<&str> = owner.into_iter().chain(hows.map(|kept| kept.how)).collect();
        let text = html! {
            "More than " (grouped(MOST as u64)) " " (many) ": too many to search, filter or sort at once. "
            @if !hows.is_empty() { "To narrow them down, " (hows.join(" or ")) ". " }
            a href=(self.path) { "All " (many) ", newest first" }
        };
        note("warn", &text)
    }
}
