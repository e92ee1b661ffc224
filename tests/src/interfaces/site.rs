//! A platform whose store can be held, whose code can fail, and which notices clients that leave.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use apikey_core::{KeyDraft, KeyId};
use async_trait::async_trait;
use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use chrono::TimeDelta;
use delivery::{Sender, TargetPolicy};
use gatepost_engine::Engine;
use gatepost_ids::Quota;
use gatepost_keys::{AccessLevel, Account, KeyService, Principal, Via};
use gatepost_kv::MemoryStore;
use gatepost_manage::Management;
use gatepost_storage::webhooks::{DeliveryId, Enqueued, NewDelivery, QueueStore as _};
use gatepost_storage::{Clock as _, SystemClock};
use gatepost_testkit::fault::{FaultStore, Gate};
use gatepost_testkit::fixtures::{direct, message};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use webhook_model::{
    Action, Catalog, Event, EventId, Message, OwnerId, Specificity, Target, Task, TaskId, Webhook,
    WebhookId,
};

use super::act::Act;
use super::platform::{Heard, Moody};
use crate::permissive_platform::with_tenants;

/// An interface: the routes that it mounts, and its acts.
#[async_trait]
pub trait Roof: Sync {
    /// Returns the routes, to be merged at the root of the site.
    fn mount(&self, parts: &Parts) -> Router;

    /// Returns every request that changes something, for the rows of this site. The administrator 1
    /// sends them; the rows are [`DoorSite::rows`]. They must come in the same order for each site.
    async fn acts(&self, site: &DoorSite) -> Vec<Act>;
}

/// The parts of an interface.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The key service.
    pub keys: KeyService,
    /// The engine.
    pub engine: Engine,
    /// `Management`.
    pub management: Management,
    /// The audit log of `Management`.
    pub heard: Heard,
    /// The accounts and names.
    pub platform: Moody,
}

/// The administrator's rows.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// A key other than the one that logs in.
    pub key: KeyId,
    /// A webhook that a task sends, with a failed delivery.
    pub webhook: WebhookId,
    /// A paused webhook without a task, with a delivery that waits.
    pub paused: WebhookId,
    /// A task with an event.
    pub task: TaskId,
    /// An event of the task, about all objects of the type `alarms`.
    pub event: EventId,
    /// A delivery that failed.
    pub failed: DeliveryId,
    /// A delivery that waits for an attempt in an hour.
    pub waiting: DeliveryId,
}

/// The platform.
#[derive(Debug)]
pub struct DoorSite {
    /// The address at which it listens.
    pub addr: SocketAddr,
    /// The parts of its interfaces.
    pub parts: Parts,
    /// Its store.
    pub store: Arc<FaultStore<MemoryStore>>,
    /// The gate of its store.
    pub gate: Arc<Gate>,
    /// The administrator's rows.
    pub rows: Rows,
    /// A key of the administrator.
    pub admin: String,
    left: Arc<Semaphore>,
}

impl DoorSite {
    /// Starts a site under this interface; it ends with the runtime.
    ///
    /// # Panics
    /// If it cannot be started.
    pub async fn start(roof: &dyn Roof) -> Self {
        let store = Arc::new(FaultStore::new(Arc::new(MemoryStore::new())));
        let gate = store.gate();
        let (platform, heard) = (Moody::default(), Heard::default());
        let keys = KeyService::builder(store.clone(), Arc::new(platform.clone()))
            .quotas(Arc::new(Quota::UNLIMITED))
            .build();
        let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
        let engine = Engine::builder(store.clone(), Sender::builder(policy).build().unwrap());
        let engine = with_tenants(engine, Arc::new(platform.clone()))
            .catalog(catalog())
            .start()
            .await
            .unwrap();
        let management = Management::builder(keys.clone(), engine.clone())
            .audit(Arc::new(heard.clone()))
            .directory(Arc::new(platform.clone()))
            .build();
        let parts = Parts {
            keys,
            engine,
            management,
            heard,
            platform,
        };
        let left = Arc::new(Semaphore::new(0));
        let app = roof
            .mount(&parts)
            .layer(from_fn_with_state(left.clone(), watch));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let forever = std::future::pending();
        tokio::spawn(examples::serve::serve(listener, None, app, forever));
        let admin = key_of(&parts, 1, "login").await.1;
        let rows = rows(&parts, &store).await;
        Self {
            addr,
            parts,
            store,
            gate,
            rows,
            admin,
            left,
        }
    }

