//! Rows as a store keeps them, and pages of rows.

use chrono::{DateTime, SubsecRound as _, Utc};
use gatepost_ids::{OwnerId, TenantId};

/// The revision of a row, which counts its changes. A change must name the revision that the caller
/// read.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Revision(pub i64);

impl Revision {
    /// The revision of a new row.
    pub const FIRST: Self = Self(1);

    /// Returns the revision after the next change.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// A stored record: its content, and the metadata that the store keeps for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Row<I, T> {
    /// The row number. It is positive and never reused, not even after a deletion.
    pub id: I,
    /// The owner. The store derives it: a webhook has its own, a task that of its webhook, an event
    /// that of its task. The store ignores a value that a caller sets here.
    pub owner: OwnerId,
    /// The number of changes of this row.
    pub revision: Revision,
    /// The time at which the row was inserted, in microseconds.
    pub created: DateTime<Utc>,
    /// The time of the last change; equal to `created` until then.
    pub modified: DateTime<Utc>,
    /// The record itself.
    pub value: T,
}

impl<I, T> Row<I, T> {
    /// Creates the row of a new record at `now`.
    #[must_use]
    pub fn inserted(id: I, owner: OwnerId, value: T, now: DateTime<Utc>) -> Self {
        let now = now.trunc_subsecs(6);
        Self {
            id,
            owner,
            revision: Revision::FIRST,
            created: now,
            modified: now,
            value,
        }
    }
}

/// The rows that a list contains. A store must look them up by an index: an owner with ten rows
/// costs ten reads, no matter how many rows others have.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Scope {
    /// The rows of all owners.
    #[default]
    All,
    /// The rows of one owner.
    Owner(OwnerId),
    /// The rows of all owners who are in this tenant; for deliveries, those that were made in it.
    Tenant(TenantId),
}

/// The limits for the owner of a row. The store must check them in the transaction that stores the
/// row.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct AtMost {
    /// Maximum number of rows in that table.
    pub rows: u64,
    /// Maximum size in bytes of webhooks, tasks and events together, as the sum of their
    /// `stored_bytes`.
    pub bytes: u64,
}

impl AtMost {
    /// No limits.
    pub const UNLIMITED: Self = Self {
        rows: u64::MAX,
        bytes: u64::MAX,
    };
}

/// The direction of a list. Lists are always in the order of row numbers, which is the order of
/// creation.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Order {
    /// Oldest first.
    #[default]
    Ascending,
    /// Newest first.
    Descending,
}

impl Order {
    /// Returns the opposite direction.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Ascending => Self::Descending,
            Self::Descending => Self::Ascending,
        }
    }
}

/// The bodies that a list reads. Bodies may be large: the message of a delivery or a task, the
/// filters and the context of an event. Other rows have none.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Bodies {
    /// The bodies of all rows of the page.
    #[default]
    All,
    /// No bodies: they are returned empty. A store that keeps bodies separately must not read them.
    Omitted,
    /// The bodies of the page, which ends with the row at which they reach this many bytes. The
    /// page therefore has a row if there is one, and may have fewer rows than its limit even if
    /// more exist. Only an empty page marks the end of the list.
    UpTo(u64),
}

impl Bodies {
    /// Returns whether bodies are read.
    #[must_use]
    pub fn are_read(self) -> bool {
        self != Self::Omitted
    }

    /// Counts a body of this many bytes, and returns whether another row may follow it.
    pub fn take(&mut self, bytes: u64) -> bool {
        if let Self::UpTo(left) = self {
            *left = left.saturating_sub(bytes);
        }
        *self != Self::UpTo(0)
    }

    /// Returns how many rows with bodies of these sizes a page has.
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

/// A page of a list: at most `limit` rows after the row `after`.
///
/// Pages are cut by row number. If rows are inserted or deleted between two pages, a walk neither
/// skips nor repeats a row that existed throughout.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Page<I> {
    /// The last row of the previous page, which is not part of this page; `None` starts the walk.
    pub after: Option<I>,
    /// The direction.
    pub order: Order,
    /// The maximum number of rows to return; at least 1.
    pub limit: u32,
    /// The bodies to read.
    pub bodies: Bodies,
}

impl<I> Page<I> {
    /// Returns the page of the first `limit` rows, oldest first.
    #[must_use]
    pub fn first(limit: u32) -> Self {
        Self {
            after: None,
            order: Order::Ascending,
            limit,
            bodies: Bodies::All,
        }
    }

    /// Returns the page of the last `limit` rows, newest first.
    #[must_use]
    pub fn newest(limit: u32) -> Self {
        Self {
            after: None,
            order: Order::Descending,
            limit,
            bodies: Bodies::All,
        }
    }

    /// Returns the page that follows the row `after`.
    #[must_use]
    pub fn beyond(self, after: I) -> Self {
        Self {
            after: Some(after),
            ..self
        }
    }

    /// Returns the same page with these bodies.
    #[must_use]
    pub fn with_bodies(self, bodies: Bodies) -> Self {
        Self { bodies, ..self }
    }

    /// Returns the same page for rows with another type of row number.
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
    fn page_ends_with_row_that_fills_it() {
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
