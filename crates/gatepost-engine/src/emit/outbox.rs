//! Occurrences that a platform wrote in its own transaction: each is fanned out once.

use std::sync::Arc;
use std::time::Duration;

use gatepost_storage::webhooks::{Origin, OutboxId, OutboxRow, WebhookStore};
use tokio::sync::Notify;
use webhook_model::Occurrence;

use super::emitted::Trigger;
use super::emitter::Emitter;
use crate::clock::EngineClock;
use crate::error::EmitError;
use crate::guard::guarded;
use crate::lifecycle::Lifecycle;

/// Rows read at a time.
const AT_ONCE: u32 = 100;

#[derive(Debug)]
pub(crate) struct OutboxDrain {
    store: Arc<dyn WebhookStore>,
    emitter: Arc<Emitter>,
    clock: Arc<EngineClock>,
    lifecycle: Lifecycle,
    /// How often the store is asked for what others wrote.
    poll: Duration,
    /// Something was put into the outbox here.
    wake: Notify,
}

impl OutboxDrain {
    pub(crate) fn new(
        store: Arc<dyn WebhookStore>,
        emitter: Arc<Emitter>,
        clock: Arc<EngineClock>,
        lifecycle: Lifecycle,
        poll: Duration,
    ) -> Self {
        Self {
            store,
            emitter,
            clock,
            lifecycle,
            poll,
            wake: Notify::new(),
        }
    }

    /// Stores an occurrence to be fanned out a moment later.
    pub(crate) async fn push(&self, occurrence: &Occurrence) -> Result<(), EmitError> {
        self.store
            .push_outbox(occurrence, self.clock.now()?)
            .await?;
        self.wake.notify_one();
        Ok(())
    }

    /// Fans out what waits, until the engine stops.
    pub(crate) async fn run(self: Arc<Self>) {
        while self.lifecycle.is_running() {
            match self.drain().await {
                Ok(0) => {}
                Ok(_) => continue,
                Err(error) => {
                    guarded(|| tracing::warn!(%error, "could not drain the outbox"));
                }
            }
            tokio::select! {
                () = tokio::time::sleep(self.poll) => {}
                () = self.store.work_arrived() => {}
                () = self.wake.notified() => {}
                () = self.lifecycle.stopped() => {}
            }
        }
    }

    /// Returns how many rows were used up or set aside.
    async fn drain(&self) -> Result<usize, EmitError> {
        let rows = self.store.outbox(AT_ONCE).await?;
        let mut done = 0;
        let mut failed = None;
        for row in rows {
            let id = row.id;
            match self.fan_out(row).await {
                Ok(()) => done += 1,
                // A repair of the store mends it; it waits, and lets the others pass.
                Err(EmitError::Store(error)) if !error.is_transient() => {
                    let row = id.0;
                    guarded(|| tracing::error!(row, %error, "an occurrence waits in the outbox"));
                    failed.get_or_insert(EmitError::Store(error));
                }
                // Time mends it.
                Err(error) => return Err(error),
            }
        }
        match failed {
            Some(error) if done == 0 => Err(error),
            _ => Ok(done),
        }
    }

    /// What only the platform can mend is set aside with the reason.
    async fn fan_out(&self, row: OutboxRow) -> Result<(), EmitError> {
        let occurrence = match row.occurrence {
            Ok(occurrence) => occurrence,
            Err(unreadable) => return self.set_aside(row.id, unreadable.to_string()).await,
        };
        let origin = Origin::Outbox {
            row: row.id,
            // An occurrence with an id happens once, however often it was written to the outbox.
            occurrence: occurrence.id.clone(),
        };
        let emitted = self.emitter.emit(&occurrence, Trigger::Matching, origin);
        match emitted.await {
            Ok(_) => Ok(()),
            Err(error @ (EmitError::TooLarge { .. } | EmitError::Render { .. })) => {
                self.set_aside(row.id, error.to_string()).await
            }
            Err(error) => Err(error),
        }
    }

    async fn set_aside(&self, row: OutboxId, reason: String) -> Result<(), EmitError> {
        guarded(|| {
            tracing::warn!(
                row = row.0,
                reason,
                "an occurrence in the outbox cannot be used"
            );
        });
        let now = self.clock.now()?;
        Ok(self.store.reject_outbox(row, &reason, now).await?)
    }
}
