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

/// What can be asked of a list, and the names of the texts that say so.
#[derive(Debug)]
pub(crate) struct Shape {
    /// The name of the limit that counts the rows.
    pub limit: &'static str,
    pub texts: ListTexts,
    /// The orders besides age.
    pub orders: &'static [SortBy],
    /// The states by which rows are filtered: the value in the address, and the text.
    pub states: &'static [(&'static str, &'static str)],
    /// What else narrows the list down, by an index of the store.
    pub kept: &'static [Kept],
}

/// The names of the texts in which a list speaks of its rows.
#[derive(Debug)]
pub(crate) struct ListTexts {
    /// What the form that searches is called.
    pub search: &'static str,
    /// Where words are searched.
    pub searched: &'static str,
    /// How many rows there are: `$count`.
    pub count: &'static str,
    /// That there are more rows than are counted, `$count`.
    pub more: &'static str,
    /// How many rows match, `$matching`, of all, `$count`.
    pub matches: &'static str,
    /// That there are more rows than can be searched, `$count`.
    pub too_many: &'static str,
}

/// An order: of one column, in both directions.
#[derive(Debug)]
pub(crate) struct SortBy {
    /// Its name in the address.
    pub name: &'static str,
    /// The text by which it is chosen.
    pub up: &'static str,
    /// The same for the other direction.
    pub down: &'static str,
}

/// A row number or a word in the address that the store itself looks up.
#[derive(Debug)]
pub(crate) struct Kept {
    /// Its name in the address.
    pub name: &'static str,
    /// The text that says how to narrow a list down by it.
    pub how: &'static str,
    /// The text that says that a list is narrowed down by it; `None` where a field of the form
    /// shows it.
    pub only: Option<&'static str>,
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
