//! Tables: each column with its heading, the order that it gives, and its cells.

use chrono::{DateTime, Utc};
use maud::{Markup, html};

use crate::context::PageContext;

/// A column of a table of rows `R`, which are shown with what `C` knows.
pub(crate) struct Column<C, R> {
    /// The text that is its heading.
    pub heading: &'static str,
    /// The order that it gives, by its name in the address; empty where there is none.
    pub sort: &'static str,
    /// The place of a row in that order.
    pub rank: fn(&C, &R) -> Rank,
    /// What is in it.
    pub cell: fn(&PageContext, &C, &R) -> Markup,
    /// Whether it is there.
    pub shown: fn(&C) -> bool,
    /// Its heading is for screen readers alone: what is in it says itself what it is.
    is_unnamed: bool,
}

impl<C, R> Column<C, R> {
    pub(crate) const fn new(
        heading: &'static str,
        cell: fn(&PageContext, &C, &R) -> Markup,
    ) -> Self {
        Self {
            heading,
            sort: "",
            rank: |_, _| Rank::Number(0),
            cell,
            shown: |_| true,
            is_unnamed: false,
        }
    }

    /// The column of the buttons of a row.
    pub(crate) const fn buttons(
        heading: &'static str,
        cell: fn(&PageContext, &C, &R) -> Markup,
    ) -> Self {
        Self {
            is_unnamed: true,
            ..Self::new(heading, cell)
        }
    }

    /// The list is sorted by it: in this order by its name in the address.
    pub(crate) const fn sorted(self, sort: &'static str, rank: fn(&C, &R) -> Rank) -> Self {
        Self { sort, rank, ..self }
    }

    /// It is there only if this holds.
    pub(crate) const fn only_if(self, shown: fn(&C) -> bool) -> Self {
        Self { shown, ..self }
    }
}

/// A table. `sorted` makes the heading of a column by which it can be sorted, from its label and
/// its order; `id` is the id of a row, empty for none.
pub(crate) fn table<'a, C, R: 'a>(
    ctx: &PageContext,
    class: &str,
    columns: &[Column<C, R>],
    with: &C,
    rows: impl IntoIterator<Item = &'a R>,
    sorted: impl Fn(&str, &str) -> Option<Markup>,
    id: fn(&R) -> String,
) -> Markup {
    let t = ctx.texts();
    let columns = columns.iter().filter(|column| (column.shown)(with));
    let columns: Vec<_> = columns.map(|one| (one, t.of(one.heading))).collect();
    html! {
        div.scroll { table class=[(!class.is_empty()).then_some(class)] {
            thead { tr { @for (column, label) in &columns {
                @if column.is_unnamed { th scope="col" { span.unseen { (label) } } }
                @else if let Some(heading) = sorted(label, column.sort) { (heading) }
                @else { th scope="col" { (label) } }
            } } }
            tbody { @for row in rows {
                @let id = id(row);
                tr id=[(!id.is_empty()).then_some(&id)] { @for (column, label) in &columns {
                    td data-label=[(!column.is_unnamed).then_some(label)] { ((column.cell)(ctx, with, row)) }
                } }
            } }
        } }
    }
}

/// A place in an order. All places of one order are of the same kind.
#[derive(Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Rank {
    Number(u64),
    Text(String),
    Time(DateTime<Utc>),
}

impl Rank {
    /// By a text as people sort it: capitals do not matter.
    pub(crate) fn text(text: &str) -> Self {
        Self::Text(text.to_lowercase())
    }

    /// By a time; what never happened is before everything.
    pub(crate) fn time_or_never(at: Option<DateTime<Utc>>) -> Self {
        Self::Time(at.unwrap_or(DateTime::<Utc>::MIN_UTC))
    }
}
