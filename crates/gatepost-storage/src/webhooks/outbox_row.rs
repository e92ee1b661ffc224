//! Rows of the outbox.

use chrono::{DateTime, Utc};
use gatepost_ids::TenantId;
use webhook_model::{Audience, Occurrence, OwnerId, TaskId};

/// The row number of an occurrence in the outbox.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct OutboxId(pub i64);

/// Why a row of the outbox cannot be used, in words for the platform's developer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// Which of the tasks that match an occurrence are still to be decided.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum Left {
    /// All beyond this one, in order of their row numbers; `TaskId(0)` at first.
    After(TaskId),
    /// These, whatever the occurrence matches now.
    Tasks(Vec<TaskId>),
}

/// A row of the outbox that an engine writes.
#[derive(Clone, Debug, PartialEq)]
pub struct NewOutbox {
    /// The occurrence. Its id is stored, and checked when the row is used.
    pub occurrence: Occurrence,
    /// Which tasks.
    pub left: Left,
    /// The user who ran the task, or triggered the event, by hand.
    pub by: Option<OwnerId>,
    /// When.
    pub due: DateTime<Utc>,
}

/// A row of the outbox.
#[derive(Clone, Debug, PartialEq)]
pub struct OutboxRow {
    /// Its row number.
    pub id: OutboxId,
    /// The occurrence, or why it cannot be read: the platform writes these rows with its own SQL.
    /// A row that names no audience has
    /// [`Audience::OneSystem`](webhook_model::Audience::OneSystem).
    pub occurrence: Result<Occurrence, Unreadable>,
    /// Which tasks are still to be decided.
    pub left: Left,
    /// The user who ran the task, or triggered the event, by hand: the
    /// [`Cause::by`](super::Cause::by) of its deliveries.
    pub by: Option<OwnerId>,
    /// Counts how often the row was moved on or postponed; to be shown when it is used.
    pub turn: u32,
    /// When it was written.
    pub created: DateTime<Utc>,
}

/// The audience of a row of the outbox, as its columns say it: 0 where they name none, and where
/// they cannot be read.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct OutboxAudience {
    /// `tenant`.
    pub tenant: u128,
    /// `owner`.
    pub owner: u128,
}

impl OutboxAudience {
    /// The audience of a row whose columns `tenant` and `owner` are these texts.
    #[must_use]
    pub fn of_columns(tenant: Option<&str>, owner: Option<&str>) -> Self {
        let tenant = tenant.and_then(|tenant| tenant.parse().ok());
        let owner = owner.and_then(|owner| owner.parse().ok());
        Self {
            tenant: tenant.map_or(0, |TenantId(id)| id),
            owner: owner.map_or(0, |OwnerId(id)| id),
        }
    }
}

impl From<Audience> for OutboxAudience {
    fn from(audience: Audience) -> Self {
        let (tenant, owner) = match audience {
            Audience::Tenant(tenant) => (tenant.0, 0),
            Audience::Owner(owner) => (0, owner.0),
            Audience::OneSystem | Audience::Operators => (0, 0),
        };
        Self { tenant, owner }
    }
}

/// Rows of one audience, and nobody else's until then.
#[derive(Clone, Debug, PartialEq)]
pub struct OutboxTaken {
    /// Whose.
    pub audience: OutboxAudience,
    /// The oldest due first.
    pub rows: Vec<OutboxRow>,
}

/// How a row of the outbox is put back.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum PutBack {
    /// It is due again then.
    Until(DateTime<Utc>),
    /// It cannot be used, for this reason.
    Aside(String),
}
