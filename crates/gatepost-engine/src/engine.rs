//! The engine as a platform uses it, without the methods for single kinds of records, which are in
//! `records`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use webhook_model::{Catalog, Occurrence};

use crate::activity::Activities;
use crate::config::{OperationalEvents, RetryScheduleLimits};
use crate::core::Core;
use crate::direct_requests::{AtOnce, LOOKUPS};
use crate::emit::{Emitted, Emitter, OutboxDrain};
use crate::error::{EmitError, EngineError};
use crate::health::{Health, Probes};
use crate::maintenance::Maintenance;
use crate::operational::Announcer;
use crate::transport::Transport;

/// Matches occurrences, queues deliveries durably, sends them. Cheap to clone.
///
/// Dropping it does not stop it. [`shutdown`](Self::shutdown) does.
#[derive(Clone)]
pub struct Engine {
    pub(crate) core: Arc<Core>,
    pub(crate) parts: Arc<Parts>,
}

/// The parts that a platform reaches. They own all others.
#[derive(Debug)]
pub(crate) struct Parts {
    pub emitter: Arc<Emitter>,
    pub outbox: Arc<OutboxDrain>,
    pub announcer: Arc<Announcer>,
    pub activities: Activities,
    pub probes: Probes,
    pub schedules: RetryScheduleLimits,
    /// Lookups of host names for forms.
    pub lookups: AtOnce,
}

impl Engine {
    /// Creates the engine without starting its loops. `poll` is the interval at which the outbox is
    /// read.
    pub(crate) fn new(
        emitter: Arc<Emitter>,
        maintenance: Arc<Maintenance>,
        poll: Duration,
        schedules: RetryScheduleLimits,
    ) -> Self {
        let (core, worker) = (emitter.core.clone(), &emitter.launcher.worker);
        let activities = worker.watch.activities.clone();
        let parts = Parts {
            outbox: Arc::new(OutboxDrain::new(emitter.clone(), poll)),
            announcer: Arc::new(Announcer {
                core: core.clone(),
                emitter: emitter.clone(),
                troubles: activities.troubles.clone(),
            }),
            activities,
            probes: Probes {
                core: core.clone(),
                admission: worker.admission.clone(),
                settler: worker.settler.clone(),
                error_rate: worker.watch.error_rate.clone(),
                maintenance,
            },
            emitter,
            schedules,
            lookups: AtOnce::new(LOOKUPS),
        };
        Self {
            core,
            parts: Arc::new(parts),
        }
    }

    /// Emits an occurrence: runs the tasks of all enabled events that match (SPEC 6 rule 1), for
    /// those owners who may receive it.
    ///
    /// Returns once the deliveries are stored. They are sent in the background. A task that several
    /// events reach runs once. A one-time task runs once, however many occurrences reach it, and is
    /// deleted in the same transaction. An occurrence with its own id is stored once, however often
    /// it is emitted.
    ///
    /// Never waits for the platform to say who may receive the occurrence, and never refuses an
    /// occurrence for the number of its tasks. Tasks that are not decided yet, or do not fit into
    /// one transaction, follow in the background ([`Emitted::pending`]).
    ///
    /// # Errors
    /// [`EmitError`]; nothing was stored. After a transient error the caller may emit the same
    /// occurrence again; only with its own id is it then certain not to run twice.
    pub async fn emit(&self, occurrence: Occurrence) -> Result<Emitted, EmitError> {
        let emitter = &self.parts.emitter;
        emitter.emit_detached(occurrence, Emitter::all()).await
    }

    /// Emits up to [`MAX_EMIT_MANY`](crate::MAX_EMIT_MANY) occurrences, each as
    /// [`emit`](Self::emit) does: decided in their order, and stored in as few commits as hold them
    /// (256 occurrences, 1,000 deliveries or 8 MiB each, by [`EmitLimits`](crate::EmitLimits)).
    /// Costs a fraction of as many calls of `emit`.
    ///
    /// Returns one answer for each occurrence, in their order. If one is refused, the others are
    /// not affected. The first occurrences use an owner's quota first. If the records change while
    /// an occurrence is decided, it is decided again and may be stored after later ones.
    ///
    /// # Errors
    /// [`EmitError::TooMany`]: nothing was stored. [`EmitError::Store`]: the store panicked, and it
    /// is not known which occurrences were stored. All other errors are answers for single
    /// occurrences.
    pub async fn emit_many(
        &self,
        occurrences: Vec<Occurrence>,
    ) -> Result<Vec<Result<Emitted, EmitError>>, EmitError> {
        self.parts.emitter.emit_many_detached(occurrences).await
    }

    /// Stores an occurrence to be matched shortly afterwards: cheaper than [`emit`](Self::emit). An
    /// occurrence whose id is known by then is skipped, as by `emit`.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn emit_later(&self, occurrence: &Occurrence) -> Result<(), EmitError> {
        self.parts.outbox.push(occurrence).await
    }

    /// Stores up to [`MAX_EMIT_MANY`](crate::MAX_EMIT_MANY) occurrences as
    /// [`emit_later`](Self::emit_later) does, all of them in one commit or none.
    ///
    /// # Errors
    /// [`EmitError::TooMany`], and when the store fails.
    pub async fn emit_many_later(&self, occurrences: &[Occurrence]) -> Result<(), EmitError> {
        self.parts.emitter.emit_many_later(occurrences).await
    }

    /// Notifies the engine that the platform has committed its own rows to the outbox: they are
    /// fanned out immediately, in this process or in another.
    ///
    /// Call it after the commit. Without it a row is found by the next poll: on PostgreSQL after up
    /// to [`Timing::poll`](crate::Timing::poll) / 4 while rows arrive, later after a quiet time; on
    /// SQLite in about 10 ms, at most four times a second. It returns immediately and cannot fail.
    pub fn outbox_written(&self) {
        self.parts.outbox.written();
    }

    /// Returns the types and events that users can choose.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        self.core.access.catalog()
    }

    /// Returns the events about users' own webhooks and keys that the platform offers.
    #[must_use]
    pub fn operational_events(&self) -> OperationalEvents {
        self.core.access.own()
    }

    /// Returns a snapshot, at the cost of one lookup in the store, and sets the gauges of the same
    /// metrics. The queue's metrics are those that some process counted last.
    ///
    /// # Errors
    /// When the store fails. The engine is then not healthy.
    pub async fn health(&self) -> Result<Health, EngineError> {
        Ok(self.parts.probes.health().await?)
    }

    /// Stops claiming, gives requests in flight up to `grace` to end, returns the other claims, and
    /// writes what is buffered. Returned deliveries are sent by another process, or by this one
    /// when it starts again.
    pub async fn shutdown(&self, grace: Duration) {
        self.core.lifecycle.shutdown(grace).await;
        let access = self.core.access.clone();
        let counts = self.parts.probes.settler.counts.clone();
        let announcer = self.parts.announcer.clone();
        let flush = async move {
            counts.flush().await;
            access.flush().await;
            announcer.flush().await;
        };
        self.core.lifecycle.finish(flush).await;
    }

    pub(crate) fn transport(&self) -> &Arc<dyn Transport> {
        &self.parts.emitter.launcher.worker.transport
    }
}

/// Short, as webhooks and messages must not be logged.
impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("running", &self.core.lifecycle.is_running())
            .field("in_flight", &self.parts.probes.admission)
            .finish_non_exhaustive()
    }
}
