//! What the parts are tested with: records in memory, a clock that breaks on command, a network
//! that is a script.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use delivery::{Attempt, ErrorClass, Preview, Request, RequestError, Schedule};
use gatepost_ids::{Audience, Place};
use gatepost_storage::webhooks::{
    Basis, Claim, Delivery, DeliveryId, DeliveryLog as _, Enqueue, Enqueued, NewDelivery, Origin,
    QueueStore as _, RecordStore as _, TaskRoute, WebhookQuery, WebhookRoute, WebhookStore,
};
use gatepost_storage::{AtMost, Clock, ManualClock, MemoryStore, Page, Revision, Scope};
use gatepost_testkit::fault::FaultStore;
use tokio::sync::Semaphore;
use webhook_model::{
    Action, Activity, Description, Event, EventId, JsonObject, Object, ObjectId, Occurrence,
    OwnerId, TagId, Target, Task, TaskId, Webhook, WebhookId,
};

use crate::activity::Activities;
use crate::admission::Admission;
use crate::attempt::{RetryPlan, Watch, Worker};
use crate::clock::EngineClock;
use crate::config::{DisablePolicy, Limits};
use crate::emit::{Emitter, Finder, Launcher};
use crate::judge::testing::{Platform, judge, one_system};
use crate::judge::{Judge, Rule};
use crate::last_runs::LastRuns;
use crate::lifecycle::Lifecycle;
use crate::observe::{Nobody, Observers};
use crate::random::Random;
use crate::records::allowance::Allowance;
use crate::records::webhooks::Webhooks;
use crate::render::Renderer;
use crate::routes::{MatchedTask, Messages, Route, Tables, WebhookCache};
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
        ..Occurrence::new(
            "vms".parse().unwrap(),
            "poweron".parse().unwrap(),
            Audience::OneSystem,
        )
    }
}

/// The same for somebody on a platform with tenants.
pub(crate) fn addressed(audience: Audience, tags: &[i64]) -> Occurrence {
    Occurrence {
        audience,
        ..poweron(7, tags)
    }
}

/// A task of this owner that was matched, and sends webhook 1.
pub(crate) fn matched_task(id: i64, owner: i64) -> MatchedTask {
    let owner = OwnerId(owner);
    MatchedTask {
        place: Place::Common,
        task: TaskRoute {
            id: TaskId(id),
            revision: Revision::FIRST,
            owner,
            webhook: WebhookId(1),
            once: false,
        },
        webhook: WebhookRoute {
            id: WebhookId(1),
            revision: Revision::FIRST,
            owner,
            active: true,
            in_order: false,
            timeout: Duration::from_secs(5),
        },
        event: Some((EventId(id), Revision::FIRST)),
    }
}

/// A delivery of this task, not stored yet.
pub(crate) fn new_delivery(task: i64) -> NewDelivery {
    NewDelivery {
        message_id: format!("msg_{task}").parse().unwrap(),
        webhook: WebhookId(1),
        task: Some(TaskId(task)),
        body: "x".into(),
        due: noon(),
        lease_until: None,
    }
}

fn webhook(change: impl FnOnce(&mut Webhook)) -> Webhook {
    let url = "https://target.example.com/in".parse().unwrap();
    let mut webhook = Webhook::new(OwnerId(1), "w".parse().unwrap(), url);
    change(&mut webhook);
    webhook
}

pub(crate) fn route(change: impl FnOnce(&mut Webhook)) -> Route {
    Route::new(WebhookId(1), Revision::FIRST, webhook(change))
}

