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
}

impl<I> Page<I> {
    /// The first `limit` rows, oldest first.
    #[must_use]
    pub fn first(limit: u32) -> Self {
        Self {
            after: None,
            order: Order::Ascending,
            limit,
        }
    }

    /// The newest `limit` rows, newest first.
    #[must_use]
    pub fn newest(limit: u32) -> Self {
        Self {
            after: None,
            order: Order::Descending,
            limit,
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
}
