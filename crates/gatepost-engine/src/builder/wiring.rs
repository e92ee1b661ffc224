//! Makes the parts, bottom up, and starts them: the only file that names them all.

use std::sync::{Arc, Mutex};

use delivery::Sender;
use gatepost_storage::webhooks::WebhookStore;
use rand::Rng as _;

use super::options::EngineBuilder;
use crate::activity::Activities;
use crate::admission::Admission;
use crate::attempt::{RetryPlan, Watch, Worker};
use crate::clock::{ClockSteps, EngineClock};
use crate::config::{Limits, Retention, RetryScheduleLimits};
use crate::core::Core;
use crate::dispatcher::Dispatcher;
use crate::emit::{Emitter, Finder, Launcher, OutboxDrain};
use crate::engine::{Engine, Shared};
use crate::error::StartError;
use crate::health::Probes;
use crate::judge::{self, Judge};
use crate::lease::longest_lease;
use crate::lifecycle::Lifecycle;
use crate::maintenance::{Figures, Maintenance};
use crate::observe::Observers;
use crate::operational::{Announcer, with_own_types};
use crate::random::Random;
use crate::records::Records;
use crate::records::allowance::Allowance;
use crate::records::at_once::{AtOnce, TESTS};
use crate::records::by_hand::ByHand;
use crate::records::deliveries::Deliveries;
use crate::records::events::Events;
use crate::records::owners::Owners;
use crate::records::replays::Replays;
use crate::records::targets::Targets;
use crate::records::tasks::Tasks;
use crate::records::webhooks::Webhooks;
use crate::render::Renderer;
use crate::routes::{Contexts, Messages, Tables, WebhookCache};
use crate::settle::{HourlyCounts, SettlementWriter, Settler};
use crate::trace::Traces;
use crate::transport::Transport;
use crate::troubles::Troubles;

/// Messages may take this share of the memory that there is for what occurrences are matched
/// against, beside that.
const MESSAGES: usize = 4;

impl Engine {
    /// Starts with the two parts that cannot be left out: where everything is kept, and what sends.
    #[must_use]
    pub fn builder(store: Arc<dyn WebhookStore>, sender: Sender) -> EngineBuilder {
        EngineBuilder::new(store, sender)
    }
}

impl EngineBuilder {
    /// Compares the clocks, and starts to work. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// When not exactly one of [`one_system`](Self::one_system),
    /// [`addressed_only`](Self::addressed_only) and [`watch`](Self::watch) was called, when the
    /// store fails, when the database server's clock differs too much, or when the catalog has a
    /// type of operational events itself.
    pub async fn start(mut self) -> Result<Engine, StartError> {
        let (Some((rule, accounts)), true) = (self.rules.pop(), self.rules.is_empty()) else {
            return Err(StartError::NoAudience);
        };
        self.catalog = with_own_types(self.catalog, self.own)?;
        let clock = EngineClock::start(self.clock.clone(), &*self.store).await?;
        let (clock, lifecycle) = (Arc::new(clock), Lifecycle::default());
        let observers = Observers::new(self.observer.clone());
        // Never by the builder's seed: two processes must not hold one lease.
        let holder = u128::from(Random::from_system().with(|random| random.next_u64()));
        let judge = Judge::new(
            rule,
            judge::Ground {
                store: self.store.clone(),
                clock: clock.clone(),
                lifecycle: lifecycle.clone(),
                observers: observers.clone(),
                accounts,
                quotas: self.quotas.clone(),
                default_audience: self.default_audience,
                own: self.own,
                catalog: self.catalog.clone(),
                holder,
            },
        );
        let core = Core {
            store: self.store.clone(),
            clock,
            access: Arc::new(judge),
            lifecycle,
            holder,
        };
        let ground = Ground {
            core: Arc::new(core),
            observers,
            webhooks: Arc::new(WebhookCache::new(self.store.clone())),
            admission: Arc::new(Admission::new(&self.limits)),
            troubles: Arc::new(Troubles::new(self.own)),
            limits: self.limits.clone(),
            retry_schedules: self.retry_schedules.clone(),
        };
        ground.build(self)
    }
}

