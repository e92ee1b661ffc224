//! What the parts are tested with: records in memory, a clock that breaks on command, a network
//! that is a script.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use delivery::{Attempt, ErrorClass, Preview, Request, RequestError, Schedule};
use gatepost_storage::webhooks::{
    Claim, Delivery, DeliveryId, DeliveryLog as _, Enqueue, Enqueued, NewDelivery, Origin,
    QueueStore as _, RecordStore as _,
};
use gatepost_storage::{Clock, ManualClock, MemoryStore};
use gatepost_testkit::fault::FaultStore;
use tokio::sync::Semaphore;
use webhook_model::{
    Action, Activity, Description, Event, JsonObject, Object, ObjectId, Occurrence, OwnerId, TagId,
    Target, Task, TaskId, Webhook, WebhookId,
};

use crate::activity::Activities;
use crate::admission::Admission;
use crate::attempt::{RetryPlan, Watch, Worker};
use crate::clock::EngineClock;
use crate::config::{DisablePolicy, Limits};
use crate::emit::Emitter;
use crate::last_runs::LastRuns;
use crate::lifecycle::Lifecycle;
use crate::observe::{Nobody, Observers};
use crate::random::Random;
use crate::records::webhooks::Webhooks;
use crate::render::Renderer;
use crate::routes::{Route, Routes};
use crate::settle::Settler;
use crate::transport::Transport;

/// The delay before each retry.
pub(crate) const RETRY_AFTER: Duration = Duration::from_secs(60);

pub(crate) fn noon() -> DateTime<Utc> {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

pub(crate) fn poweron(id: i64, tags: &[i64]) -> Occurrence {
    Occurrence {
        object: Some(Object {
            id: ObjectId(id),
            name: format!("vm {id}"),
        }),
        tags: tags.iter().map(|tag| TagId(*tag)).collect(),
        ..Occurrence::new("vms".parse().unwrap(), "poweron".parse().unwrap())
    }
}

fn webhook(change: impl FnOnce(&mut Webhook)) -> Webhook {
    let url = "https://target.example.com/in".parse().unwrap();
    let mut webhook = Webhook::new(OwnerId(1), "w".parse().unwrap(), url);
    change(&mut webhook);
    webhook
}

pub(crate) fn route(change: impl FnOnce(&mut Webhook)) -> Route {
    Route::new(WebhookId(1), webhook(change))
}

/// An attempt that got this status.
pub(crate) fn responded(status: u16, now: DateTime<Utc>) -> Attempt {
    let mut attempt = Attempt::unsent(ErrorClass::Status(status), now);
    if (200..300).contains(&status) {
        attempt.outcome = Ok(status);
    }
    attempt.status = Some(status);
    attempt
}

/// A clock that panics while it is broken.
#[derive(Debug)]
pub(crate) struct BrokenClock {
    pub clock: ManualClock,
    broken: AtomicBool,
}

impl BrokenClock {
    pub(crate) fn at(now: DateTime<Utc>) -> Self {
        Self {
            clock: ManualClock::at(now),
            broken: AtomicBool::new(false),
        }
    }

    pub(crate) fn set_broken(&self, broken: bool) {
        self.broken.store(broken, Ordering::SeqCst);
    }

    fn check(&self) {
        assert!(!self.broken.load(Ordering::SeqCst), "the clock is broken");
    }
}

impl Clock for BrokenClock {
    fn now(&self) -> DateTime<Utc> {
        self.check();
        self.clock.now()
    }

    fn passed(&self) -> Option<Duration> {
        self.check();
        self.clock.passed()
    }
}

/// Responds to each request with the next status, then with 200; remembers the bodies.
#[derive(Debug)]
pub(crate) struct Script {
    statuses: Mutex<VecDeque<u16>>,
    pub bodies: Mutex<Vec<String>>,
    /// Responds only as often as this allows.
    pub gate: Semaphore,
}

impl Script {
    pub(crate) fn new(statuses: &[u16]) -> Self {
        Self {
            statuses: Mutex::new(statuses.iter().copied().collect()),
            bodies: Mutex::default(),
            gate: Semaphore::new(1_000_000),
        }
    }

    /// Responds to nothing until permits are added.
    pub(crate) fn hold(&self) {
        self.gate.forget_permits(usize::MAX);
    }

    pub(crate) fn sent(&self) -> Vec<String> {
        self.bodies.lock().unwrap().clone()
    }
}

impl Transport for Script {
    fn send<'a>(
        &'a self,
        request: &'a Request,
        now: DateTime<Utc>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'a>> {
        Box::pin(async move {
            let body = String::from_utf8(request.body().to_vec()).unwrap();
            self.bodies.lock().unwrap().push(body);
            self.gate.acquire().await.unwrap().forget();
            let status = self.statuses.lock().unwrap().pop_front();
            responded(status.unwrap_or(200), now)
        })
    }

    fn preview(&self, _: &Request, _: DateTime<Utc>) -> Result<Preview, ErrorClass> {
        Err(ErrorClass::Build(RequestError::TooManyHeaders))
    }
}

