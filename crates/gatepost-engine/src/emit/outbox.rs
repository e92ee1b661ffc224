//! Occurrences that a platform wrote in its own transaction, and what an emit left for later: each
//! is fanned out once.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{OutboxRow, OutboxTaken};
use tokio::task::JoinSet;

use super::drain::{OutboxDrain, Places};
use super::row::Row;
use crate::error::EmitError;

/// Rows read at a time.
const AT_ONCE: u32 = 100;
/// How long an audience whose rows are taken is left to this process: should it die, its rows wait
/// that long. Whoever takes longer shares them with another process, and each is stored once.
const TAKEN: Duration = Duration::from_secs(10);
/// Rows of which a part goes on with the next bite at once.
const GOING: usize = 16;
/// A place is known this soon, or its rows wait for the platform apart from the others.
const PATIENCE: Duration = Duration::from_millis(100);

impl OutboxDrain {
    /// One bite of each row of an audience that is due, and of those that are `going`. Returns how
    /// many rows there were: each was used up, moved on, postponed or set aside. An error: the
    /// store is away, and what is left waits as it was.
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
        // What was put off is behind nothing that was written later.
        rows.sort_by_key(|row| row.id);
        let places = self.places(&rows).await;
        let mut left = self.take(rows, &places, now).await?;
        left.truncate(GOING);
        *going = left;
        Ok(count)
    }

    /// Where these rows are heard. The platform is asked about all audiences at once, so that one
    /// for which it hangs delays no other.
    async fn places(&self, rows: &[Row]) -> Places {
        let mut asking = JoinSet::new();
        let mut places = Places::new();
        for row in rows {
            let audience = row.occurrence.audience;
            if places.insert(audience, None).is_none() {
                let judge = self.core.access.clone();
                asking.spawn(async move {
                    let places = tokio::time::timeout(PATIENCE, judge.places(audience)).await;
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