    /// Waits until the server has dropped a request whose client left.
    pub async fn client_left(&self) {
        if let Ok(permit) = self.left.acquire().await {
            permit.forget();
        }
    }

    /// Creates a key of a user: its number and its key string.
    ///
    /// # Panics
    /// If it cannot be made.
    pub async fn key_of(&self, user: u128, name: &str) -> (KeyId, String) {
        key_of(&self.parts, user, name).await
    }
}

/// Notices requests that are dropped before they have a response.
async fn watch(State(left): State<Arc<Semaphore>>, request: Request, next: Next) -> Response {
    let mut open = Open(Some(left));
    let response = next.run(request).await;
    open.0 = None;
    response
}

struct Open(Option<Arc<Semaphore>>);

impl Drop for Open {
    fn drop(&mut self) {
        if let Some(left) = &self.0 {
            left.add_permits(1);
        }
    }
}

fn catalog() -> Catalog {
    let alarms = [("raised", "Raised")];
    let on = [("poweron", "Powered on")];
    Catalog::builder()
        .event_type("alarms", "Alarms", Specificity::Generic, &alarms)
        .and_then(|c| c.event_type("vms", "Machines", Specificity::InstanceOrTag, &on))
        .unwrap()
        .build()
}

async fn key_of(parts: &Parts, user: u128, name: &str) -> (KeyId, String) {
    let draft = KeyDraft::new(OwnerId(user), name.parse().unwrap());
    let admin = Account::enabled(AccessLevel::SystemAdministrator);
    let admin = Principal::new(OwnerId(1), admin, Via::Platform);
    let (row, reveal) = parts.keys.create(&admin, draft).await.unwrap();
    (row.id, reveal.reveal().as_str().to_owned())
}

async fn rows(parts: &Parts, store: &FaultStore<MemoryStore>) -> Rows {
    let engine = &parts.engine;
    let webhook = async |name: &str, host: &str| {
        let url = format!("http://{host}/").parse().unwrap();
        let mut webhook = Webhook::new(OwnerId(1), name.parse().unwrap(), url);
        webhook.retries = 0.try_into().unwrap();
        engine.create_webhook(&webhook).await.unwrap().id
    };
    // The policy of the sender refuses the first; nothing is sent to the second.
    let (refused, paused) = (
        webhook("refused", "10.0.0.1").await,
        webhook("paused", "127.0.0.1:9").await,
    );
    engine.pause_webhook(paused).await.unwrap();
    let task = Task::new(
        OwnerId(1),
        "task".parse().unwrap(),
        Action::Send {
            webhook: refused,
            message: Message::default(),
        },
    );
    let task = engine.create_task(&task).await.unwrap().id;
    let event = Event::new(
        "alarms".parse().unwrap(),
        "raised".parse().unwrap(),
        Target::Generic,
        task,
    );
    let failed = engine.send(refused, None).await.unwrap();
    ended(engine, failed).await;
    Rows {
        key: key_of(parts, 1, "key").await.0,
        webhook: refused,
        paused,
        task,
        event: engine.create_event(&event).await.unwrap().id,
        failed,
        waiting: later(store, paused, task).await,
    }
}

async fn later(store: &FaultStore<MemoryStore>, webhook: WebhookId, task: TaskId) -> DeliveryId {
    let now = SystemClock.now();
    let due = now + TimeDelta::hours(1);
    let waiting = NewDelivery {
        task: Some(task),
        ..message(webhook, "waiting", due)
    };
    let waiting = direct(vec![waiting]);
    match store.enqueue(waiting, now).await.unwrap() {
        Enqueued::Stored { deliveries, .. } => deliveries[0].id,
        other => panic!("not stored: {other:?}"),
    }
}

async fn ended(engine: &Engine, id: DeliveryId) {
    for _ in 0..1000 {
        let delivery = engine.delivery(id).await.unwrap().unwrap();
        if delivery.state.is_final() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("delivery {id} did not end");
}
