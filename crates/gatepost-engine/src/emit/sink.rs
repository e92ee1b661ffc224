//! The destination of a decided batch, and its result.

use chrono::{DateTime, Utc};
use gatepost_ids::Realm;
use gatepost_storage::webhooks::{Origin, OutboxAudience, OutboxId, RemainingTasks};
use webhook_model::OccurrenceId;

use super::emitted::Emitted;
use super::plan::Spent;

/// The destination of a decided batch.
#[derive(Debug)]
pub(super) enum Sink {
    /// An emit: everything in one transaction.
    Emit(Origin),
    /// A row of the outbox: as much as fits.
    Row(RowAt),
}

/// A row of the outbox at one turn.
#[derive(Clone, Debug)]
pub(super) struct RowAt {
    pub id: OutboxId,
    /// The audience as it is stored.
    pub audience: OutboxAudience,
    pub turn: u32,
    /// The occurrence's realm and id, while nothing of it is stored.
    pub named: Option<(Realm, OccurrenceId)>,
    /// The due time of the part that does not fit.
    pub next: DateTime<Utc>,
    /// The due time of the undecided part.
    pub wait: DateTime<Utc>,
}

/// The result of a batch.
#[derive(Debug)]
pub(super) enum Decided {
    /// This or another process stored it earlier.
    Repeated,
    /// It is more than an emit may store. Nothing was stored.
    TooMuch,
    /// None of the tasks that were selected by number can be decided. Nothing was stored.
    Undecided,
    /// Some of the tasks that were selected by number wait for rows ahead, and the others, if any,
    /// cannot be decided. Nothing was stored.
    Behind {
        /// The due time of the first of those rows.
        due: DateTime<Utc>,
        /// There are undecided tasks.
        unknown: bool,
    },
    /// It was stored.
    Stored {
        emitted: Emitted,
        /// The resources that it used.
        used: Spent,
        /// The remaining tasks of the row.
        left: Option<RemainingTasks>,
        /// The remaining tasks are undecided.
        waits: bool,
    },
}
