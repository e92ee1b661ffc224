//! Where what is decided goes, and what becomes of it.

use chrono::{DateTime, Utc};
use gatepost_ids::Realm;
use gatepost_storage::webhooks::{Origin, OutboxAudience, OutboxId, RemainingTasks};
use webhook_model::OccurrenceId;

use super::emitted::Emitted;
use super::plan::Spent;

/// Where what is decided goes.
#[derive(Debug)]
pub(super) enum Sink {
    /// An emit: all at once.
    Emit(Origin),
    /// A row of the outbox: as much as fits.
    Row(RowAt),
}

/// A row of the outbox at one turn.
#[derive(Clone, Debug)]
pub(super) struct RowAt {
    pub id: OutboxId,
    /// As it is stored.
    pub audience: OutboxAudience,
    pub turn: u32,
    /// The id of the occurrence in its place, while nothing of it is stored.
    pub named: Option<(Realm, OccurrenceId)>,
    /// When what does not fit is due.
    pub next: DateTime<Utc>,
    /// When that is due of which nothing is known yet.
    pub wait: DateTime<Utc>,
}

/// What became of a bite.
#[derive(Debug)]
pub(super) enum Decided {
    /// It was done before, by this or another process.
    Repeated,
    /// It is more than an emit stores at once. Nothing was stored.
    TooMuch,
    /// Nothing is known of any task that was asked for by number. Nothing was stored.
    Undecided,
    /// Of tasks that were asked for by number some wait for rows ahead, and of the others, if there
    /// are any, nothing is known. Nothing was stored.
    Behind {
        /// When the first of those rows is due.
        due: DateTime<Utc>,
        /// There are others.
        unknown: bool,
    },
    /// It was stored.
    Stored {
        emitted: Emitted,
        /// What it used.
        used: Spent,
        /// What is left of the row.
        left: Option<RemainingTasks>,
        /// Of that, nothing is known yet.
        waits: bool,
    },
}