/// Short ways to make records in memory.
#[derive(Clone, Debug)]
pub(crate) struct Records {
    pub store: Arc<MemoryStore>,
}

impl Records {
    pub(crate) fn new() -> Self {
        let store = Arc::new(MemoryStore::new());
        Self { store }
    }

    pub(crate) async fn webhook(&self, change: impl FnOnce(&mut Webhook)) -> WebhookId {
        let count = self.store.routes().await.unwrap().webhooks.len();
        let mut webhook = webhook(|w| w.name = format!("w{count}").parse().unwrap());
        change(&mut webhook);
        let inserted = self.store.insert_webhook(&webhook, noon()).await;
        inserted.unwrap().id
    }

    pub(crate) async fn task(&self, webhook: WebhookId, message: &str, once: bool) -> TaskId {
        let message = message.parse().unwrap();
        let task = Task {
            creator: OwnerId(1),
            name: "t".parse().unwrap(),
            description: Description::default(),
            enabled: true,
            delete_after_run: once,
            action: Action::Send { webhook, message },
        };
        self.store.insert_task(&task, noon()).await.unwrap().id
    }

    pub(crate) async fn event(&self, target: Target, task: TaskId) {
        let event = Event {
            event_type: "vms".parse().unwrap(),
            event: "poweron".parse().unwrap(),
            target,
            task,
            enabled: true,
            filters: JsonObject::default(),
            context: JsonObject::default(),
        };
        self.store.insert_event(&event, noon()).await.unwrap();
    }

    /// A webhook, and a task that sends it whatever happens to objects with tag 1.
    pub(crate) async fn tagged(&self, message: &str) -> WebhookId {
        let webhook = self.webhook(|_| {}).await;
        let task = self.task(webhook, message, false).await;
        self.event(Target::Tag(TagId(1)), task).await;
        webhook
    }

    pub(crate) async fn set_activity(&self, id: WebhookId, activity: Activity) {
        let mut row = self.store.webhook(id).await.unwrap().unwrap();
        row.value.activity = activity;
        self.store.update_webhook(&row, noon()).await.unwrap();
    }

    pub(crate) async fn activity(&self, id: WebhookId) -> Activity {
        let row = self.store.webhook(id).await.unwrap();
        row.unwrap().value.activity
    }

    pub(crate) async fn routes(&self) -> Arc<Routes> {
        Arc::new(Routes::read(self.store.clone()).await.unwrap())
    }

    pub(crate) async fn engine_clock(&self) -> Arc<EngineClock> {
        let clock = Arc::new(ManualClock::at(noon()));
        Arc::new(EngineClock::start(clock, &*self.store).await.unwrap())
    }

    pub(crate) async fn activities(&self) -> Activities {
        Activities {
            store: self.store.clone(),
            clock: self.engine_clock().await,
            admission: Arc::new(Admission::new(&Limits::default())),
        }
    }

    pub(crate) async fn webhooks(&self) -> Webhooks {
        Webhooks {
            store: self.store.clone(),
            clock: self.engine_clock().await,
            admission: Arc::new(Admission::new(&Limits::default())),
        }
    }

