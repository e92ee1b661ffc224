//! How a list is shown: the form that asks, the headings that sort, and the way to other pages.

use gatepost_manage::AccessLevel;
use gatepost_storage::Order;
use maud::{Markup, html};

use super::asked::{Asked, CREATED, OWNER, Place, SEARCH, SORT, STATE, Sort};
use super::select::Shown;
use crate::choices::choices;
use crate::context::PageContext;
use crate::layout::{self, note, select};
use crate::problems::Problems;

impl Asked {
    /// The form above the list; `more` are fields of the list's own.
    pub(crate) async fn form(&self, ctx: &PageContext, more: &Markup) -> Markup {
        let problems = Problems::default();
        let hint = format!("Searches {}.", self.shape.searched);
        let owners = if ctx.principal().access > AccessLevel::User && !self.is_owners {
            Some(choices(ctx, "users").await)
        } else {
            None
        };
        html! {
            form.filter method="get" action=(self.path) role="search" aria-label={ "Search " (self.shape.many) } {
                div.field {
                    label for=(SEARCH) { "Search" }
                    input type="search" id=(SEARCH) name=(SEARCH) value=(self.search.text()) maxlength="200" autocomplete="off" spellcheck="false" title=(hint);
                }
                @if !self.shape.states.is_empty() {
                    (select(&problems, STATE, "State", &self.states(), self.state.unwrap_or_default(), "", false))
                }
                @if let Some(owners) = owners { (self.owner_field(ctx, &owners)) }
                (more)
                @for (name, _) in self.unshown() { input type="hidden" name=(name) value=(self.kept(name)); }
                (select(&problems, SORT, "Sort by", &self.orders(), &self.sort.to_text(), "", false))
                button { "Apply" }
                @if self.is_narrowed() { a.button.plain href=(self.path) { "Clear" } }
            }
            @if let Some(cut) = self.search.cut() { (note("warn", &html! { (cut) })) }
        }
    }

    /// The heading of a column by which the list is sorted. A second click turns the order round.
    pub(crate) fn heading(&self, label: &str, order: &str) -> Markup {
        let (is_up, is_down) = match self.sort {
            Sort::Age(Order::Ascending) => (order == CREATED, false),
            Sort::Age(Order::Descending) => (false, order == CREATED),
            Sort::By(by, turned) => (by.name == order && !turned, by.name == order && turned),
        };
        let (sorted, mark) = match (is_up, is_down) {
            (true, _) => (Some("ascending"), "▲"),
            (_, true) => (Some("descending"), "▼"),
            _ => (None, ""),
        };
        let to = match order {
            CREATED if !is_down => String::new(),
            order if is_up => format!("-{order}"),
            order => order.to_owned(),
        };
        html! {
            th scope="col" aria-sort=[sorted] {
                a.sort href=(self.sorted(&to)) { (label) @if !mark.is_empty() { " " span aria-hidden="true" { (mark) } } }
            }
        }
    }

    /// Links to the pages beside this one.
    pub(crate) fn pager<R>(&self, shown: &Shown<R>) -> Markup {
        html! {
            @if !shown.is_first || shown.next.is_some() {
                nav.pager aria-label="Pages" {
                    @if !shown.is_first { a.button href=(self.at(Place::First)) { "First page" } }
                    @if let Some(previous) = &shown.previous { a.button rel="prev" href=(previous) { "Previous page" } }
                    @if let Some(next) = &shown.next { a.button rel="next" href=(next) { "Next page" } }
                }
            }
        }
    }

    /// What narrows the list down and is no field of the form, and what the list is called then.
    pub(super) fn unshown(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let kept = self.shape.kept.iter();
        let kept = kept.filter_map(|kept| Some((kept.name, kept.of?)));
        kept.filter(|(name, _)| !self.kept(name).is_empty())
    }

    fn is_narrowed(&self) -> bool {
        let is_owner_asked = self.owner.is_some() && !self.is_owners;
        !self.is_by_age() || is_owner_asked || !self.kept.is_empty()
    }

    fn states(&self) -> Vec<(String, String)> {
        let states = self.shape.states.iter();
        let states = states.map(|(value, words)| ((*value).to_owned(), (*words).to_owned()));
        std::iter::once((String::new(), "All".to_owned()))
            .chain(states)
            .collect()
    }

    fn orders(&self) -> Vec<(String, String)> {
        let mut orders = vec![
            (String::new(), "Newest first".to_owned()),
            (CREATED.to_owned(), "Oldest first".to_owned()),
        ];
        for order in self.shape.orders {
            orders.push((order.name.to_owned(), order.up.to_owned()));
            orders.push((format!("-{}", order.name), order.down.to_owned()));
        }
        orders
    }

    fn owner_field(&self, ctx: &PageContext, owners: &[(String, String)]) -> Markup {
        let problems = Problems::default();
        let chosen = self
            .owner
            .map_or_else(String::new, |owner| owner.0.to_string());
        if owners.is_empty() {
            return layout::picker(ctx.texts(), &problems, OWNER, "Owner", owners, &chosen, "");
        }
        let mut options = vec![(String::new(), "Everyone".to_owned())];
        options.extend(owners.iter().cloned());
        select(&problems, OWNER, "Owner", &options, &chosen, "", false)
    }
}
