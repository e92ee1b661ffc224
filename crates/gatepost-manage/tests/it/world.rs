//! A `Management` over a store with a few rows.

use std::sync::Arc;

use apikey_core::{KeyDraft, KeyId, KeyName};
use delivery::{Sender, TargetPolicy};
use gatepost_engine::{Engine, EngineBuilder};
use gatepost_keys::{KeyService, OwnerId, Quota};
use gatepost_kv::MemoryStore;
use gatepost_manage::{Actor, Management, Operation};
use gatepost_storage::webhooks::{DeliveryId, Enqueued, MessageId, NewDelivery, QueueStore as _};
use gatepost_storage::{Clock as _, SystemClock};
use gatepost_testkit::fault::FaultStore;
use gatepost_testkit::fixtures::direct;
use webhook_model::{
    Action, Catalog, DeliveryMode, Event, EventId, EventLabel, Filter, JsonObject, Message,
    ObjectId, Specificity, Target, Task, TaskId, Webhook, WebhookId,
};

pub(crate) use crate::users::{ADMIN, Mood, OWNER, Platform, STRANGER, TENANT, user};

/// Rows and a user that do not exist.
pub(crate) const NOWHERE: Rows = Rows {
    owner: 1_000_000,
    key: KeyId(1_000_000),
    webhook: WebhookId(1_000_000),
    paused: WebhookId(1_000_001),
    task: TaskId(1_000_000),
    event: EventId(1_000_000),
    ended: DeliveryId(1_000_000),
    waiting: DeliveryId(1_000_001),
};

/// The rows of a user.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    pub owner: u128,
    pub key: KeyId,
    /// A task sends it.
    pub webhook: WebhookId,
    /// A paused webhook that is fetched, without a task.
    pub paused: WebhookId,
    pub task: TaskId,
    pub event: EventId,
    /// A delivery that has ended.
    pub ended: DeliveryId,
    /// A waiting delivery.
    pub waiting: DeliveryId,
}

/// A `Management` over a store, with its rows.
#[derive(Debug)]
pub(crate) struct World {
    pub store: Arc<FaultStore<MemoryStore>>,
    pub platform: Arc<Platform>,
    pub keys: KeyService,
    pub engine: Engine,
    pub door: Management,
    /// The rows of `OWNER`.
    pub rows: Rows,
}

impl World {
    pub(crate) async fn start() -> Self {
        Self::with(Quota::UNLIMITED).await
    }

    /// Creates a world in which everybody has this quota; the address decides who may receive an
    /// occurrence.
    pub(crate) async fn with(quota: Quota) -> Self {
        Self::build(quota, |builder, platform| builder.addressed_only(platform)).await
    }

    /// The platform is asked who may watch what.
    pub(crate) async fn watched() -> Self {
        let watch = |builder: EngineBuilder, platform: Arc<Platform>| {
            builder.subscription_policy(platform.clone(), platform)
        };
        Self::build(Quota::UNLIMITED, watch).await
    }

    async fn build(
        quota: Quota,
        audience: fn(EngineBuilder, Arc<Platform>) -> EngineBuilder,
    ) -> Self {
        let store = Arc::new(FaultStore::new(Arc::new(MemoryStore::new())));
        let platform = Arc::new(Platform::default());
        let keys = KeyService::builder(store.clone(), platform.clone())
            .quotas(Arc::new(quota))
            .build();
        let sender = Sender::builder(TargetPolicy::public()).build().unwrap();
        let builder = Engine::builder(store.clone(), sender)
            .catalog(catalog())
            .quotas(Arc::new(quota));
        let engine = audience(builder, platform.clone()).start().await.unwrap();
        let door = Management::builder(keys.clone(), engine.clone())
            .audit(platform.clone())
            .directory(platform.clone())
            .build();
        let rows = rows(&store, &keys, &engine, OWNER).await;
        Self {
            store,
            platform,
            keys,
            engine,
            door,
            rows,
        }
    }

    /// The rows of `OWNER`, for another user.
    pub(crate) async fn rows_of(&self, owner: u128) -> Rows {
        rows(&self.store, &self.keys, &self.engine, owner).await
    }

