//! Rows as a store keeps them, and the pages in which it hands them out.

use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, TenantId};

/// Counts the changes of one row; a change must show the revision that it read.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Revision(pub i64);

impl Revision {
    /// The revision of a row that was just inserted.
    pub const FIRST: Self = Self(1);

    /// The revision after the next change.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// A record as it is stored: its content and what the store knows of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Row<I, T> {
    /// The row number. Positive, never given out twice, also not after a deletion.
    pub id: I,
    /// Who owns it: of a webhook its owner, of a task its webhook's, of an event its task's. Kept
    /// by the store; what a caller writes here is not read.
    pub owner: OwnerId,
    /// Counts the changes of this row.
    pub revision: Revision,
    /// When the row was inserted, to the microsecond.
    pub created: DateTime<Utc>,
    /// When it was last changed; equal to `created` until then.
    pub modified: DateTime<Utc>,
    /// The record itself.
    pub value: T,
}

/// Whose rows to list. The store looks them up: who owns ten rows reads ten, however many others
/// have.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Scope {
    /// Everybody's.
    #[default]
    All,
    /// Those of one owner.
    Owner(OwnerId),
    /// Those of all owners who are in this tenant; of deliveries those made in it.
    Tenant(TenantId),
}

/// How much the owner of a row may have with it, checked in the transaction that stores it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct AtMost {
    /// Rows of that table.
    pub rows: u64,
    /// Bytes of webhooks, tasks and events together, as their `stored_bytes` say.
    pub bytes: u64,
}

impl AtMost {
    /// No limit.
    pub const UNLIMITED: Self = Self {
        rows: u64::MAX,
        bytes: u64::MAX,
    };
}

/// The direction in which a list is walked. Lists are always in the order of row numbers,
/// which is the order of creation.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Order {
    /// Oldest first.
    #[default]
    Ascending,
    /// Newest first.
    Descending,
}

impl Order {
    /// The other direction.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Ascending => Self::Descending,
            Self::Descending => Self::Ascending,
        }
    }
}

/// Whether a list reads what may be large, its bodies: the message of a delivery or a task, the
/// filters and the context of an event. Other rows have none.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Bodies {
    /// Those of all rows of the page.
    #[default]
    All,
    /// None: they come back empty, and the store does not read them where it keeps them apart.
    Omitted,
    /// Those of the page, which ends with the row at which they come to this many bytes or more:
    /// so it has a row where there is one, and may have fewer than its limit though there are
    /// more. Only an empty page is then the end of the list.
    UpTo(u64),
}

impl Bodies {
    /// Whether they are read.
    #[must_use]
    pub fn are_read(self) -> bool {
        self != Self::Omitted
    }

    /// Counts a body of this many bytes; returns whether another row may follow it.
    pub fn take(&mut self, bytes: u64) -> bool {
        if let Self::UpTo(left) = self {
            *left = left.saturating_sub(bytes);
        }
        *self != Self::UpTo(0)
    }

    /// How many rows with bodies of these sizes a page has.
    #[must_use]
    pub fn rows(mut self, sizes: impl IntoIterator<Item = u64>) -> usize {
        let mut more = true;
        let fit = sizes.into_iter().take_while(|size| {
            let fits = more;
            more = more && self.take(*size);
            fits
        });
        fit.count()
    }
}

/// One page of a list: at most `limit` rows beyond `after`.
///
/// Pages are cut by row number, so rows that are inserted or deleted between two pages
/// make a walk neither skip nor repeat a row that was there all the time.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Page<I> {
    /// The last row of the page before, itself left out; `None` starts the walk.
    pub after: Option<I>,
    /// The direction.
    pub order: Order,
    /// The maximum number of rows to return; at least 1.
    pub limit: u32,
    /// How much is read of what may be large.
    pub bodies: Bodies,
}

impl<I> Page<I> {
    /// The first `limit` rows, oldest first.
    #[must_use]
    pub fn first(limit: u32) -> Self {
        Self {
            after: None,
            order: Order::Ascending,
            limit,
            bodies: Bodies::All,
        }
    }

    /// The newest `limit` rows, newest first.
    #[must_use]
    pub fn newest(limit: u32) -> Self {
        Self {
            after: None,
            order: Order::Descending,
            limit,
            bodies: Bodies::All,
        }
    }

    /// The page that follows the row `after`.
    #[must_use]
    pub fn beyond(self, after: I) -> Self {
        Self {
            after: Some(after),
            ..self
        }
    }

    /// The same page with these bodies.
    #[must_use]
    pub fn with_bodies(self, bodies: Bodies) -> Self {
        Self { bodies, ..self }
    }

    /// The same page of rows that are numbered otherwise.
    #[must_use]
    pub fn numbered<J>(self, number: impl FnOnce(I) -> J) -> Page<J> {
        Page {
            after: self.after.map(number),
            order: self.order,
            limit: self.limit,
            bodies: self.bodies,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_ends_with_the_row_that_fills_it() {
        let rows = |bodies: Bodies, sizes: &[u64]| bodies.rows(sizes.iter().copied());
        assert_eq!(rows(Bodies::All, &[9, 9, 9]), 3);
        assert_eq!(rows(Bodies::Omitted, &[9, 9, 9]), 3);
        assert_eq!(rows(Bodies::UpTo(10), &[9, 9, 9]), 2, "it passes the bound");
        assert_eq!(rows(Bodies::UpTo(9), &[9, 9, 9]), 1, "it reaches the bound");
        assert_eq!(rows(Bodies::UpTo(0), &[0, 0]), 1, "one at least");
        assert_eq!(rows(Bodies::UpTo(0), &[]), 0);
        assert_eq!(rows(Bodies::UpTo(1), &[0, 0, 5, 0]), 3);
    }
}
