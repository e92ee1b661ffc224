//! Occurrences that a platform wrote in its own transaction, and what an emit left for later: each
//! is fanned out once.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{OutboxRow, OutboxTaken};
use tokio::task::JoinSet;
use webhook_model::Occurrence;

use super::drain::{OutboxDrain, Places};
use super::row::Row;
use crate::error::EmitError;
use crate::guard::guarded;

/// Rows read at a time.
const AT_ONCE: u32 = 100;
/// How long rows that are taken are left to this process.
const TAKEN: Duration = Duration::from_secs(30);
/// Rows of which this process goes on with the next bite at once.
const GOING: usize = 16;
/// A place is known this soon, or its rows wait for the platform apart from the others.
const PATIENCE: Duration = Duration::from_millis(100);

impl OutboxDrain {
    /// Stores an occurrence to be fanned out a moment later.
    pub(crate) async fn push(&self, occurrence: &Occurrence) -> Result<(), EmitError> {
        self.store
            .push_outbox(occurrence, self.clock.now()?)
            .await?;
        self.emitter.wake.notify_one();
        Ok(())
    }

    /// Fans out what waits, until the engine stops.
    pub(crate) async fn run(self: Arc<Self>) {
        let mut going = Vec::new();
        while self.lifecycle.is_running() {
            match self.drain(&mut going).await {
                Ok(0) => {}
                Ok(_) => continue,
                Err(error) => {
                    guarded(|| tracing::warn!(%error, "could not drain the outbox"));
                }
            }
            tokio::select! {
                () = tokio::time::sleep(self.poll) => {}
                () = self.store.outbox_arrived() => {}
                () = self.emitter.wake.notified() => {}
                () = self.lifecycle.stopped() => {}
            }
        }
    }

    /// One bite of each row that is due, and of those that are `going`. Returns how many rows there
    /// were: each was used up, moved on, postponed or set aside. An error: the store is away.
    async fn drain(self: &Arc<Self>, going: &mut Vec<Row>) -> Result<usize, EmitError> {
        let now = self.clock.now()?;
        let taken = self
            .store
            .take_outbox(self.holder, AT_ONCE, now + TAKEN, now)
            .await?;
        let Some(OutboxTaken { audience, rows }) = taken else {
            return self.work_off(Vec::new(), going, now).await;
        };
        let count = self.work_off(rows, going, now).await;
        self.store.give_back_outbox(audience, self.holder).await?;
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
                rows.extend(self.readable(due, now).await?);
            }
        }
        let places = self.places(&rows).await;
        for row in rows {
            let next = self.take(row, &places, now).await?;
            if going.len() < GOING {
                going.extend(next);
            }
        }
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
                let judge = self.emitter.judge.clone();
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
