//! The engine and what its parts share.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use delivery::{Schedule, Sender};
use gatepost_storage::webhooks::{Origin, WebhookStore};
use gatepost_storage::{Clock, ErrorKind, StoreError};
use tokio::sync::{Mutex, Notify, watch};
use tokio::task::JoinSet;
use tracing::Instrument;
use webhook_model::{Catalog, Occurrence};

use crate::builder::EngineBuilder;
use crate::config::{DisablePolicy, Limits, Retention};
use crate::dispatch::{Lanes, Pace, Slots};
use crate::emit::{Emitted, What};
use crate::error::EmitError;
use crate::health::Tally;
use crate::ids::Random;
use crate::keep::{Failing, Runs};
use crate::observe::Observers;
use crate::routes::{Route, Routes};
use crate::settle::Settle;

/// What a shutdown waits for the store when its grace is over.
const LAST: Duration = Duration::from_secs(5);
/// The pause before a part that panicked starts again.
const AGAIN: Duration = Duration::from_millis(200);

/// Matches occurrences, queues deliveries durably, sends them. Cheap to clone.
///
/// Dropping it does not stop it: [`shutdown`](Self::shutdown) does.
#[derive(Clone)]
pub struct Engine {
    pub(crate) inner: Arc<Inner>,
}

/// How far the engine has come.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Phase {
    Running,
    /// Nothing new is claimed; what is in flight may end.
    Stopping,
    /// What is in flight is given back.
    Over,
}

pub(crate) struct Inner {
    pub store: Arc<dyn WebhookStore>,
    pub sender: Sender,
    pub clock: Arc<dyn Clock>,
    /// What this machine's clock is behind the database server's, in microseconds.
    pub offset: Arc<AtomicI64>,
    pub catalog: Catalog,
    pub zone: Tz,
    /// The host's own, for every message.
    pub variables: Vec<(String, String)>,
    pub random: Random,
    pub limits: Limits,
    pub keep: Retention,
    pub schedule: Schedule,
    pub disable: DisablePolicy,
    pub observers: Observers,
    pub routes: Routes,
    pub lanes: Lanes,
    pub slots: Arc<Slots>,
    pub pace: Pace,
    pub settle: Settle,
    pub runs: Runs,
    pub failing: Failing,
    pub tally: Tally,
    pub phase: watch::Sender<Phase>,
    /// Something was put into the outbox here.
    pub outbox: Notify,
    /// What runs until the engine stops.
    pub parts: Mutex<JoinSet<()>>,
}

impl Engine {
    /// Starts with the two parts that cannot be left out: where everything is kept, and what sends.
    #[must_use]
    pub fn builder(store: Arc<dyn WebhookStore>, sender: Sender) -> EngineBuilder {
        EngineBuilder::new(store, sender)
    }

    /// Something happened: runs the tasks of all enabled events that match (SPEC 6 rule 1).
    ///
    /// Returns once the deliveries are stored; they are sent in the background. A task that several
    /// events reach runs once; a one-time task runs once however many occurrences reach it, and
    /// is deleted with that. With an id of its own an occurrence is stored once, however often
    /// it is emitted.
    ///
    /// # Errors
    /// [`EmitError`]; nothing was stored. After a transient error the same occurrence may be
    /// emitted again; only one with an id of its own is then certain not to run twice.
    pub async fn emit(&self, occurrence: Occurrence) -> Result<Emitted, EmitError> {
        let source = occurrence
            .id
            .clone()
            .map_or(Origin::Direct, Origin::Occurrence);
        self.emit_apart(occurrence, What::Matching, source).await
    }

    /// In a task of its own: a caller that goes away must not leave leased deliveries to nobody,
    /// and a store that panics is an error like any other.
    pub(crate) async fn emit_apart(
        &self,
        occurrence: Occurrence,
        what: What,
        source: Origin,
    ) -> Result<Emitted, EmitError> {
        let inner = self.inner.clone();
        let emit = async move { inner.emit(&occurrence, what, source).await };
        tokio::spawn(emit.in_current_span())
            .await
            .unwrap_or_else(|panic| {
                let error = StoreError::new(ErrorKind::Unavailable, "the store panicked");
                Err(error.with_source(panic).into())
            })
    }

