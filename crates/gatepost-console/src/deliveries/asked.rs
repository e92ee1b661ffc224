//! The query of the list of deliveries, as it is in the address: filter, order and page; and its
//! form.

use gatepost_storage::webhooks::{DeliveryId, DeliveryState};
use gatepost_storage::{Bodies, Order, Page};
use maud::{Markup, html};

use crate::choices::choices;
use crate::context::PageContext;
use crate::delivery_filter::{self, BY_ID, DeliveryFilter, STATUS, TEXT, classes};
use crate::delivery_rows::QUEUED;
use crate::failure::Failure;
use crate::fields::Sheet;
use crate::form::{Choices, Form};
use crate::layout;
use crate::problems::Problems;

/// The order, by its name in the address, which is the same in the other lists.
pub(super) const SORT: &str = "sort";
/// The page after a row.
const AFTER: &str = "after";
/// The page that ends before a row. In the other lists its name is `before`, which is a time here.
const BACK: &str = "back";
/// The fields that are rarely used.
const RARE: [&str; 5] = ["task", "status", "id", "from", "before"];

/// The query of the list.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub filter: DeliveryFilter,
    pub order: Order,
    pub place: Place,
}

/// The position of a page in the list.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Place {
    First,
    /// The page after this row.
    After(DeliveryId),
    /// The page that ends before this row.
    Back(DeliveryId),
}

impl Asked {
    pub(super) fn parse(query: &Form) -> Self {
        let order = match query.text(SORT) {
            QUEUED => Order::Ascending,
            _ => Order::Descending,
        };
        let row = |name| query.key(name).map(DeliveryId);
        let after = row(AFTER).map(Place::After);
        Self {
            filter: DeliveryFilter::parse(query),
            order,
            place: after.or(row(BACK).map(Place::Back)).unwrap_or(Place::First),
        }
    }

    /// Returns the order, as it is in the address.
    pub(super) fn order_word(&self) -> &'static str {
        match self.order {
            Order::Ascending => QUEUED,
            Order::Descending => "",
        }
    }

    /// Whether the query searches for a text, which reads much.
    pub(super) fn is_search(&self) -> bool {
        self.filter.has("q")
    }

    /// Whether a delivery that matches once matches until it is deleted, whatever its attempts do.
    pub(super) fn is_lasting(&self) -> bool {
        let changing = ["state", "class", "status"];
        !changing.iter().any(|field| self.filter.has(field))
    }

    /// Whether the query asks for every delivery.
    pub(super) fn is_everything(&self) -> bool {
        self.filter.to_query().is_empty()
    }

    /// Returns the direction in which the rows of a page are read.
    pub(super) fn walk(&self, place: Place) -> Order {
        match place {
            Place::First | Place::After(_) => self.order,
            Place::Back(_) => self.order.reversed(),
        }
    }

    /// Returns the page to read from the store.
    pub(super) fn page(&self, place: Place, limit: u32) -> Page<DeliveryId> {
        let after = match place {
            Place::First => None,
            Place::After(row) | Place::Back(row) => Some(row),
        };
        Page {
            after,
            order: self.walk(place),
            limit,
            bodies: Bodies::Omitted,
        }
    }

    /// Returns the same filter and order for another page, as a query string.
    pub(super) fn query(&self, place: Place) -> String {
        let mut parts = vec![self.filter.to_query()];
        let order = self.order_word();
        if !order.is_empty() {
            parts.push(format!("{SORT}={order}"));
        }
        match place {
            Place::First => {}
            Place::After(row) => parts.push(format!("{AFTER}={row}")),
            Place::Back(row) => parts.push(format!("{BACK}={row}")),
        }
        joined(parts)
    }

    /// Returns the address of that page.
    pub(super) fn at(&self, ctx: &PageContext, place: Place) -> String {
        let (list, query) = (ctx.at("/deliveries"), self.query(place));
        match query.is_empty() {
            true => list,
            false => format!("{list}?{query}"),
        }
    }

    /// Returns the same query with this state, or with any.
    pub(super) fn in_state(&self, state: Option<DeliveryState>) -> Self {
        let filter = self.filter.clone();
        Self {
            filter: filter.of_state(state.map_or("", DeliveryState::as_str)),
            place: Place::First,
            ..self.clone()
        }
    }

    /// Returns the address of the first page in the other order.
    pub(super) fn turned(&self, ctx: &PageContext) -> String {
        let turned = Self {
            order: self.order.reversed(),
            ..self.clone()
        };
        turned.at(ctx, Place::First)
    }
}