/// What most of the parts stand on.
struct Ground {
    core: Arc<Core>,
    observers: Observers,
    webhooks: Arc<WebhookCache>,
    admission: Arc<Admission>,
    troubles: Arc<Troubles>,
    limits: Limits,
    retry_schedules: RetryScheduleLimits,
}

impl Ground {
    fn build(self, options: EngineBuilder) -> Result<Engine, StartError> {
        let random = Arc::new(options.random);
        let renderer = Renderer::new(options.zone, options.variables, random.clone());
        let renderer = Arc::new(renderer);
        let (settler, writer) = Settler::new(self.core.store.clone(), self.core.clock.clone());
        let error_rate = Arc::default();
        let watch = Watch::new(
            Arc::clone(&error_rate),
            options.disable,
            self.observers.clone(),
            self.activities(),
            self.troubles.clone(),
            Traces::new(options.tracer, options.trace_headers, random.clone()),
        );
        let worker = Arc::new(Worker {
            core: self.core.clone(),
            transport: options.transport.clone(),
            settler: settler.clone(),
            retries: RetryPlan::new(options.schedule, random, self.core.clock.clone()),
            watch,
            admission: self.admission.clone(),
        });
        let dispatcher = self.dispatcher(worker.clone());
        let emitter = self.emitter(worker, renderer);
        let outbox = self.outbox(emitter.clone());
        let announcer = self.announcer(emitter.clone());
        let maintenance = self.maintenance(options.retention)?;
        let figures = self.figures();
        let counts = settler.counts.clone();
        let probes = Probes {
            core: self.core.clone(),
            figures: figures.clone(),
            admission: self.admission.clone(),
            settler,
            error_rate,
        };
        let by_hand = ByHand {
            emitter: emitter.clone(),
            judge: self.core.access.clone(),
        };
        let targets = Targets::new(options.transport.clone(), self.core.access.clone());
        let records = Records {
            activities: self.activities(),
            webhooks: self.webhooks(targets.clone()),
            tasks: self.tasks(by_hand.clone()),
            events: Events {
                store: self.core.store.clone(),
                clock: self.core.clock.clone(),
                catalog: options.catalog,
                allowance: self.allowance(),
                by_hand,
            },
            targets,
            deliveries: self.deliveries(emitter.clone(), options.transport),
            replays: self.replays(),
            owners: self.owners(),
        };
        self.run(writer, dispatcher, &outbox, maintenance);
        self.count(figures, counts);
        self.announce(&announcer);
        Ok(Engine(Arc::new(Shared {
            emitter,
            outbox,
            announcer,
            records,
            lifecycle: self.core.lifecycle.clone(),
            probes,
        })))
    }

    fn activities(&self) -> Activities {
        Activities {
            core: self.core.clone(),
            admission: self.admission.clone(),
            troubles: self.troubles.clone(),
        }
    }

    fn allowance(&self) -> Allowance {
        Allowance {
            store: self.core.store.clone(),
            judge: self.core.access.clone(),
        }
    }

    fn webhooks(&self, targets: Targets) -> Webhooks {
        Webhooks {
            store: self.core.store.clone(),
            clock: self.core.clock.clone(),
            admission: self.admission.clone(),
            allowance: self.allowance(),
            troubles: self.troubles.clone(),
            targets,
            schedules: self.retry_schedules.clone(),
        }
    }

    fn tasks(&self, by_hand: ByHand) -> Tasks {
        Tasks {
            store: self.core.store.clone(),
            clock: self.core.clock.clone(),
            allowance: self.allowance(),
            by_hand,
        }
    }

    fn deliveries(&self, emitter: Arc<Emitter>, transport: Arc<dyn Transport>) -> Deliveries {
        Deliveries {
            store: self.core.store.clone(),
            clock: self.core.clock.clone(),
            renderer: emitter.renderer.clone(),
            counts: emitter.launcher.worker.settler.counts.clone(),
            emitter,
            transport,
            judge: self.core.access.clone(),
            at_once: AtOnce::new(TESTS),
        }
    }