    /// Stores an occurrence to be matched a moment later: cheaper than [`emit`](Self::emit), and
    /// never refused for what it matches. An occurrence with an id that is known by then is
    /// passed over, as by `emit`.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn emit_later(&self, occurrence: &Occurrence) -> Result<(), EmitError> {
        self.inner
            .store
            .push_outbox(occurrence, self.inner.now())
            .await?;
        self.inner.outbox.notify_one();
        Ok(())
    }

    /// The types and events that can be chosen.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        &self.inner.catalog
    }

    /// Stops claiming, lets requests in flight end for as long as `grace`, gives back the rest, and
    /// writes what was not written yet. What was given back is sent by another process, or by
    /// this one when it starts again.
    pub async fn shutdown(&self, grace: Duration) {
        let inner = &self.inner;
        inner.phase.send_if_modified(|phase| {
            let first = *phase == Phase::Running;
            if first {
                *phase = Phase::Stopping;
            }
            first
        });
        if tokio::time::timeout(grace, inner.at_rest()).await.is_err() {
            inner.phase.send_replace(Phase::Over);
            // Giving back is one settlement; a store that hangs must not hold up the host's end.
            let _ = tokio::time::timeout(LAST, inner.at_rest()).await;
        }
        inner.phase.send_replace(Phase::Over);
        // On a task of its own: a store that panics must not take the host's end along.
        let last = inner.clone();
        let flush = tokio::spawn(async move { last.flush_runs().await });
        let _ = tokio::time::timeout(LAST, flush).await;
    }
}

impl Inner {
    /// The present moment, by the database server's clock where it has one.
    pub(crate) fn now(&self) -> DateTime<Utc> {
        corrected(self.clock.as_ref(), &self.offset)
    }

    /// Starts one of the parts that run until the engine stops. One that panics (because the store
    /// does) is started again: that costs a moment, not the engine.
    pub(crate) async fn keep_going<F>(
        self: &Arc<Self>,
        name: &'static str,
        part: impl Fn(Arc<Self>) -> F + Send + 'static,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        let inner = self.clone();
        self.parts.lock().await.spawn(async move {
            while inner.is_running() {
                if tokio::spawn(part(inner.clone())).await.is_err() {
                    tracing::error!(part = name, "panicked; starts again");
                    tokio::time::sleep(AGAIN).await;
                }
            }
        });
    }

    /// Ready when all parts have ended and nothing is in flight.
    async fn at_rest(&self) {
        let mut parts = self.parts.lock().await;
        while parts.join_next().await.is_some() {}
        self.slots.idle().await;
    }

    pub(crate) fn is_running(&self) -> bool {
        *self.phase.borrow() == Phase::Running
    }

    /// Ready when the engine stops.
    pub(crate) async fn stopped(&self) {
        let _ = self
            .phase
            .subscribe()
            .wait_for(|phase| *phase >= Phase::Stopping)
            .await;
    }

    /// Ready when what is in flight is to be given back.
    pub(crate) async fn out_of_time(&self) {
        let _ = self
            .phase
            .subscribe()
            .wait_for(|phase| *phase == Phase::Over)
            .await;
    }

    /// The end of a lease that begins now: longer than the webhook's timeout.
    pub(crate) fn lease_until(&self, route: &Route, now: DateTime<Utc>) -> DateTime<Utc> {
        now + route.webhook.timeout.as_duration() + self.limits.lease_margin
    }
}

/// Short: webhooks and messages are nothing for a log.
impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("phase", &*self.inner.phase.borrow())
            .field("routes", &self.inner.routes.last().version)
            .field("slots", &self.inner.slots)
            .finish_non_exhaustive()
    }
}

pub(crate) fn corrected(clock: &dyn Clock, offset: &AtomicI64) -> DateTime<Utc> {
    clock.now() + TimeDelta::microseconds(offset.load(Ordering::Relaxed))
}
