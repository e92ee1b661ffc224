//! The parts of an engine for tests.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use delivery::Schedule;
use gatepost_kv::MemoryStore;
use gatepost_storage::ManualClock;
use gatepost_storage::webhooks::WebhookStore;
use gatepost_testkit::fault::FaultStore;

use super::clock::BrokenClock;
use super::records::Records;
use super::script::Script;
use super::values::noon;
use crate::access::testing::{Platform, authorizer, one_system};
use crate::access::{Authorizer, Rule};
use crate::activity::Activities;
use crate::admission::Admission;
use crate::attempt::{RetryPlan, Watch, Worker};
use crate::clock::{ClockSteps, EngineClock};
use crate::config::{DisablePolicy, Limits, Retention, RetryScheduleLimits};
use crate::core::Core;
use crate::emit::Emitter;
use crate::engine::Engine;
use crate::lease::longest_lease;
use crate::lifecycle::Lifecycle;
use crate::maintenance::Maintenance;
use crate::observer::{Nobody, Observers};
use crate::random::Random;
use crate::render::Renderer;
use crate::routes::WebhookCache;
use crate::settle::Settler;
use crate::trace::Traces;

/// The delay before each retry.
pub(crate) const RETRY_AFTER: Duration = Duration::from_secs(60);

/// Parts over the records only.
impl Records {
    pub(crate) async fn engine_clock(&self) -> Arc<EngineClock> {
        let clock = Arc::new(ManualClock::at(noon()));
        Arc::new(EngineClock::start(clock, &*self.store).await.unwrap())
    }

    pub(crate) async fn activities(&self) -> Activities {
        Activities {
            core: core(self.store.clone(), self.engine_clock().await),
            admission: Admission::new(&Limits::default(), &Random::seeded(7)),
            troubles: Arc::default(),
        }
    }
}

/// Creates the core of a platform that is one system and enables every user.
pub(crate) fn core(store: Arc<dyn WebhookStore>, clock: Arc<EngineClock>) -> Arc<Core> {
    Arc::new(Core {
        access: one_system(store.clone(), clock.clone()),
        store,
        clock,
        lifecycle: Lifecycle::default(),
        holder: 7,
    })
}

/// Creates the maintenance of a process that sends nothing.
pub(crate) fn maintenance(core: &Arc<Core>) -> Arc<Maintenance> {
    let longest = longest_lease(Limits::default().timing.lease_margin);
    let steps = ClockSteps::watch(core.clock.clone(), longest).unwrap();
    Arc::new(Maintenance {
        core: core.clone(),
        steps: Mutex::new(steps),
        retention: Retention::default(),
        admission: Admission::new(&Limits::default(), &Random::seeded(7)),
        led: Mutex::default(),
    })
}

/// A worker over a script, with its dependencies.
pub(crate) struct Bench {
    pub core: Arc<Core>,
    pub store: Arc<FaultStore<MemoryStore>>,
    pub broken: Arc<BrokenClock>,
    pub clock: Arc<EngineClock>,
    pub script: Arc<Script>,
    pub webhooks: Arc<WebhookCache>,
    pub platform: Arc<Platform>,
    pub authorizer: Arc<Authorizer>,
    pub admission: Arc<Admission>,
    pub lifecycle: Lifecycle,
    pub worker: Arc<Worker>,
}

impl Bench {
    /// Creates a bench of a platform that is one system and enables every user.
    pub(crate) async fn new(records: &Records, limits: &Limits, script: Script) -> Self {
        Self::of(records, limits, script, Rule::OneSystem, &Platform::new()).await
    }

    pub(crate) async fn of(
        records: &Records,
        limits: &Limits,
        script: Script,
        rule: Rule,
        platform: &Arc<Platform>,
    ) -> Self {
        let store = Arc::new(FaultStore::new(records.store.clone()));
        let broken = Arc::new(BrokenClock::at(noon()));
        let clock = EngineClock::start(broken.clone(), &*store).await.unwrap();
        let clock = Arc::new(clock);
        let script = Arc::new(script);
        let authorizer = authorizer(rule, platform, store.clone(), clock.clone());
        let admission = Admission::new(limits, &Random::seeded(7));
        let lifecycle = Lifecycle::default();
        let core = Arc::new(Core {
            store: store.clone(),
            clock: clock.clone(),
            access: authorizer.clone(),
            lifecycle: lifecycle.clone(),
            holder: 1,
        });
        let (settler, writer) = Settler::new(store.clone(), clock.clone());
        let writer = Arc::new(writer);
        lifecycle.supervise_unawaited("settle", move || writer.clone().run());
        let random = Arc::new(Random::seeded(7));
        let schedule = Schedule::new([RETRY_AFTER]).unwrap();
        let activities = Activities {
            core: core.clone(),
            admission: admission.clone(),
            troubles: Arc::default(),
        };
        let observers = Observers::new(Arc::new(Nobody));
        let worker = Arc::new(Worker {
            core: core.clone(),
            transport: script.clone(),
            settler,
            retries: RetryPlan::new(schedule, random, clock.clone()),
            watch: Watch::new(
                DisablePolicy::default(),
                observers,
                activities,
                Traces::default(),
            ),
            admission: admission.clone(),
        });
        Self {
            core,
            webhooks: Arc::new(WebhookCache::new(store.clone())),
            platform: platform.clone(),
            store,
            broken,
            clock,
            script,
            authorizer,
            admission,
            lifecycle,
            worker,
        }
    }

    /// Returns an engine without running loops.
    pub(crate) fn engine(&self) -> Engine {
        let emitter = self.emitter(&Limits::default());
        let schedules = RetryScheduleLimits::default();
        Engine::new(
            emitter,
            maintenance(&self.core),
            Duration::from_secs(1),
            schedules,
        )
    }

    pub(crate) fn emitter(&self, limits: &Limits) -> Arc<Emitter> {
        // Ids of messages differ, however many emitters there are.
        let random = Arc::new(Random::from_system());
        let renderer = Renderer::new(Arc::new(chrono::Utc), Vec::new(), random);
        let (worker, webhooks) = (self.worker.clone(), self.webhooks.clone());
        Emitter::new(worker, webhooks, renderer, limits)
    }
}