    fn replays(&self) -> Replays {
        Replays {
            store: self.core.store.clone(),
            clock: self.core.clock.clone(),
            admission: self.admission.clone(),
            judge: self.core.access.clone(),
        }
    }

    fn owners(&self) -> Owners {
        Owners {
            store: self.core.store.clone(),
            clock: self.core.clock.clone(),
            judge: self.core.access.clone(),
        }
    }

    fn dispatcher(&self, worker: Arc<Worker>) -> Arc<Dispatcher> {
        Arc::new(Dispatcher {
            core: self.core.clone(),
            webhooks: self.webhooks.clone(),
            admission: self.admission.clone(),
            worker,
            timing: self.limits.timing.clone(),
        })
    }

    fn emitter(&self, worker: Arc<Worker>, renderer: Arc<Renderer>) -> Arc<Emitter> {
        Arc::new(Emitter {
            core: self.core.clone(),
            finder: self.finder(),
            renderer,
            launcher: Launcher {
                webhooks: self.webhooks.clone(),
                admission: self.admission.clone(),
                worker,
                lease_margin: self.limits.timing.lease_margin,
            },
            limits: self.limits.emit.clone(),
            wake: Arc::default(),
        })
    }

    fn finder(&self) -> Finder {
        let (store, memory) = (&self.core.store, self.limits.routes_memory);
        Finder {
            core: self.core.clone(),
            tables: Arc::new(Tables::new(store.clone(), memory)),
            messages: Arc::new(Messages::new(store.clone(), memory / MESSAGES)),
            contexts: Contexts::new(store.clone()),
        }
    }

    fn outbox(&self, emitter: Arc<Emitter>) -> Arc<OutboxDrain> {
        Arc::new(OutboxDrain::new(emitter, self.limits.timing.poll))
    }

    fn announcer(&self, emitter: Arc<Emitter>) -> Arc<Announcer> {
        Arc::new(Announcer {
            core: self.core.clone(),
            emitter,
            troubles: self.troubles.clone(),
        })
    }

    fn announce(&self, announcer: &Arc<Announcer>) {
        if self.troubles.are_told() {
            let announcer = announcer.clone();
            let run = move || announcer.clone().run();
            self.core.lifecycle.supervise("operational events", run);
        }
    }

    fn maintenance(&self, retention: Retention) -> Result<Arc<Maintenance>, StartError> {
        let longest = longest_lease(self.limits.timing.lease_margin);
        Ok(Arc::new(Maintenance {
            core: self.core.clone(),
            steps: Mutex::new(ClockSteps::watch(self.core.clock.clone(), longest)?),
            retention,
            admission: self.admission.clone(),
        }))
    }

    fn figures(&self) -> Arc<Figures> {
        Arc::new(Figures {
            core: self.core.clone(),
            room: Mutex::default(),
        })
    }

    fn count(&self, figures: Arc<Figures>, counts: Arc<HourlyCounts>) {
        let (prepared, lifecycle) = (figures.clone(), &self.core.lifecycle);
        let stopping = lifecycle.clone();
        lifecycle.supervise("room", move || prepared.clone().prepare());
        lifecycle.supervise("figures", move || figures.clone().count());
        lifecycle.supervise("counts", move || counts.clone().run(stopping.clone()));
    }

    /// Every part that loops is supervised: a panic costs it a moment.
    fn run(
        &self,
        writer: SettlementWriter,
        dispatcher: Arc<Dispatcher>,
        outbox: &Arc<OutboxDrain>,
        maintenance: Arc<Maintenance>,
    ) {
        let (writer, log, gone) = (Arc::new(writer), maintenance.clone(), maintenance.clone());
        let lifecycle = &self.core.lifecycle;
        self.core.access.run();
        lifecycle.supervise_unawaited("settle", move || writer.clone().run());
        lifecycle.supervise("dispatch", move || dispatcher.clone().run());
        outbox.start();
        lifecycle.supervise("claims", move || maintenance.clone().tend_claims());
        lifecycle.supervise("log", move || log.clone().tend_log());
        lifecycle.supervise("gone", move || gone.clone().remove_gone());
    }
}
