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
        let ground = Ground {
            judge: Arc::new(judge),
            observers,
            holder,
            clock,
            webhooks: Arc::new(WebhookCache::new(self.store.clone())),
            admission: Arc::new(Admission::new(&self.limits)),
            troubles: Arc::new(Troubles::new(self.own)),
            lifecycle,
            store: self.store.clone(),
            limits: self.limits.clone(),
            retry_schedules: self.retry_schedules.clone(),
        };
        ground.build(self)
    }
}

/// What most of the parts stand on.
struct Ground {
    store: Arc<dyn WebhookStore>,
    judge: Arc<Judge>,
    observers: Observers,
    holder: u128,
    clock: Arc<EngineClock>,
    webhooks: Arc<WebhookCache>,
    admission: Arc<Admission>,
    troubles: Arc<Troubles>,
    lifecycle: Lifecycle,
    limits: Limits,
    retry_schedules: RetryScheduleLimits,
}

impl Ground {
    fn build(self, options: EngineBuilder) -> Result<Engine, StartError> {
        let random = Arc::new(options.random);
        let renderer = Renderer::new(options.zone, options.variables, random.clone());
        let renderer = Arc::new(renderer);
        let (settler, writer) = Settler::new(self.store.clone(), self.clock.clone());
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
            transport: options.transport.clone(),
            settler: settler.clone(),
            judge: self.judge.clone(),
            retries: RetryPlan::new(options.schedule, random, self.clock.clone()),
            watch,
            admission: self.admission.clone(),
            clock: self.clock.clone(),
            lifecycle: self.lifecycle.clone(),
        });
        let dispatcher = self.dispatcher(worker.clone());
        let emitter = self.emitter(worker, renderer);
        let outbox = self.outbox(emitter.clone());
        let announcer = self.announcer(emitter.clone());
        let maintenance = self.maintenance(options.retention)?;
        let figures = self.figures();
        let counts = settler.counts.clone();
        let probes = Probes {
            figures: figures.clone(),
            store: self.store.clone(),
            judge: self.judge.clone(),
            clock: self.clock.clone(),
            admission: self.admission.clone(),
            settler,
            error_rate,
            lifecycle: self.lifecycle.clone(),
        };
        let by_hand = ByHand {
            emitter: emitter.clone(),
            judge: self.judge.clone(),
        };
        let targets = Targets::new(options.transport.clone(), self.judge.clone());
        let records = Records {
            activities: self.activities(),
            webhooks: self.webhooks(targets.clone()),
            tasks: self.tasks(by_hand.clone()),
            events: Events {
                store: self.store.clone(),
                clock: self.clock.clone(),
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
            lifecycle: self.lifecycle,
            probes,
        })))
    }

    fn activities(&self) -> Activities {
        Activities {
            store: self.store.clone(),
            clock: self.clock.clone(),
            admission: self.admission.clone(),
            troubles: self.troubles.clone(),
            judge: self.judge.clone(),
        }
    }

    fn allowance(&self) -> Allowance {
        Allowance {
            store: self.store.clone(),
            judge: self.judge.clone(),
        }
    }

    fn webhooks(&self, targets: Targets) -> Webhooks {
        Webhooks {
            store: self.store.clone(),
            clock: self.clock.clone(),
            admission: self.admission.clone(),
            allowance: self.allowance(),
            troubles: self.troubles.clone(),
            targets,
            schedules: self.retry_schedules.clone(),
        }
    }

    fn tasks(&self, by_hand: ByHand) -> Tasks {
        Tasks {
            store: self.store.clone(),
            clock: self.clock.clone(),
            allowance: self.allowance(),
            by_hand,
        }
    }

    fn deliveries(&self, emitter: Arc<Emitter>, transport: Arc<dyn Transport>) -> Deliveries {
        Deliveries {
            store: self.store.clone(),
            clock: self.clock.clone(),
            renderer: emitter.renderer.clone(),
            counts: emitter.launcher.worker.settler.counts.clone(),
            emitter,
            transport,
            judge: self.judge.clone(),
            at_once: AtOnce::new(TESTS),
        }
    }

    fn replays(&self) -> Replays {
        Replays {
            store: self.store.clone(),
            clock: self.clock.clone(),
            admission: self.admission.clone(),
            judge: self.judge.clone(),
        }
    }

    fn owners(&self) -> Owners {
        Owners {
            store: self.store.clone(),
            clock: self.clock.clone(),
            judge: self.judge.clone(),
        }
    }

    fn dispatcher(&self, worker: Arc<Worker>) -> Arc<Dispatcher> {
        Arc::new(Dispatcher {
            store: self.store.clone(),
            webhooks: self.webhooks.clone(),
            admission: self.admission.clone(),
            worker,
            judge: self.judge.clone(),
            clock: self.clock.clone(),
            timing: self.limits.timing.clone(),
            holder: self.holder,
        })
    }

    fn emitter(&self, worker: Arc<Worker>, renderer: Arc<Renderer>) -> Arc<Emitter> {
        Arc::new(Emitter {
            store: self.store.clone(),
            finder: self.finder(),
            judge: self.judge.clone(),
            renderer,
            launcher: Launcher {
                webhooks: self.webhooks.clone(),
                admission: self.admission.clone(),
                worker,
                lease_margin: self.limits.timing.lease_margin,
            },
            clock: self.clock.clone(),
            limits: self.limits.emit.clone(),
            wake: Arc::default(),
        })
    }

    fn finder(&self) -> Finder {
        let (store, memory) = (&self.store, self.limits.routes_memory);
        Finder {
            store: store.clone(),
            tables: Arc::new(Tables::new(store.clone(), memory)),
            messages: Arc::new(Messages::new(store.clone(), memory / MESSAGES)),
            contexts: Contexts::new(store.clone()),
            judge: self.judge.clone(),
        }
    }

    fn outbox(&self, emitter: Arc<Emitter>) -> Arc<OutboxDrain> {
        Arc::new(OutboxDrain::new(
            self.store.clone(),
            emitter,
            self.clock.clone(),
            self.lifecycle.clone(),
            self.limits.timing.poll,
            self.holder,
        ))
    }

    fn announcer(&self, emitter: Arc<Emitter>) -> Arc<Announcer> {
        Arc::new(Announcer {
            store: self.store.clone(),
            emitter,
            troubles: self.troubles.clone(),
            clock: self.clock.clone(),
            lifecycle: self.lifecycle.clone(),
        })
    }

    fn announce(&self, announcer: &Arc<Announcer>) {
        if self.troubles.are_told() {
            let announcer = announcer.clone();
            let run = move || announcer.clone().run();
            self.lifecycle.supervise("operational events", run);
        }
    }

    fn maintenance(&self, retention: Retention) -> Result<Arc<Maintenance>, StartError> {
        let longest = longest_lease(self.limits.timing.lease_margin);
        Ok(Arc::new(Maintenance {
            store: self.store.clone(),
            clock: self.clock.clone(),
            steps: Mutex::new(ClockSteps::watch(self.clock.clone(), longest)?),
            retention,
            admission: self.admission.clone(),
            lifecycle: self.lifecycle.clone(),
            holder: self.holder,
        }))
    }

    fn figures(&self) -> Arc<Figures> {
        Arc::new(Figures {
            store: self.store.clone(),
            clock: self.clock.clone(),
            lifecycle: self.lifecycle.clone(),
            holder: self.holder,
            room: Mutex::default(),
        })
    }

    fn count(&self, figures: Arc<Figures>, counts: Arc<HourlyCounts>) {
        let (prepared, lifecycle) = (figures.clone(), &self.lifecycle);
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
        let lifecycle = &self.lifecycle;
        self.judge.run();
        lifecycle.supervise_unawaited("settle", move || writer.clone().run());
        lifecycle.supervise("dispatch", move || dispatcher.clone().run());
        outbox.start();
        lifecycle.supervise("claims", move || maintenance.clone().tend_claims());
        lifecycle.supervise("log", move || log.clone().tend_log());
        lifecycle.supervise("gone", move || gone.clone().remove_gone());
    }
}
