//! Turns an occurrence into deliveries: in one transaction if they fit into it, otherwise as a row
//! of the outbox that is used up batch by batch.

use std::pin::pin;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Enqueue, Enqueued, NewOutbox, Origin, RemainingTasks};
use gatepost_storage::{ErrorKind, StoreError};
use tracing::Span;
use webhook_model::{Data, Occurrence, OwnerId};

use super::emitted::Emitted;
use super::emitter::{Emitter, unnamed};
use super::finder::Ask;
use super::plan::Spent;
use super::sink::{Decided, Sink};
use crate::error::EmitError;
use crate::guard::GuardedSpan;

/// The selection of matching tasks that are run.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub left: RemainingTasks,
    /// The user who runs it manually.
    pub by: Option<OwnerId>,
    /// The value of `${context}`, if it is known.
    pub context: Option<Data>,
}

impl From<RemainingTasks> for Run {
    fn from(left: RemainingTasks) -> Self {
        Self {
            left,
            by: None,
            context: None,
        }
    }
}

impl Emitter {
    /// As [`emit`](Self::emit), in a separate task: a caller that is cancelled must not leave
    /// leased deliveries without a sender, and a panic of the store is an error like any other.
    pub(crate) async fn emit_detached(
        self: &Arc<Self>,
        occurrence: Occurrence,
        run: impl Into<Run>,
    ) -> Result<Emitted, EmitError> {
        let (emitter, run) = (self.clone(), run.into());
        let occurrence = self.joined(occurrence);
        self.detached(async move { emitter.emit(&occurrence, run).await })
            .await
    }

    /// Runs a future in a separate task.
    pub(super) async fn detached<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        emit: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<T, E> {
        let span = GuardedSpan::new(Span::current);
        let emit = async move { span.run(pin!(emit)).await };
        let lifecycle = &self.core.lifecycle;
        let emitting = if lifecycle.is_running() {
            lifecycle.spawn(emit)
        } else {
            // It leases nothing any more: a shutdown need not wait for it.
            tokio::spawn(emit)
        };
        emitting.await.unwrap_or_else(|panic| {
            let error = StoreError::new(ErrorKind::Unavailable, "the store panicked");
            Err(error.with_source(panic).into())
        })
    }

    /// Decides which tasks run, renders their messages, stores the deliveries. As far as there are
    /// permits, they are leased to this process and sent immediately.
    pub(crate) async fn emit(
        &self,
        occurrence: &Occurrence,
        run: impl Into<Run>,
    ) -> Result<Emitted, EmitError> {
        let Run { left, by, context } = run.into();
        self.core.access.check_audience(occurrence)?;
        let places = self.core.access.places(occurrence.audience).await?;
        let ask = Ask {
            occurrence,
            places: &places,
            left,
            by,
            context,
            patience: None,
        };
        let origin = ask.origin();
        let sink = Sink::Emit(origin.clone());
        match self.decide(&ask, &sink, &Spent::default()).await? {
            Decided::Repeated => Ok(Emitted::known()),
            Decided::Stored { emitted, .. } => Ok(emitted),
            // All of it waits, or it is too much for one transaction.
            Decided::TooMuch | Decided::Undecided | Decided::Behind { .. } => {
                self.set_down(&ask, origin).await
            }
        }
    }

    async fn set_down(&self, ask: &Ask<'_>, origin: Origin) -> Result<Emitted, EmitError> {
        let now = self.core.clock.now()?;
        let row = whole(ask, origin, now);
        let stored = self.core.store.enqueue(row, now).await?;
        self.was_set_down(&stored)
    }

    pub(super) fn was_set_down(&self, stored: &Enqueued) -> Result<Emitted, EmitError> {
        match stored {
            Enqueued::AlreadyKnown => Ok(Emitted::known()),
            Enqueued::Stored { .. } => {
                self.wake.notify_one();
                Ok(Emitted::later())
            }
            Enqueued::RoutesChanged | Enqueued::RowsChanged(_) => {
                let error = "an occurrence that depends on nothing was refused";
                Err(StoreError::new(ErrorKind::Unavailable, error).into())
            }
        }
    }
}

/// Returns all of it as a row of the outbox. The versions of the realms do not matter for a row.
pub(super) fn whole(ask: &Ask<'_>, origin: Origin, now: DateTime<Utc>) -> Enqueue {
    let row = NewOutbox {
        occurrence: unnamed(ask.occurrence),
        left: ask.left.clone(),
        by: ask.by,
        due: now,
    };
    Enqueue::later(origin, vec![row])
}
