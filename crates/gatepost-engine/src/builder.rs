//! How an engine is set up.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use chrono_tz::Tz;
use delivery::{Schedule, Sender};
use gatepost_storage::webhooks::WebhookStore;
use gatepost_storage::{Clock, SystemClock};
use tokio::sync::{Mutex, Notify, watch};
use webhook_model::Catalog;

use crate::config::{DisablePolicy, Limits, Retention};
use crate::dispatch::{Lanes, Pace, Slots};
use crate::engine::{Engine, Inner, Phase, corrected};
use crate::error::StartError;
use crate::health::Tally;
use crate::ids::Random;
use crate::keep::{self, Failing, Runs};
use crate::observe::{Nobody, Observer, Observers};
use crate::routes::Routes;
use crate::settle::Settle;

/// Sets up an [`Engine`].
#[derive(Debug)]
pub struct EngineBuilder {
    store: Arc<dyn WebhookStore>,
    sender: Sender,
    clock: Arc<dyn Clock>,
    catalog: Catalog,
    zone: Tz,
    variables: Vec<(String, String)>,
    random: Random,
    limits: Limits,
    keep: Retention,
    schedule: Schedule,
    disable: DisablePolicy,
    observer: Arc<dyn Observer>,
}

impl EngineBuilder {
    pub(crate) fn new(store: Arc<dyn WebhookStore>, sender: Sender) -> Self {
        Self {
            store,
            sender,
            clock: Arc::new(SystemClock),
            catalog: Catalog::default(),
            zone: Tz::UTC,
            variables: Vec::new(),
            random: Random::from_system(),
            limits: Limits::default(),
            keep: Retention::default(),
            schedule: Schedule::default(),
            disable: DisablePolicy::default(),
            observer: Arc::new(Nobody),
        }
    }

    /// Another clock than the machine's.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// The types and events that the host offers; none by default.
    #[must_use]
    pub fn catalog(mut self, catalog: Catalog) -> Self {
        self.catalog = catalog;
        self
    }

    /// The zone of `${DATE}`; UTC by default.
    #[must_use]
    pub fn zone(mut self, zone: Tz) -> Self {
        self.zone = zone;
        self
    }

    /// A variable that every message may use, such as the name of the site. An occurrence's own
    /// variable of that name goes before it.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Always the same random numbers; for tests.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.random = Random::seeded(seed);
        self
    }

    /// How much is done at once.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How long things are kept.
    #[must_use]
    pub fn retention(mut self, retention: Retention) -> Self {
        self.keep = retention;
        self
    }

    /// The waits between attempts.
    #[must_use]
    pub fn schedule(mut self, schedule: Schedule) -> Self {
        self.schedule = schedule;
        self
    }

    /// When the engine disables a webhook by itself; never by default.
    #[must_use]
    pub fn disable(mut self, policy: DisablePolicy) -> Self {
        self.disable = policy;
        self
    }

    /// Who hears of notices.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    /// Reads the routes, compares the clocks, and starts to work. Must be called within a tokio
    /// runtime.
    ///
    /// # Errors
    /// When the store fails, or the database server's clock differs too much.
    pub async fn start(self) -> Result<Engine, StartError> {
        let offset = keep::clock_offset(self.store.as_ref(), self.clock.as_ref()).await?;
        let offset = Arc::new(AtomicI64::new(offset));
        let routes = Routes::read(self.store.as_ref()).await.map_err(Arc::new)?;
        let settle = {
            let (clock, offset) = (self.clock.clone(), offset.clone());
            Settle::start(self.store.clone(), move || {
                corrected(clock.as_ref(), &offset)
            })
        };
        let inner = Arc::new(Inner {
            routes,
            settle,
            offset,
            slots: Slots::new(self.limits.clone()),
            pace: Pace::new(self.limits.retries_per_second),
            lanes: Lanes::new(),
            runs: Runs::default(),
            failing: Failing::default(),
            tally: Tally::default(),
            observers: Observers::new(self.observer),
            phase: watch::Sender::new(Phase::Running),
            outbox: Notify::new(),
            parts: Mutex::default(),
            store: self.store,
            sender: self.sender,
            clock: self.clock,
            catalog: self.catalog,
            zone: self.zone,
            variables: self.variables,
            random: self.random,
            limits: self.limits,
            keep: self.keep,
            schedule: self.schedule,
            disable: self.disable,
        });
        inner.keep_going("dispatch", Inner::dispatch).await;
        inner.keep_going("outbox", Inner::drain).await;
        inner.keep_going("claims", Inner::tend).await;
        inner.keep_going("log", Inner::tidy).await;
        Ok(Engine { inner })
    }
}
