//! A row of which nothing is known until the platform has said who may receive it: it waits apart
//! from the others, in no one's way.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{Enqueue, Enqueued, Origin, RemainingTasks};

use super::apart::WaitingRow;
use super::drain::OutboxDrain;
use super::row::Row;
use super::sink::Decided;
use crate::error::EmitError;
use crate::guard::guarded;

/// How long other processes leave a row alone while this one waits for the platform: longer than
/// that takes.
const ASKING: Duration = Duration::from_secs(15);
/// A row is given up that is this old and was put off this often, when the platform was asked once
/// more and said nothing: while no process runs, nobody asks.
const GIVEN_UP: TimeDelta = TimeDelta::hours(24);
const PUT_OFF: u32 = 20;

impl OutboxDrain {
    /// The platform has to be waited for: apart from the other rows, if there is room for that now.
    pub(super) async fn wait(
        self: &Arc<Self>,
        mut row: Row,
        now: DateTime<Utc>,
    ) -> Result<(), EmitError> {
        let Some(room) = self.waiting.take(row.occurrence.audience) else {
            return self.postpone(&row, row.pause(now), now).await;
        };
        // Its audience may have been held for too long: then whoever took it went on with the row,
        // and what is left of it is not what was read.
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

    /// For as long as it is asked about: whether it was still at its turn, and is at the next now.
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
        let judge = &self.core.access;
        let places = tokio::select! {
            biased;
            // Another process goes on with it, or this one when it starts again.
            () = self.core.lifecycle.stopped() => return Ok(()),
            places = judge.places(row.occurrence.audience) => places,
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
            // What does not fit into one bite need not wait any more.
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
            // Who stops does not wait for an answer.
            && self.core.lifecycle.is_running()
    }

    /// Nobody said for a day who may receive it: then nobody does.
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

/// Nothing is stored of the row: it is moved on, or used up where nothing is left of it.
fn moved(row: &Row, left: Option<(RemainingTasks, DateTime<Utc>)>) -> Enqueue {
    let origin = Origin::Outbox {
        row: row.id,
        turn: row.turn,
        occurrence: None,
        left,
    };
    Enqueue::later(origin, Vec::new())
}
