//! Creates all parts, bottom up, and starts them: the only file that names them all.

use std::sync::{Arc, Mutex};

use delivery::Sender;
use gatepost_ids::Accounts;
use gatepost_storage::webhooks::WebhookStore;
use rand::Rng as _;

use super::options::EngineBuilder;
use crate::access::{AccessParts, Authorizer, Rule};
use crate::activity::Activities;
use crate::admission::Admission;
use crate::attempt::{RetryPlan, Watch, Worker};
use crate::clock::{ClockSteps, EngineClock};
use crate::core::Core;
use crate::dispatcher::Dispatcher;
use crate::emit::Emitter;
use crate::engine::Engine;
use crate::error::StartError;
use crate::lease::longest_lease;
use crate::lifecycle::Lifecycle;
use crate::maintenance::Maintenance;
use crate::observer::Observers;
use crate::operational::{Announcer, with_own_types};
use crate::random::Random;
use crate::render::Renderer;
use crate::routes::WebhookCache;
use crate::settle::{SettlementWriter, Settler};
use crate::trace::Traces;
use crate::troubles::Troubles;

impl Engine {
    /// Creates a builder with the two required parts: the store and the sender.
    #[must_use]
    pub fn builder(store: Arc<dyn WebhookStore>, sender: Sender) -> EngineBuilder {
        EngineBuilder::new(store, sender)
    }
}

impl EngineBuilder {
    /// Compares the clocks and starts the engine. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// When not exactly one of [`one_system`](Self::one_system),
    /// [`addressed_only`](Self::addressed_only) and
    /// [`subscription_policy`](Self::subscription_policy) was called, when the store fails, when
    /// the database server's clock differs too much, or when the platform's catalog already has a
    /// type of operational events.
    pub async fn start(mut self) -> Result<Engine, StartError> {
        let (Some((rule, accounts)), true) = (self.rules.pop(), self.rules.is_empty()) else {
            return Err(StartError::NoAudience);
        };
        self.catalog = with_own_types(self.catalog, self.own)?;
        let observers = Observers::new(self.observer.clone());
        let core = self.core(rule, accounts, observers.clone()).await?;
        let activities = Activities {
            core: core.clone(),
            admission: Admission::new(&self.limits, &self.random),
            troubles: Arc::new(Troubles::new(self.own)),
        };
        let (settler, writer) = Settler::new(core.store.clone(), core.clock.clone());
        let watch = Watch::new(
            self.disable,
            observers,
            activities.clone(),
            Traces::new(self.tracer, self.trace_headers, self.random.clone()),
        );
        let worker = Arc::new(Worker {
            core: core.clone(),
            transport: self.transport,
            settler,
            retries: RetryPlan::new(self.schedule, self.random.clone(), core.clock.clone()),
            admission: activities.admission.clone(),
            watch,
        });
        let longest = longest_lease(self.limits.timing.lease_margin);
        let maintenance = Arc::new(Maintenance {
            core: core.clone(),
            steps: Mutex::new(ClockSteps::watch(core.clock.clone(), longest)?),
            retention: self.retention,
            admission: activities.admission.clone(),
            led: Mutex::default(),
        });
        let webhooks = Arc::new(WebhookCache::new(core.store.clone()));
        let dispatcher = Arc::new(Dispatcher {
            core,
            webhooks: webhooks.clone(),
            admission: activities.admission,
            worker: worker.clone(),
            timing: self.limits.timing.clone(),
        });
        let renderer = Renderer::new(self.zone, self.variables, self.random);
        let emitter = Emitter::new(worker, webhooks, renderer, &self.limits);
        let engine = Engine::new(
            emitter,
            maintenance.clone(),
            self.limits.timing.poll,
            self.retry_schedules,
        );
        run(&engine, writer, &dispatcher, &maintenance);
        Ok(engine)
    }

    async fn core(
        &self,
        rule: Rule,
        accounts: Arc<dyn Accounts>,
        observers: Observers,
    ) -> Result<Arc<Core>, StartError> {
        let clock = EngineClock::start(self.clock.clone(), &*self.store).await?;
        let (clock, lifecycle) = (Arc::new(clock), Lifecycle::default());
        // Independent of the builder's seed: two processes must not hold one lease.
        let holder = u128::from(Random::from_system().with(|random| random.next_u64()));
        let access = Authorizer::new(
            rule,
            AccessParts {
                store: self.store.clone(),
                clock: clock.clone(),
                lifecycle: lifecycle.clone(),
                observers,
                accounts,
                quotas: self.quotas.clone(),
                default_audience: self.default_audience,
                own: self.own,
                catalog: self.catalog.clone(),
                holder,
            },
        );
        Ok(Arc::new(Core {
            store: self.store.clone(),
            clock,
            access: Arc::new(access),
            lifecycle,
            holder,
        }))
    }
}

/// Starts all loops. Each is supervised: it is restarted shortly after a panic.
fn run(
    Engine { core, parts }: &Engine,
    writer: SettlementWriter,
    dispatcher: &Arc<Dispatcher>,
    maintenance: &Arc<Maintenance>,
) {
    let (lifecycle, writer) = (&core.lifecycle, Arc::new(writer));
    core.access.run();
    lifecycle.supervise_unawaited("settle", move || writer.clone().run());
    lifecycle.supervise_shared("dispatch", dispatcher, Dispatcher::run);
    parts.outbox.start();
    lifecycle.supervise_shared("claims", maintenance, Maintenance::tend_claims);
    lifecycle.supervise_shared("leader", maintenance, Maintenance::lead);
    let (counts, stopping) = (parts.probes.settler.counts.clone(), lifecycle.clone());
    lifecycle.supervise("counts", move || counts.clone().run(stopping.clone()));
    if parts.activities.troubles.are_told() {
        lifecycle.supervise_shared("operational events", &parts.announcer, Announcer::run);
    }
}
