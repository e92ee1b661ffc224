//! The columns of a list, each with its heading, its order and its cells, and the trait of a list.

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

/// A column of a table of rows `R`, which are rendered with the data in `C`.
pub(crate) struct Column<C, R> {
    /// The name of the text that is its heading.
    pub heading: &'static str,
    /// The name of its order in the address; empty if the list cannot be sorted by it.
    pub sort: &'static str,
    /// The position of a row in that order.
    pub rank: fn(&C, &R) -> Rank,
    /// The function that renders a cell.
    pub cell: fn(&PageContext, &C, &R) -> Markup,
    /// Whether the column is shown.
    pub shown: fn(&C) -> bool,
    /// Whether only screen readers get its heading, because its cells explain themselves.
    is_unnamed: bool,
    /// The class of its cells, which sets their position on a phone; empty for none.
    class: &'static str,
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
            class: "",
        }
    }

    /// Marks the column with the name of the row: it takes the remaining width, and the whole row
    /// is its link.
    pub(crate) const fn name(self) -> Self {
        Self {
            class: "name",
            ..self
        }
    }

    /// Marks the column with a time: at the end of the row, on a phone next to the name.
    pub(crate) const fn when(self) -> Self {
        Self {
            class: "moment",
            ..self
        }
    }

    /// Hides the column on a phone.
    pub(crate) const fn desk(self) -> Self {
        Self {
            class: "desk",
            ..self
        }
    }

    /// Does the same, and cuts its cells short on a desktop.
    pub(crate) const fn narrow(self) -> Self {
        Self {
            class: "desk narrow",
            ..self
        }
    }

    /// Makes the column with the buttons of a row.
    pub(crate) const fn buttons(
        heading: &'static str,
        cell: fn(&PageContext, &C, &R) -> Markup,
    ) -> Self {
        Self {
            is_unnamed: true,
            class: "tools",
            ..Self::new(heading, cell)
        }
    }

    /// Makes the list sortable by the column, with this name of the order in the address.
    pub(crate) const fn sorted(self, sort: &'static str, rank: fn(&C, &R) -> Rank) -> Self {
        Self { sort, rank, ..self }
    }

    /// Shows the column only if this holds.
    pub(crate) const fn only_if(self, shown: fn(&C) -> bool) -> Self {
        Self { shown, ..self }
    }
}

/// Renders a table. `sorted` renders the heading of a column by which it can be sorted, from its
/// label and its order; `id` returns the id of a row, empty for none.
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
                    td class=[(!column.class.is_empty()).then_some(column.class)] data-label=[(!column.is_unnamed).then_some(label)] { ((column.cell)(ctx, with, row)) }
                } }
            } }
        } }
    }
}

/// A position in an order. All positions of one order have the same variant.
#[derive(Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Rank {
    Number(u64),
    Text(String),
    Time(DateTime<Utc>),
}

impl Rank {
    /// Returns the position of a text: case does not matter.
    pub(crate) fn text(text: &str) -> Self {
        Self::Text(text.to_lowercase())
    }

    /// Returns the position of a time; `None` comes first.
    pub(crate) fn time_or_never(at: Option<DateTime<Utc>>) -> Self {
        Self::Time(at.unwrap_or(DateTime::<Utc>::MIN_UTC))
    }
}

/// Rows of a list, and the row after which there are more.
pub(crate) type Rows<R> = (Vec<R>, Option<i64>);

/// A kind of rows that can be searched, filtered and sorted, with the data to render them, such as
/// names of other rows.
///
/// Its texts are named after it: `lists-tasks-search` (the name of the form), `-searched`,
/// `-count`, `-more`, `-matches`, `-too-many`; `lists-tasks-sort-name` and
/// `lists-tasks-sort-name-down` for each order, `lists-tasks-state-once` for each state, and
/// `tasks-none-title` and `tasks-none-text` for a list without rows.
pub(crate) trait Listing: Send + Sized + Sync + 'static {
    /// A row.
    type Row: Send + Sync + 'static;
    /// The name of the rows, which is also that of the limit that counts them and of the list's
    /// path.
    const NAME: &'static str;
    /// The columns of the table.
    const COLUMNS: &'static [Column<Self, Self::Row>];
    /// The states by which rows are filtered, as they are in the address.
    const STATES: &'static [&'static str];
    /// The other filters, each with an index of the store.
    const KEPT: &'static [Kept] = &[];
    /// The class of the table.
    const CLASS: &'static str = "";
    /// The kind of these records if some may be unreadable.
    const UNREADABLE: Option<Kind> = None;

    /// Returns the row number.
    fn number(row: &Self::Row) -> i64;

    /// Returns the texts in which words are searched.
    fn texts<'a>(&'a self, row: &'a Self::Row) -> Vec<Cow<'a, str>>;

    /// Whether the row is in this state, one of [`STATES`](Self::STATES).
    fn is_in(&self, row: &Self::Row, state: &str) -> bool;

    /// Returns the requested rows, without bodies.
    fn read(
        ctx: &PageContext,
        asked: &Asked,
        page: Page<i64>,
    ) -> impl Future<Output = Result<Rows<Self::Row>, Failure>> + Send;

    /// Loads the data to render these rows.
    fn of(
        ctx: &PageContext,
        asked: &Asked,
        rows: &[Self::Row],
    ) -> impl Future<Output = Result<Self, Failure>> + Send;

    /// Adds the data for the rows that are on the page.
    fn shown(
        self,
        _ctx: &PageContext,
        _rows: &[Self::Row],
    ) -> impl Future<Output = Result<Self, Failure>> + Send {
        async { Ok(self) }
    }

    /// Renders fields of the form above the list that no other list has.
    fn fields(_ctx: &PageContext, _asked: &Asked) -> Markup {
        html! {}
    }
}

/// Reads the query of a list. An owner whose rows the caller may not manage is not found, whether
/// or not the owner exists.
pub(crate) async fn asked<L: Listing>(ctx: &PageContext, query: &Form) -> Result<Asked, Failure> {
    Asked::parse(ctx, query, shape::<L>()).await
}

/// Does the same for the list on an owner's own page. The calling function checks who may see that
/// page.
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
