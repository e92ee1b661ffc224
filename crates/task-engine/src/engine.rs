//! The engine and what its parts share.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use delivery::{Schedule, Sender};
use storage::Clock;
use storage::webhooks::{Source, WebhookStore};
use tokio::sync::watch;
use webhook_model::{Catalog, Occurrence};

use crate::builder::EngineBuilder;
use crate::config::{DisablePolicy, Keep, Limits};
use crate::dispatch::{Lanes, Slots};
use crate::emit::{Emitted, What};
use crate::error::EmitError;
use crate::health::Tally;
use crate::ids::Random;
use crate::keep::{Failing, Runs};
use crate::observe::Observers;
use crate::routes::{Route, Routes};
use crate::settle::Settle;

/// Matches occurrences, queues deliveries durably, sends them. Cheap to clone.
///
/// Dropping it does not stop it: [`shutdown`](Self::shutdown) does.
#[derive(Debug, Clone)]
pub struct Engine {
    pub(crate) inner: Arc<Inner>,
}

/// How far the engine has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    Running,
    /// Nothing new is claimed; what is in flight may end.
    Stopping,
    /// What is in flight is given back.
    Over,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub store: Arc<dyn WebhookStore>,
    pub sender: Sender,
    pub clock: Arc<dyn Clock>,
    /// What this machine's clock is behind the database server's, in microseconds.
    pub offset: Arc<AtomicI64>,
    pub catalog: Catalog,
    pub zone: Tz,
    pub random: Random,
    pub limits: Limits,
    pub keep: Keep,
    pub schedule: Schedule,
    pub disable: DisablePolicy,
    pub observers: Observers,
    pub routes: Routes,
    pub lanes: Lanes,
    pub slots: Arc<Slots>,
    pub settle: Settle,
    pub runs: Runs,
    pub failing: Failing,
    pub tally: Tally,
    pub phase: watch::Sender<Phase>,
}

impl Engine {
    /// Starts with the two parts that cannot be left out: where everything is kept, and what sends.
    #[must_use]
    pub fn builder(store: Arc<dyn WebhookStore>, sender: Sender) -> EngineBuilder {
        EngineBuilder::new(store, sender)
    }

    /// Something happened: runs the tasks of all enabled events that match (SPEC 6 rule 1).
    ///
    /// Returns once the deliveries are stored; they are sent in the background. A task that several events reach
    /// runs once; a one-time task runs once however many occurrences reach it, and is deleted with that. With an
    /// id of its own an occurrence is stored once, however often it is emitted.
    ///
    /// # Errors
    /// [`EmitError`]; nothing was stored. After a transient error the same occurrence may be emitted again; only
    /// one with an id of its own is then certain not to run twice.
    pub async fn emit(&self, occurrence: Occurrence) -> Result<Emitted, EmitError> {
        let source = occurrence
            .id
            .clone()
            .map_or(Source::Direct, Source::Occurrence);
        self.inner.emit(&occurrence, What::Matching, source).await
    }

    /// Stores an occurrence to be matched a moment later: cheaper than [`emit`](Self::emit), and never refused for
    /// what it matches.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn emit_later(&self, occurrence: &Occurrence) -> Result<(), EmitError> {
        self.inner
            .store
            .push_outbox(occurrence, self.inner.now())
            .await?;
        self.inner.lanes.look_now();
        Ok(())
    }

    /// The types and events that can be chosen.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        &self.inner.catalog
    }

    /// Stops claiming, lets requests in flight end for as long as `grace`, gives back the rest, and writes what
    /// was not written yet. What was given back is sent by another process, or by this one when it starts again.
    pub async fn shutdown(&self, grace: Duration) {
        let inner = &self.inner;
        inner.phase.send_replace(Phase::Stopping);
        if tokio::time::timeout(grace, inner.slots.idle())
            .await
            .is_err()
        {
            inner.phase.send_replace(Phase::Over);
            // Giving back is one settlement; a store that hangs must not hold up the host's end.
            let _ = tokio::time::timeout(Duration::from_secs(5), inner.slots.idle()).await;
        }
        inner.phase.send_replace(Phase::Over);
        inner.flush_runs().await;
    }
}

impl Inner {
    /// The present moment, by the database server's clock where it has one.
    pub(crate) fn now(&self) -> DateTime<Utc> {
        corrected(self.clock.as_ref(), &self.offset)
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

pub(crate) fn corrected(clock: &dyn Clock, offset: &AtomicI64) -> DateTime<Utc> {
    clock.now() + TimeDelta::microseconds(offset.load(Ordering::Relaxed))
}
