//! The engine as a platform holds it, and what is not about one kind of record. Methods about those
//! are in `records`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use webhook_model::{Catalog, Occurrence};

use crate::activity::Activities;
use crate::at_once::{AtOnce, LOOKUPS, TESTS};
use crate::config::{OperationalEvents, RetryScheduleLimits};
use crate::core::Core;
use crate::emit::{Emitted, Emitter, OutboxDrain};
use crate::error::{EmitError, EngineError};
use crate::health::{Health, Probes};
use crate::maintenance::Maintenance;
use crate::operational::Announcer;
use crate::transport::Transport;

/// Matches occurrences, queues deliveries durably, sends them. Cheap to clone.
///
/// Dropping it does not stop it: [`shutdown`](Self::shutdown) does.
#[derive(Clone)]
pub struct Engine {
    pub(crate) core: Arc<Core>,
    pub(crate) parts: Arc<Parts>,
}

/// The parts that a platform reaches; they own the others.
#[derive(Debug)]
pub(crate) struct Parts {
    pub emitter: Arc<Emitter>,
    pub outbox: Arc<OutboxDrain>,
    pub announcer: Arc<Announcer>,
    pub activities: Activities,
    pub probes: Probes,
    pub schedules: RetryScheduleLimits,
    /// Messages that are sent past the queue.
    pub tests: AtOnce,
    /// Host names that are looked up for a form.
    pub lookups: AtOnce,
}

impl Engine {
    /// None of its loops run yet. `poll` is how often the outbox is looked at.
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
            tests: AtOnce::new(TESTS),
            lookups: AtOnce::new(LOOKUPS),
        };
        Self {
            core,
            parts: Arc::new(parts),
        }
    }

    /// Something happened: runs the tasks of all enabled events that match (SPEC 6 rule 1), of
    /// those owners who may receive it.
    ///
    /// Returns once the deliveries are stored; they are sent in the background. A task that several
    /// events reach runs once; a one-time task runs once however many occurrences reach it, and
    /// is deleted with that. With an id of its own an occurrence is stored once, however often
    /// it is emitted.
    ///
    /// Never waits for the platform to say who may receive it, and never refuses an occurrence for
    /// the number of its tasks: what is not known yet, and what does not fit into one transaction,
    /// follows in the background ([`Emitted::pending`]).
    ///
    /// # Errors
    /// [`EmitError`]; nothing was stored. After a transient error the same occurrence may be
    /// emitted again; only one with an id of its own is then certain not to run twice.
    pub async fn emit(&self, occurrence: Occurrence) -> Result<Emitted, EmitError> {
        let emitter = &self.parts.emitter;
        emitter.emit_detached(occurrence, Emitter::all()).await
    }

    /// Emits up to [`MAX_EMIT_MANY`](crate::MAX_EMIT_MANY) occurrences, each as
    /// [`emit`](Self::emit) does: decided in their order, and stored in as few commits as hold them
    /// (256 occurrences, 1,000 deliveries or 8 MiB each, by [`EmitLimits`](crate::EmitLimits)).
    /// Costs a fraction of as many calls of `emit`.
    ///
    /// Returns one answer for each, in their order. One that is refused fails no other, and what is
    /// left of an owner's quota goes to the first. One that meets a change of the records is
    /// decided again, and may then be stored after those behind it.
    ///
    /// # Errors
    /// [`EmitError::TooMany`]: nothing was stored. [`EmitError::Store`]: the store panicked, and
    /// what became of them is not known. All others are answers of single occurrences.
    pub async fn emit_many(
        &self,
        occurrences: Vec<Occurrence>,
    ) -> Result<Vec<Result<Emitted, EmitError>>, EmitError> {
        self.parts.emitter.emit_many_detached(occurrences).await
    }

    /// Stores an occurrence to be matched a moment later: cheaper than [`emit`](Self::emit). An
    /// occurrence with an id that is known by then is
    /// skipped, as by `emit`.
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

    /// Says that the platform has committed rows of its own to the outbox: they are fanned out
    /// immediately, in this process or in another.
    ///
    /// Call it after the commit. Without it a row is found by the next poll: on PostgreSQL after up
    /// to [`Timing::poll`](crate::Timing::poll) / 4 while rows arrive, later after a quiet time; on
    /// SQLite in about 10 ms, at most four times a second. It returns immediately and cannot fail.
    pub fn outbox_written(&self) {
        self.parts.outbox.written();
    }

    /// The types and events that can be chosen.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        self.core.access.catalog()
    }

    /// Which events about their own webhooks and keys users are offered.
    #[must_use]
    pub fn operational_events(&self) -> OperationalEvents {
        self.core.access.own()
    }

    /// A snapshot; asks the store, at the cost of one lookup. Figures of the queue are those that
    /// some process counted last. Sets the gauges of the same figures.
    ///
    /// # Errors
    /// When the store fails: then nothing is well.
    pub async fn health(&self) -> Result<Health, EngineError> {
        Ok(self.parts.probes.health().await?)
    }

    /// Stops claiming, lets requests in flight end for as long as `grace`, gives back the rest, and
    /// writes what was not written yet. What was given back is sent by another process, or by
    /// this one when it starts again.
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

/// Short: webhooks and messages are nothing for a log.
impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("running", &self.core.lifecycle.is_running())
            .field("in_flight", &self.parts.probes.admission)
            .finish_non_exhaustive()
    }
}