    /// A delivery, leased for a minute from noon or waiting.
    pub(crate) async fn delivery(&self, webhook: WebhookId, body: &str, leased: bool) -> Enqueued {
        let deliveries = self.store.list_deliveries(&all()).await.unwrap();
        let new = NewDelivery {
            message_id: format!("msg_{}", deliveries.len()).parse().unwrap(),
            webhook,
            task: None,
            body: body.into(),
            due: noon(),
            lease_until: leased.then(|| noon() + Duration::from_secs(60)),
        };
        let batch = Enqueue {
            routes: None,
            origin: Origin::Direct,
            deliveries: vec![new],
            consume: Vec::new(),
        };
        self.store.enqueue(batch, noon()).await.unwrap()
    }

    pub(crate) async fn waiting(&self, webhook: WebhookId, body: &str) -> DeliveryId {
        let Enqueued::Stored { deliveries, .. } = self.delivery(webhook, body, false).await else {
            panic!("a new delivery is stored");
        };
        deliveries[0].id
    }

    pub(crate) async fn claimed(&self, webhook: WebhookId) -> Claim {
        let Enqueued::Stored { deliveries, .. } = self.delivery(webhook, "x", true).await else {
            panic!("a new delivery is stored");
        };
        Claim {
            delivery: deliveries[0].id,
            token: deliveries[0].token.unwrap(),
        }
    }

    pub(crate) async fn deliveries(&self) -> Vec<Delivery> {
        self.store.list_deliveries(&all()).await.unwrap()
    }

    pub(crate) async fn stored(&self, id: DeliveryId) -> Delivery {
        self.store.delivery(id).await.unwrap().unwrap()
    }
}

fn all() -> gatepost_storage::webhooks::DeliveryQuery {
    let page = gatepost_storage::Page::first(1000);
    gatepost_storage::webhooks::DeliveryQuery::all(page)
}

/// A worker over a script, and what it is made of.
pub(crate) struct Bench {
    pub store: Arc<FaultStore<MemoryStore>>,
    pub broken: Arc<BrokenClock>,
    pub clock: Arc<EngineClock>,
    pub script: Arc<Script>,
    pub routes: Arc<Routes>,
    pub admission: Arc<Admission>,
    pub lifecycle: Lifecycle,
    pub worker: Arc<Worker>,
}

impl Bench {
    /// Of the routes as they are now.
    pub(crate) async fn new(records: &Records, limits: &Limits, script: Script) -> Self {
        let store = Arc::new(FaultStore::new(records.store.clone()));
        let broken = Arc::new(BrokenClock::at(noon()));
        let clock = EngineClock::start(broken.clone(), &*store).await.unwrap();
        let clock = Arc::new(clock);
        let script = Arc::new(script);
        let routes = Arc::new(Routes::read(store.clone()).await.unwrap());
        let admission = Arc::new(Admission::new(limits));
        let lifecycle = Lifecycle::default();
        let (settler, writer) = Settler::new(store.clone(), clock.clone());
        let writer = Arc::new(writer);
        lifecycle.supervise_unawaited("settle", move || writer.clone().run());
        let random = Arc::new(Random::seeded(7));
        let schedule = Schedule::new([RETRY_AFTER]).unwrap();
        let activities = Activities {
            store: store.clone(),
            clock: clock.clone(),
            admission: admission.clone(),
        };
        let observers = Observers::new(Arc::new(Nobody));
        let worker = Arc::new(Worker {
            transport: script.clone(),
            settler,
            routes: routes.clone(),
            retries: RetryPlan::new(schedule, random, clock.clone()),
            watch: Watch::new(
                Arc::default(),
                DisablePolicy::default(),
                observers,
                activities,
            ),
            admission: admission.clone(),
            clock: clock.clone(),
            lifecycle: lifecycle.clone(),
        });
        Self {
            store,
            broken,
            clock,
            script,
            routes,
            admission,
            lifecycle,
            worker,
        }
    }

    pub(crate) fn emitter(&self, limits: Limits) -> Arc<Emitter> {
        let random = Arc::new(Random::seeded(8));
        Arc::new(Emitter {
            store: self.store.clone(),
            routes: self.routes.clone(),
            renderer: Arc::new(Renderer::new(chrono_tz::Tz::UTC, Vec::new(), random)),
            admission: self.admission.clone(),
            worker: self.worker.clone(),
            last_runs: Arc::new(LastRuns::new(self.store.clone())),
            clock: self.clock.clone(),
            limits,
        })
    }
}
