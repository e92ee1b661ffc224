//! What a list has to say of its rows.

use std::borrow::Cow;

use apikey_core::OwnerId;
use gatepost_storage::Page;
use maud::{Markup, html};

use super::asked::{Asked, CREATED, Kept, Shape};
use super::columns::Column;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::unreadable::Kind;

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