    pub(crate) fn of(&self, user: u128) -> Actor {
        self.door.of(&crate::users::user(user))
    }

    pub(crate) async fn ended(&self, id: DeliveryId) {
        ended_in(&self.engine, id).await;
    }

    pub(crate) fn heard(&self) -> Vec<(u128, &'static str, ObjectId, Operation)> {
        self.platform.heard.lock().unwrap().clone()
    }
}

pub(crate) fn draft(owner: u128, name: &str) -> KeyDraft {
    KeyDraft::new(OwnerId(owner), name.parse::<KeyName>().unwrap())
}

/// Returns a webhook that the target policy refuses, so that its deliveries end immediately.
pub(crate) fn webhook(owner: u128, name: &str) -> Webhook {
    let url = "http://10.0.0.1/".parse().unwrap();
    let mut webhook = Webhook::new(OwnerId(owner), name.parse().unwrap(), url);
    webhook.retries = 0.try_into().unwrap();
    webhook
}

pub(crate) fn task(creator: u128, name: &str, webhook: WebhookId) -> Task {
    Task {
        creator: OwnerId(creator),
        name: name.parse().unwrap(),
        description: webhook_model::Description::default(),
        enabled: true,
        delete_after_run: false,
        action: Action::Send {
            webhook,
            message: Message::default(),
        },
    }
}

pub(crate) fn event(task: TaskId) -> Event {
    Event {
        event_type: "alarms".parse().unwrap(),
        event: "raised".parse().unwrap(),
        target: Target::Generic,
        task,
        enabled: true,
        filters: Filter::default(),
        context: JsonObject::default(),
        label: EventLabel::default(),
    }
}

fn catalog() -> Catalog {
    let alarms = [("raised", "Raised")];
    let catalog = Catalog::builder();
    let catalog = catalog.event_type("alarms", "Alarms", Specificity::Generic, &alarms);
    let vms = [("poweron", "Powered on")];
    let catalog = catalog.unwrap();
    let catalog = catalog.event_type("vms", "VMs", Specificity::InstanceOrTag, &vms);
    catalog.unwrap().build()
}

/// Waits until a delivery has ended.
async fn ended_in(engine: &Engine, id: DeliveryId) {
    let is_final = async || engine.delivery(id).await.unwrap().unwrap().state.is_final();
    while !is_final().await {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
}

/// A delivery that waits for later.
async fn later(store: &FaultStore<MemoryStore>, webhook: WebhookId) -> DeliveryId {
    let now = SystemClock.now();
    let delivery = NewDelivery {
        message_id: MessageId::new(now, webhook.0.unsigned_abs().into()),
        webhook,
        task: None,
        cause: None,
        body: "later".into(),
        due: now + chrono::TimeDelta::hours(1),
        lease_until: None,
    };
    match store.enqueue(direct(vec![delivery]), now).await.unwrap() {
        Enqueued::Stored { deliveries, .. } => deliveries[0].id,
        other => panic!("{other:?}"),
    }
}

async fn rows(
    store: &FaultStore<MemoryStore>,
    keys: &KeyService,
    engine: &Engine,
    owner: u128,
) -> Rows {
    let (key, _) = keys
        .create(&user(owner), draft(owner, "key"))
        .await
        .unwrap();
    let sent = engine.create_webhook(&webhook(owner, "sent")).await;
    let fetched = Webhook {
        mode: DeliveryMode::Fetch,
        ..webhook(owner, "paused")
    };
    let paused = engine.create_webhook(&fetched).await;
    let (webhook, paused) = (sent.unwrap().id, paused.unwrap().id);
    engine.pause_webhook(paused).await.unwrap();
    let task = task(owner, "task", webhook);
    let task = engine.create_task(&task).await.unwrap().id;
    let ended = engine.send(webhook, None).await.unwrap();
    ended_in(engine, ended).await;
    Rows {
        owner,
        key: key.id,
        webhook,
        paused,
        task,
        event: engine.create_event(&event(task)).await.unwrap().id,
        ended,
        waiting: later(store, paused).await,
    }
}
