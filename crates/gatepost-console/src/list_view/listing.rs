//! What a list has to say of its rows: each column of its table with its heading, the order that it
//! gives, and its cells.

use std::borrow::Cow;

use apikey_core::OwnerId;
use chrono::{DateTime, Utc};
use gatepost_storage::Page;
use maud::{Markup, html};

use super::asked::{Asked, CREATED, Kept, Shape};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::unreadable::Kind;

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

/// Rows of a list, and the row after which there are more.
pub(crate) type Rows<R> = (Vec<R>, Option<i64>);

/// A kind of rows that can be searched, filtered and sorted, with what is shown beside the rows,
/// such as names of other rows.
///
/// Its texts are named after it: `lists-tasks-search` (what the form is called), `-searched`,
/// `-count`, `-more`, `-matches`, `-too-many`; `lists-tasks-sort-name` and
/// `lists-tasks-sort-name-down` of each order, `lists-tasks-state-once` of each state, and
/// `tasks-none-title` and `tasks-none-text` where there are no rows.
pub(crate) trait Listing: Send + Sized + Sync + 'static {
    /// A row.
    type Row: Send + Sync + 'static;
    /// What its rows are called: also the limit that counts them, and where they are listed.
    const NAME: &'static str;
    /// The columns of the table.
    const COLUMNS: &'static [Column<Self, Self::Row>];
    /// The states by which rows are filtered, as they are in the address.
    const STATES: &'static [&'static str];
    /// What else narrows the list down, by an index of the store.
    const KEPT: &'static [Kept] = &[];
    /// The class of the table.
    const CLASS: &'static str = "";
    /// The records that may be unreadable.
    const UNREADABLE: Option<Kind> = None;

    /// The row number.
    fn number(row: &Self::Row) -> i64;

    /// The texts in which words are searched.
    fn texts<'a>(&'a self, row: &'a Self::Row) -> Vec<Cow<'a, str>>;

    /// Whether the row is in this state, one of [`STATES`](Self::STATES).
    fn is_in(&self, row: &Self::Row, state: &str) -> bool;

    /// The door's list of what is asked for, without bodies.
    fn read(
        ctx: &PageContext,
        asked: &Asked,
        page: Page<i64>,
    ) -> impl Future<Output = Result<Rows<Self::Row>, Failure>> + Send;

    /// What is known beside these rows.
    fn of(
        ctx: &PageContext,
        asked: &Asked,
        rows: &[Self::Row],
    ) -> impl Future<Output = Result<Self, Failure>> + Send;

    /// The same once it is known which rows are on the page.
    fn shown(
        self,
        _ctx: &PageContext,
        _rows: &[Self::Row],
    ) -> impl Future<Output = Result<Self, Failure>> + Send {
        async { Ok(self) }
    }

    /// Fields of the form above the list that no other list has.
    fn fields(_ctx: &PageContext, _asked: &Asked) -> Markup {
        html! {}
    }
}

/// Reads what is asked of a list. An owner who is not the caller's to manage is not found, whoever
/// that is.
pub(crate) async fn asked<L: Listing>(ctx: &PageContext, query: &Form) -> Result<Asked, Failure> {
    Asked::parse(ctx, query, shape::<L>()).await
}

/// The same of the list on an owner's own page. The caller judges who may see that page.
pub(crate) fn asked_of<L: Listing>(
    ctx: &PageContext,
    path: &str,
    query: &Form,
    owner: OwnerId,
) -> Asked {
    Asked::of_owner(ctx, path, query, shape::<L>(), owner)
}

fn shape<L: Listing>() -> Shape {
    let orders = L::COLUMNS.iter().map(|column| column.sort);
    let is_order = |order: &&str| !order.is_empty() && *order != CREATED;
    Shape {
        name: L::NAME,
        orders: orders.filter(is_order).collect(),
        states: L::STATES,
        kept: L::KEPT,
    }
}
