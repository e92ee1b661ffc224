//! How an engine is set up.

use std::sync::{Arc, Mutex};

use chrono_tz::Tz;
use delivery::{Schedule, Sender};
use gatepost_storage::webhooks::WebhookStore;
use gatepost_storage::{Clock, SystemClock};
use webhook_model::Catalog;

use crate::admission::Admission;
use crate::attempt::{RetryPlan, Watch, Worker};
use crate::clock::{ClockSteps, EngineClock};
use crate::config::{DisablePolicy, Limits, Retention};
use crate::dispatcher::Dispatcher;
use crate::emit::{Emitter, OutboxDrain};
use crate::engine::{Engine, Shared};
use crate::error::StartError;
use crate::health::{ErrorRate, Probes};
use crate::last_runs::LastRuns;
use crate::lease::longest_lease;
use crate::lifecycle::Lifecycle;
use crate::maintenance::Maintenance;
use crate::observe::{Nobody, Observer, Observers};
use crate::random::Random;
use crate::records::Records;
use crate::records::deliveries::Deliveries;
use crate::records::events::Events;
use crate::records::tasks::Tasks;
use crate::records::webhooks::Webhooks;
use crate::render::Renderer;
use crate::routes::Routes;
use crate::settle::{SettlementWriter, Settler};
use crate::transport::Transport;

/// The outbox is looked at more often than the queue, as a fraction of the time between two polls.
const OUTBOX_POLLS: u32 = 4;

/// Sets up an [`Engine`].
#[derive(Debug)]
pub struct EngineBuilder {
    store: Arc<dyn WebhookStore>,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    catalog: Catalog,
    zone: Tz,
    variables: Vec<(String, String)>,
    random: Random,
    limits: Limits,
    retention: Retention,
    schedule: Schedule,
    disable: DisablePolicy,
    observer: Arc<dyn Observer>,
}

impl Engine {
    /// Starts with the two parts that cannot be left out: where everything is kept, and what sends.
    #[must_use]
    pub fn builder(store: Arc<dyn WebhookStore>, sender: Sender) -> EngineBuilder {
        EngineBuilder::new(store, sender)
    }
}

impl EngineBuilder {
    fn new(store: Arc<dyn WebhookStore>, sender: Sender) -> Self {
        Self {
            store,
            transport: Arc::new(sender),
            clock: Arc::new(SystemClock),
            catalog: Catalog::default(),
            zone: Tz::UTC,
            variables: Vec::new(),
            random: Random::from_system(),
            limits: Limits::default(),
            retention: Retention::default(),
            schedule: Schedule::default(),
            disable: DisablePolicy::default(),
            observer: Arc::new(Nobody),
        }
    }

    /// A clock other than the machine's.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// The types and events that the platform offers; none by default.
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
    /// variable of that name takes precedence.
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

    /// How much the engine does at once.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How long things are kept.
    #[must_use]
    pub fn retention(mut self, retention: Retention) -> Self {
        self.retention = retention;
        self
    }

    /// The delays between attempts.
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

    /// Who receives notices; nobody by default.
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
        let clock = EngineClock::start(self.clock.clone(), &*self.store).await?;
        let routes = Routes::read(self.store.clone()).await.map_err(Arc::new)?;
        let parts = Parts::wire(self, Arc::new(clock), Arc::new(routes))?;
        parts.run();
        Ok(Engine(parts.shared))
    }
}

/// Everything that runs, and what a platform reaches.
struct Parts {
    dispatcher: Arc<Dispatcher>,
    maintenance: Arc<Maintenance>,
    writer: Arc<SettlementWriter>,
    shared: Arc<Shared>,
}

impl Parts {
    /// Bottom up.
    fn wire(
        config: EngineBuilder,
        clock: Arc<EngineClock>,
        routes: Arc<Routes>,
    ) -> Result<Self, StartError> {
        let EngineBuilder {
            store,
            transport,
            limits,
            ..
        } = config;
        let random = Arc::new(config.random);
        let renderer = Renderer::new(config.zone, config.variables, random.clone());
        let renderer = Arc::new(renderer);
        let lifecycle = Lifecycle::default();
        let last_runs = Arc::new(LastRuns::new(store.clone()));
        let admission = Arc::new(Admission::new(&limits));
        let (settler, writer) = Settler::new(store.clone(), clock.clone());
        let error_rate = Arc::new(ErrorRate::default());
        let webhooks = Webhooks {
            store: store.clone(),
            clock: clock.clone(),
            admission: admission.clone(),
        };
        let worker = Arc::new(Worker {
            transport: transport.clone(),
            settler: settler.clone(),
            routes: routes.clone(),
            retries: RetryPlan::new(config.schedule, random, clock.clone()),
            watch: Watch::new(
                error_rate.clone(),
                config.disable,
                Observers::new(config.observer),
                webhooks.clone(),
            ),
            admission: admission.clone(),
            clock: clock.clone(),
            lifecycle: lifecycle.clone(),
        });
        let emitter = Arc::new(Emitter {
            store: store.clone(),
            routes: routes.clone(),
            renderer: renderer.clone(),
            admission: admission.clone(),
            worker: worker.clone(),
            last_runs: last_runs.clone(),
            clock: clock.clone(),
            limits: limits.clone(),
        });
        let outbox = OutboxDrain::new(
            store.clone(),
            emitter.clone(),
            clock.clone(),
            lifecycle.clone(),
            limits.timing.poll / OUTBOX_POLLS,
        );
        let dispatcher = Arc::new(Dispatcher {
            store: store.clone(),
            routes,
            admission: admission.clone(),
            worker,
            clock: clock.clone(),
            lifecycle: lifecycle.clone(),
            timing: limits.timing.clone(),
        });
        let steps = ClockSteps::watch(clock.clone(), longest_lease(limits.timing.lease_margin))?;
        let maintenance = Arc::new(Maintenance {
            store: store.clone(),
            clock: clock.clone(),
            steps: Mutex::new(steps),
            retention: config.retention,
            admission: admission.clone(),
            last_runs: last_runs.clone(),
            lifecycle: lifecycle.clone(),
        });
        let records = Records {
            webhooks,
            tasks: Tasks {
                store: store.clone(),
                clock: clock.clone(),
                last_runs,
                emitter: emitter.clone(),
            },
            events: Events {
                store: store.clone(),
                clock: clock.clone(),
                catalog: config.catalog,
                emitter: emitter.clone(),
            },
            deliveries: Deliveries {
                store: store.clone(),
                clock: clock.clone(),
                renderer,
                admission: admission.clone(),
                transport,
            },
        };
        let probes = Probes {
            store,
            clock,
            admission,
            settler,
            error_rate,
        };
        Ok(Self {
            dispatcher,
            maintenance,
            writer: Arc::new(writer),
            shared: Arc::new(Shared {
                emitter,
                outbox: Arc::new(outbox),
                records,
                lifecycle,
                probes,
            }),
        })
    }

    fn run(&self) {
        let lifecycle = &self.shared.lifecycle;
        let writer = self.writer.clone();
        lifecycle.supervise_unawaited("settle", move || writer.clone().run());
        let dispatcher = self.dispatcher.clone();
        lifecycle.supervise("dispatch", move || dispatcher.clone().run());
        let outbox = self.shared.outbox.clone();
        lifecycle.supervise("outbox", move || outbox.clone().run());
        let maintenance = self.maintenance.clone();
        lifecycle.supervise("claims", move || maintenance.clone().tend_claims());
        let maintenance = self.maintenance.clone();
        lifecycle.supervise("log", move || maintenance.clone().tend_log());
    }
}
