//! Fans out the outbox: occurrences that a platform wrote in its own transaction, and the rest of
//! emits. Each is fanned out once.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{OutboxRow, OutboxTaken};
use tokio::task::JoinSet;

use super::drain::{OutboxDrain, RealmsOf};
use super::row::Row;
use crate::error::EmitError;

/// Rows read at a time.
const AT_ONCE: u32 = 100;
/// How long an audience whose rows are taken is left to this process. If the process dies, its rows
/// wait that long. A process that takes longer shares them with another one, and each row is stored
/// once.
const TAKEN: Duration = Duration::from_secs(10);
/// Rows of which a part continues with the next batch immediately.
const GOING: usize = 16;
/// The time within which a realm must be known, or its rows wait for the platform independently of
/// the others.
const PATIENCE: Duration = Duration::from_millis(100);

impl OutboxDrain {
    /// Handles one batch of each due row of an audience, and of those that are `going`. Returns the
    /// number of rows: each was used up, advanced, postponed or set aside. An error: the store is
    /// unavailable, and the remaining rows are unchanged.
    pub(super) async fn drain(
        self: &Arc<Self>,
        holder: u128,
        going: &mut Vec<Row>,
    ) -> Result<usize, EmitError> {
        let now = self.core.clock.now()?;
        let until = now + TAKEN;
        let taken = self.core.store.take_outbox(holder, AT_ONCE, until, now);
        let Some(OutboxTaken { audience, rows }) = taken.await? else {
            return self.work_off(Vec::new(), going, now).await;
        };
        // There may be another audience.
        self.emitter.wake.notify_one();
        let count = self.work_off(rows, going, now).await;
        self.core.store.give_back_outbox(audience, holder).await?;
        count
    }

    async fn work_off(
        self: &Arc<Self>,
        due: Vec<OutboxRow>,
        going: &mut Vec<Row>,
        now: DateTime<Utc>,
    ) -> Result<usize, EmitError> {
        let mut rows = std::mem::take(going);
        let count = rows.len() + due.len();
        for due in due {
            if rows.iter().all(|row| row.id != due.id) {
                rows.extend(self.readable(due).await?);
            }
        }
        // A postponed row is not behind any that was written later.
        rows.sort_by_key(|row| row.id);
        let places = self.places(&rows).await;
        let mut left = self.take(rows, &places, now).await?;
        left.truncate(GOING);
        *going = left;
        Ok(count)
    }

    /// Returns the realms of these rows. The platform is asked about all audiences concurrently, so
    /// that a late answer for one delays no other.
    async fn places(&self, rows: &[Row]) -> RealmsOf {
        let mut asking = JoinSet::new();
        let mut places = RealmsOf::new();
        for row in rows {
            let audience = row.occurrence.audience;
            if places.insert(audience, None).is_none() {
                let authorizer = self.core.access.clone();
                asking.spawn(async move {
                    let places = tokio::time::timeout(PATIENCE, authorizer.places(audience)).await;
                    (audience, places.ok())
                });
            }
        }
        while let Some(known) = asking.join_next().await {
            places.extend(known);
        }
        places
    }
}