/// An attempt that got this status.
pub(crate) fn responded(status: u16, now: DateTime<Utc>) -> Attempt {
    let mut attempt = Attempt::unsent(ErrorClass::Status(status), now);
    if (200..300).contains(&status) {
        attempt.outcome = Ok(status);
    }
    attempt.status = Some(status);
    attempt.body.bytes = b"thanks".to_vec().into();
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
        let query = WebhookQuery {
            scope: Scope::All,
            name: None,
            page: Page::first(10_000),
        };
        let count = self.store.list_webhooks(&query).await.unwrap().len();
        let mut webhook = webhook(|w| w.name = format!("w{count}").parse().unwrap());
        change(&mut webhook);
        let most = AtMost::UNLIMITED;
        let inserted = self.store.insert_webhook(&webhook, most, noon()).await;
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
        let inserted = self
            .store
            .insert_task(&task, AtMost::UNLIMITED, noon())
            .await;
        inserted.unwrap().id
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
        let inserted = self
            .store
            .insert_event(&event, AtMost::UNLIMITED, noon())
            .await;
        inserted.unwrap();
    }

    /// A webhook, and a task that sends it whatever happens to objects with tag 1.
    pub(crate) async fn tagged(&self, message: &str) -> WebhookId {
        self.tagged_of(1, message).await
    }

    /// As [`tagged`](Self::tagged), of this owner.
    pub(crate) async fn tagged_of(&self, owner: i64, message: &str) -> WebhookId {
        let webhook = self.webhook(|w| w.owner = OwnerId(owner)).await;
        let task = self.task(webhook, message, false).await;
        self.event(Target::Tag(TagId(1)), task).await;
        webhook
    }

    pub(crate) async fn set_activity(&self, id: WebhookId, activity: Activity) {
        let mut row = self.store.webhook(id).await.unwrap().unwrap();
        row.value.activity = activity;
        let updated = self
            .store
            .update_webhook(&row, AtMost::UNLIMITED, noon())
            .await;
        updated.unwrap();
    }

    /// The webhook as it is stored.
    pub(crate) async fn route(&self, id: WebhookId) -> Arc<Route> {
        let row = self.store.webhook(id).await.unwrap().unwrap();
        Arc::new(Route::new(row.id, row.revision, row.value))
    }

    pub(crate) async fn activity(&self, id: WebhookId) -> Activity {
        let row = self.store.webhook(id).await.unwrap();
        row.unwrap().value.activity
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
        let clock = self.engine_clock().await;
        Webhooks {
            store: self.store.clone(),
            clock: clock.clone(),
            admission: Arc::new(Admission::new(&Limits::default())),
            allowance: Allowance {
                store: self.store.clone(),
                judge: one_system(self.store.clone(), clock),
            },
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
            basis: Basis::Nothing,
            origin: Origin::Direct,
            deliveries: vec![new],
            consume: Vec::new(),
            later: Vec::new(),
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
    let page = Page::first(1000);
    gatepost_storage::webhooks::DeliveryQuery::all(page)
}

/// A worker over a script, and what it is made of.
pub(crate) struct Bench {
    pub store: Arc<FaultStore<MemoryStore>>,
    pub broken: Arc<BrokenClock>,
    pub clock: Arc<EngineClock>,
    pub script: Arc<Script>,
    pub webhooks: Arc<WebhookCache>,
    pub platform: Arc<Platform>,
    pub judge: Arc<Judge>,
    pub admission: Arc<Admission>,
    pub lifecycle: Lifecycle,
    pub worker: Arc<Worker>,
}

impl Bench {
    /// Of a platform that is one system, where everybody is enabled.
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
        let judge = judge(rule, platform, store.clone(), clock.clone());
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
            judge: judge.clone(),
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
            webhooks: Arc::new(WebhookCache::new(store.clone())),
            platform: platform.clone(),
            store,
            broken,
            clock,
            script,
            judge,
            admission,
            lifecycle,
            worker,
        }
    }

    pub(crate) fn emitter(&self, limits: &Limits) -> Arc<Emitter> {
        let store: Arc<dyn WebhookStore> = self.store.clone();
        // Ids of messages differ, however many emitters there are.
        let random = Arc::new(Random::from_system());
        let memory = limits.routes_memory;
        Arc::new(Emitter {
            store: store.clone(),
            finder: Finder {
                store: store.clone(),
                tables: Arc::new(Tables::new(store.clone(), memory)),
                messages: Arc::new(Messages::new(store.clone(), memory)),
                judge: self.judge.clone(),
            },
            judge: self.judge.clone(),
            renderer: Arc::new(Renderer::new(chrono_tz::Tz::UTC, Vec::new(), random)),
            launcher: Launcher {
                webhooks: self.webhooks.clone(),
                admission: self.admission.clone(),
                worker: self.worker.clone(),
                last_runs: Arc::new(LastRuns::new(store)),
                lease_margin: limits.timing.lease_margin,
            },
            clock: self.clock.clone(),
            limits: limits.emit.clone(),
            wake: Arc::default(),
        })
    }
}
