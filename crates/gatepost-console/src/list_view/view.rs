//! How a list is shown: the form that asks, the headings that sort, and the way to other pages.

use gatepost_manage::AccessLevel;
use gatepost_storage::Order;
use maud::{Markup, html};

use super::asked::{Asked, CREATED, OWNER, Place, SEARCH, SORT, STATE, Sort};
use super::search::{MAX_TEXT, MAX_WORDS};
use super::select::Shown;
use crate::choices::choices;
use crate::context::PageContext;
use crate::layout::{self, Beside, note, select, sorted_heading};
use crate::problems::Problems;
use crate::texts::Texts;

impl Asked {
    /// The form above the list; `more` are fields of the list's own.
    pub(crate) async fn form(&self, ctx: &PageContext, more: &Markup) -> Markup {
        let (problems, t) = (Problems::none(), ctx.texts());
        let said = &self.shape.texts;
        let owners = if ctx.principal().access > AccessLevel::User && !self.is_owners {
            Some(choices(ctx, "users").await)
        } else {
            None
        };
        html! {
            form.filter method="get" action=(self.path) role="search" aria-label=(t.of(said.search)) {
                div.field {
                    label for=(SEARCH) { (t.of("lists-search")) }
                    input type="search" id=(SEARCH) name=(SEARCH) value=(self.search.text()) maxlength=(MAX_TEXT) autocomplete="off" spellcheck="false" title=(t.of(said.searched));
                }
                @if !self.shape.states.is_empty() {
                    (select(&problems, STATE, &t.of("lists-state"), &self.states(t), self.state.unwrap_or_default(), "", false))
                }
                @if let Some(owners) = owners { (self.owner_field(t, &owners)) }
                (more)
                @for (name, _) in self.unshown() { input type="hidden" name=(name) value=(self.kept(name)); }
                (select(&problems, SORT, &t.of("lists-sort"), &self.orders(t), &self.sort.to_text(), "", false))
                button { (t.of("lists-apply")) }
                @if self.is_narrowed() { a.button.plain href=(self.path) { (t.of("lists-clear")) } }
            }
            @if self.search.is_cut() { (note("warn", &html! { (cut(t)) })) }
        }
    }

    /// The heading of a column by which the list is sorted. A second click turns the order round.
    pub(crate) fn heading(&self, label: &str, order: &str) -> Markup {
        let (is_up, is_down) = match self.sort {
            Sort::Age(Order::Ascending) => (order == CREATED, false),
            Sort::Age(Order::Descending) => (false, order == CREATED),
            Sort::By(by, turned) => (by.name == order && !turned, by.name == order && turned),
        };
        let to = match order {
            CREATED if !is_down => String::new(),
            order if is_up => format!("-{order}"),
            order => order.to_owned(),
        };
        let sorted = match (is_up, is_down) {
            (true, _) => Some(Order::Ascending),
            (_, true) => Some(Order::Descending),
            _ => None,
        };
        sorted_heading(label, sorted, &self.sorted(&to))
    }

    /// Links to the pages beside this one.
    pub(crate) fn pager<R>(&self, texts: &Texts, shown: &Shown<R>) -> Markup {
        let beside = Beside {
            first: (!shown.is_first).then(|| self.at(Place::First)),
            previous: shown.previous.clone(),
            next: shown.next.clone(),
        };
        layout::pager(texts, &beside)
    }

    /// What narrows the list down and is no field of the form, and the text that says so.
    pub(super) fn unshown(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let kept = self.shape.kept.iter();
        let kept = kept.filter_map(|kept| Some((kept.name, kept.only?)));
        kept.filter(|(name, _)| !self.kept(name).is_empty())
    }

    fn is_narrowed(&self) -> bool {
        let is_owner_asked = self.owner.is_some() && !self.is_owners;
        !self.is_by_age() || is_owner_asked || !self.kept.is_empty()
    }

    fn states(&self, texts: &Texts) -> Vec<(String, String)> {
        let all = std::iter::once(&("", "lists-state-all"));
        let states = all.chain(self.shape.states);
        let option = |(value, text): &(&str, &'static str)| {
            ((*value).to_owned(), texts.of(text).into_owned())
        };
        states.map(option).collect()
    }

    fn orders(&self, texts: &Texts) -> Vec<(String, String)> {
        let said = |text| texts.of(text).into_owned();
        let mut orders = vec![
            (String::new(), said("lists-newest")),
            (CREATED.to_owned(), said("lists-oldest")),
        ];
        for order in self.shape.orders {
            orders.push((order.name.to_owned(), said(order.up)));
            orders.push((format!("-{}", order.name), said(order.down)));
        }
        orders
    }

    fn owner_field(&self, texts: &Texts, owners: &[(String, String)]) -> Markup {
        let (problems, label) = (Problems::none(), texts.of("lists-owner"));
        let chosen = self
            .owner
            .map_or_else(String::new, |owner| owner.to_string());
        if owners.is_empty() {
            return layout::picker(texts, &problems, OWNER, &label, owners, &chosen, "");
        }
        let mut options = vec![(String::new(), texts.of("lists-owner-all").into_owned())];
        options.extend(owners.iter().cloned());
        select(&problems, OWNER, &label, &options, &chosen, "", false)
    }
}

fn cut(texts: &Texts) -> String {
    let values = [("words", MAX_WORDS.into()), ("characters", MAX_TEXT.into())];
    texts.with("lists-search-cut", &values)
}
