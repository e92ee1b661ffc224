//! Occurrences that the platform wrote in its own transaction and that wait to be fanned out.

use std::fmt;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use webhook_model::Occurrence;

use crate::error::StoreError;

/// The row number of an occurrence in the outbox.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct OutboxId(pub i64);

/// Why a row of the outbox cannot be used, in words for the platform's developer.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// A row of the outbox.
#[derive(Clone, Debug, PartialEq)]
pub struct OutboxRow {
    /// Its row number.
    pub id: OutboxId,
    /// The occurrence, or why it cannot be read: the platform writes these rows with its own SQL.
    pub occurrence: Result<Occurrence, Unreadable>,
}

/// The outbox: rows in, fan-outs out, exactly one for each.
///
/// A SQL backend documents the table `gatepost_occurrence`, into which the platform inserts with
/// its own statement, driver and language inside its own transaction. A row is consumed by
/// [`QueueStore::enqueue`](super::QueueStore::enqueue) with
/// [`Origin::Outbox`](super::Origin::Outbox).
#[async_trait]
pub trait OutboxStore: fmt::Debug + Send + Sync + 'static {
    /// Stores an occurrence to be fanned out later.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn push_outbox(
        &self,
        occurrence: &Occurrence,
        now: DateTime<Utc>,
    ) -> Result<OutboxId, StoreError>;

    /// The oldest rows that wait, at most `limit`. Rows set aside are not among them. Several
    /// processes may receive the same row: the one whose enqueue commits first has it.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn outbox(&self, limit: u32) -> Result<Vec<OutboxRow>, StoreError>;

    /// Sets a row aside that cannot be used, with the reason; it stays stored for the platform to
    /// look at.
    ///
    /// # Errors
    /// `NotFound`.
    async fn reject_outbox(
        &self,
        id: OutboxId,
        reason: &str,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;
}