/// Joins the parts of a query that are not empty.
pub(super) fn joined(mut parts: Vec<String>) -> String {
    parts.retain(|part| !part.is_empty());
    parts.join("&")
}

/// Renders the form. Fields that are rarely used are folded, unless one is in use.
pub(super) async fn form(
    ctx: &PageContext,
    asked: &Asked,
    query: &Form,
) -> Result<Markup, Failure> {
    let (t, none, filter) = (ctx.texts(), Problems::none(), &asked.filter);
    let sheet = Sheet::new(t, "deliveries", filter.form(), &none);
    let webhooks = choices(ctx, query, "webhook", "webhook_urls").await?;
    let tasks = choices(ctx, query, "task", "tasks").await?;
    let all = t.of("deliveries-filter-all");
    let row = |name, rows: &Choices| {
        let (label, hint) = (sheet.text(name, ""), sheet.text(name, "-hint"));
        let chosen = sheet.form.text(name);
        layout::picker(t, &none, name, [&label, &hint], rows, chosen, Some(&all))
    };
    let orders = [("", "lists-newest"), (QUEUED, "lists-oldest")];
    let orders = orders.map(|(order, text)| (order.to_owned(), t.of(text).into_owned()));
    Ok(html! {
        form.filter method="get" role="search" aria-label=(t.of("deliveries-filter")) {
            // The hint is below the form because it is wider than the field.
            div.field {
                label for="q" { (t.of("lists-search")) }
                input type="search" id="q" name="q" value=[filter.form().given("q")] maxlength=(TEXT) autocomplete="off" spellcheck="false" aria-describedby="q-hint";
            }
            (row("webhook", &webhooks))
            @if let Some(state) = filter.form().given("state") { input type="hidden" name="state" value=(state); }
            (sheet.select("class", &classes(t), true))
            (layout::select(&none, SORT, &t.of("lists-sort"), &orders, asked.order_word(), "", true))
            details.more open[RARE.iter().any(|field| filter.has(field))] {
                summary { (t.of("deliveries-filter-more")) }
                div.filter {
                    (row("task", &tasks))
                    (sheet.field(&STATUS, ""))
                    (sheet.fields(delivery_filter::QUEUED))
                    (sheet.field(&BY_ID, ""))
                }
            }
            button { (t.of("deliveries-filter-button")) }
            @if !filter.to_query().is_empty() { a.button.plain href=(ctx.at("/deliveries")) { (t.of("lists-clear")) } }
            p.hint id="q-hint" { (t.of("deliveries-filter-text-hint")) }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(query: &str) -> Asked {
        Asked::parse(&Form::parse(query.as_bytes()))
    }

    #[test]
    fn an_address_says_the_same_page_again() {
        for query in [
            "",
            "after=7",
            "back=7",
            "sort=created",
            "sort=created&back=7",
            "q=x&state=error&before=2026-11-22T19%3A30&sort=created&after=7",
        ] {
            let asked = asked(query);
            assert_eq!(asked.query(asked.place), query);
        }
    }

    #[test]
    fn invalid_page_query_gives_newest_first_page() {
        for query in ["after=x&sort=-created", "back=-1", "after=0", "sort=status"] {
            let asked = asked(query);
            assert_eq!(asked.query(asked.place), "", "{query}");
        }
        assert_eq!(asked("after=3&back=5").place, Place::After(DeliveryId(3)));
    }

    #[test]
    fn a_page_back_is_read_the_other_way() {
        let back = Place::Back(DeliveryId(7));
        for (query, first, walk) in [
            ("", Order::Descending, Order::Ascending),
            ("sort=created", Order::Ascending, Order::Descending),
        ] {
            let asked = asked(query);
            assert_eq!(asked.page(Place::First, 1).order, first);
            assert_eq!(asked.page(back, 1).order, walk);
            assert_eq!(asked.page(back, 1).after, Some(DeliveryId(7)));
        }
    }
}
