//! What a list has to say of its rows.

use std::borrow::Cow;

use chrono::{DateTime, Utc};

/// A kind of rows that can be searched, filtered and sorted. What its answers need besides the row,
/// such as names of other rows, is read before.
pub(crate) trait Listing {
    /// A row.
    type Row;
    /// What can be asked for.
    const SHAPE: Shape;

    /// The row number.
    fn number(row: &Self::Row) -> i64;

    /// The texts in which words are searched.
    fn texts<'a>(&'a self, row: &'a Self::Row) -> Vec<Cow<'a, str>>;

    /// The row's place in this order, one of [`Shape::orders`].
    fn rank(&self, row: &Self::Row, order: &str) -> Rank;

    /// Whether the row is in this state, one of [`Shape::states`].
    fn is_in(&self, row: &Self::Row, state: &str) -> bool;
}

/// What can be asked of a list.
#[derive(Debug)]
pub(crate) struct Shape {
    /// What one row is called.
    pub one: &'static str,
    /// What several are called; also the name of their limit.
    pub many: &'static str,
    /// Where words are searched, for the hint below the field.
    pub searched: &'static str,
    /// The orders besides age.
    pub orders: &'static [SortBy],
    /// The states by which rows are filtered: the value in the address, and the words.
    pub states: &'static [(&'static str, &'static str)],
    /// What else narrows the list down, by an index of the store.
    pub kept: &'static [Kept],
}

/// An order: of one column, in both directions.
#[derive(Debug)]
pub(crate) struct SortBy {
    /// Its name in the address.
    pub name: &'static str,
    /// What it is called in the list of orders.
    pub up: &'static str,
    /// The same for the other direction.
    pub down: &'static str,
}

/// A row number or a word in the address that the store itself looks up.
#[derive(Debug)]
pub(crate) struct Kept {
    /// Its name in the address.
    pub name: &'static str,
    /// How to narrow a list down by it, in words.
    pub how: &'static str,
    /// What a list that is narrowed down by it is called, such as `of one webhook`; `None` where a
    /// field of the form shows it.
    pub of: Option<&'static str>,
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
