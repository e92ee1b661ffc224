//! A row that is undecided until the platform has said who may receive it. It waits independently
//! of the others and delays none.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{Enqueue, Enqueued, Origin, RemainingTasks};

use super::drain::OutboxDrain;
use super::row::Row;
use super::sink::Decided;
use super::waiting_rows::WaitingRow;
use crate::error::EmitError;
use crate::guard::guarded;

/// How long other processes leave a row while this one waits for the platform: longer than the
/// platform may take.
const ASKING: Duration = Duration::from_secs(15);
/// The age at which a row that was put off this often is given up, after the platform was asked
/// once more without an answer. The number of tries matters because nobody asks while no process
/// runs.
const GIVEN_UP: TimeDelta = TimeDelta::hours(24);
const PUT_OFF: u32 = 20;

impl OutboxDrain {
    /// Waits for the platform, independently of the other rows, if the limit of waiting rows
    /// allows.
    pub(super) async fn wait(
        self: &Arc<Self>,
        mut row: Row,
        now: DateTime<Utc>,
    ) -> Result<(), EmitError> {
        let Some(room) = self.waiting.take(row.occurrence.audience) else {
            return self.postpone(&row, row.pause(now), now).await;
        };
        // If its audience was held for too long, another process has continued with the row, and
        // its remaining tasks are not those that were read.
        if !self.put_off(&row, now).await? {
            return Ok(());
        }
        row.turn += 1;
        let drain = self.clone();
        self.core
            .lifecycle
            .spawn(async move { drain.ask(row, room).await });
        Ok(())
    }

    /// Puts the row off for as long as the question may take. Returns whether the row was still at
    /// its turn, and is therefore at the next.
    async fn put_off(&self, row: &Row, now: DateTime<Utc>) -> Result<bool, EmitError> {
        let left = (row.left.clone(), now + ASKING);
        let answer = self.core.store.enqueue(moved(row, Some(left)), now).await?;
        Ok(matches!(answer, Enqueued::Stored { .. }))
    }

    async fn ask(&self, row: Row, _room: WaitingRow) {
        if let Err(error) = self.answered(row).await {
            guarded(|| tracing::warn!(%error, "an occurrence waits in the outbox"));
        }
    }

    async fn answered(&self, row: Row) -> Result<(), EmitError> {
        let authorizer = &self.core.access;
        let places = tokio::select! {
            biased;
            // Another process continues with it, or this one when it starts again.
            () = self.core.lifecycle.stopped() => return Ok(()),
            places = authorizer.places(row.occurrence.audience) => places,
        };
        let patience = Some(&self.core.lifecycle);
        let decided = match places {
            Ok(places) => {
                self.decide(&row, &places, patience, self.core.clock.now()?)
                    .await
            }
            Err(error) => Err(error),
        };
        let now = self.core.clock.now()?;
        if matches!(decided, Ok(Decided::Undecided)) && self.is_to_give_up(&row, now) {
            return self.give_up(&row, now).await;
        }
        let left = self.conclude(row, decided, now).await?;
        if let Some(row) = left {
            // The part that does not fit into one batch need not wait any more.
            let now = self.core.clock.now()?;
            self.postpone(&row, Duration::ZERO, now).await?;
        }
        self.emitter.wake.notify_one();
        Ok(())
    }

    fn is_to_give_up(&self, row: &Row, now: DateTime<Utc>) -> bool {
        now - row.created >= GIVEN_UP
            && row.turn >= PUT_OFF
            && matches!(row.left, RemainingTasks::Tasks(_))
            // A process that stops does not wait for an answer.
            && self.core.lifecycle.is_running()
    }

    /// Gives a row up after a day without an answer: then nobody receives it.
    async fn give_up(&self, row: &Row, now: DateTime<Utc>) -> Result<(), EmitError> {
        let id = row.id.0;
        guarded(|| {
            tracing::error!(
                row = id,
                "the platform did not say for a day who may receive this"
            );
        });
        self.core.store.enqueue(moved(row, None), now).await?;
        Ok(())
    }
}

/// Returns a change that stores no delivery of the row: the row is put off, or used up if nothing
/// of it remains.
fn moved(row: &Row, left: Option<(RemainingTasks, DateTime<Utc>)>) -> Enqueue {
    let origin = Origin::Outbox {
        row: row.id,
        turn: row.turn,
        occurrence: None,
        left,
    };
    Enqueue::later(origin, Vec::new())
}
