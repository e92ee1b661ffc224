//! A receiver, an engine over a store of the test's choice, and short ways to make records.
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use delivery::{Schedule, Sender, TargetPolicy};
use gatepost_engine::{
    AccessLevel, Account, AccountAnswer, Accounts, Audience, Engine, EngineBuilder, Quota,
};
use gatepost_kv::MemoryStore;
use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryLog, WebhookStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use webhook_model::{
    Action, Activity, Catalog, DeliveryOrder, Event, Message, Object, ObjectId, Occurrence,
    OwnerId, Specificity, TagId, Target, Task, TaskId, Webhook, WebhookId,
};

/// Responds to each request with the next status, then 200; remembers the bodies.
#[derive(Clone)]
pub(crate) struct Receiver {
    pub(crate) statuses: Arc<Mutex<Vec<u16>>>,
    pub(crate) bodies: Arc<Mutex<Vec<String>>>,
    pub(crate) open: Arc<AtomicUsize>,
    pub(crate) most_open: Arc<AtomicUsize>,
    pub(crate) stall: Arc<tokio::sync::Semaphore>,
}

impl Receiver {
    pub(crate) fn bodies(&self) -> Vec<String> {
        self.bodies.lock().unwrap().clone()
    }
}

pub(crate) async fn receiver(stalled: bool, statuses: &[u16]) -> (Receiver, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let permits = if stalled { 0 } else { 1_000_000 };
    let receiver = Receiver {
        statuses: Arc::new(Mutex::new(statuses.iter().rev().copied().collect())),
        bodies: Arc::default(),
        open: Arc::default(),
        most_open: Arc::default(),
        stall: Arc::new(tokio::sync::Semaphore::new(permits)),
    };
    let shared = receiver.clone();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let receiver = shared.clone();
            tokio::spawn(async move {
                let mut buffer = Vec::new();
                loop {
                    let (head, length) = loop {
                        let text = String::from_utf8_lossy(&buffer).into_owned();
                        if let Some(end) = text.find("\r\n\r\n") {
                            let length = text
                                .to_ascii_lowercase()
                                .split("content-length: ")
                                .nth(1)
                                .map_or(0, |l| l.split("\r\n").next().unwrap().parse().unwrap());
                            if buffer.len() >= end + 4 + length {
                                break (end + 4, length);
                            }
                        }
                        if stream.read_buf(&mut buffer).await.unwrap_or(0) == 0 {
                            return;
                        }
                    };
                    let body = String::from_utf8_lossy(&buffer[head..head + length]).into_owned();
                    buffer.drain(..head + length);
                    let open = receiver.open.fetch_add(1, Ordering::SeqCst) + 1;
                    receiver.most_open.fetch_max(open, Ordering::SeqCst);
                    receiver.stall.acquire().await.unwrap().forget();
                    receiver.bodies.lock().unwrap().push(body);
                    receiver.open.fetch_sub(1, Ordering::SeqCst);
                    let status = receiver.statuses.lock().unwrap().pop().unwrap_or(200);
                    if stream
                        .write_all(
                            format!("HTTP/1.1 {status} x\r\ncontent-length: 0\r\n\r\n").as_bytes(),
                        )
                        .await
                        .is_err()
                    {
                        return;
                    }
                }
            });
        }
    });
    (receiver, addr)
}

pub(crate) struct World {
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) engine: Engine,
}

/// Accounts in which every user is enabled.
#[derive(Debug)]
pub(crate) struct Everybody;

impl Accounts for Everybody {
    fn account(&self, _owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(Some(Account::enabled(AccessLevel::User))))
    }
}

/// As [`unruled`], of one system without quotas.
pub(crate) fn builder(store: Arc<dyn WebhookStore>) -> EngineBuilder {
    unruled(store)
        .one_system(Arc::new(Everybody))
        .quotas(Arc::new(Quota::UNLIMITED))
}

/// Returns a builder of an engine that may send to this machine and retries after 20 ms.
pub(crate) fn unruled(store: Arc<dyn WebhookStore>) -> EngineBuilder {
    let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
    let catalog = Catalog::builder()
        .event_type(
            "vms",
            "VMs",
            Specificity::InstanceOrTag,
            &[("poweron", "on")],
        )
        .unwrap()
        .event_type(
            "alarms",
            "Alarms",
            Specificity::Generic,
            &[("raised", "Raised")],
        )
        .unwrap()
        .build();
    Engine::builder(store, Sender::builder(policy).build().unwrap())
        .catalog(catalog)
        .schedule(Schedule::new([Duration::from_millis(20)]).unwrap())
}

pub(crate) async fn world() -> World {
    world_with(|builder| builder).await
}

pub(crate) async fn world_with(change: impl FnOnce(EngineBuilder) -> EngineBuilder) -> World {
    let store = Arc::new(MemoryStore::new());
    let engine = change(builder(store.clone())).start().await.unwrap();
    World { store, engine }
}

impl World {
    pub(crate) async fn webhook(
        &self,
        name: &str,
        addr: SocketAddr,
        change: impl FnOnce(&mut Webhook),
    ) -> WebhookId {
        let mut webhook = Webhook::new(
            OwnerId(1),
            name.parse().unwrap(),
            format!("http://{addr}/{name}").parse().unwrap(),
        );
        change(&mut webhook);
        self.engine.create_webhook(&webhook).await.unwrap().id
    }

    /// Returns its stored activity.
    pub(crate) async fn activity(&self, webhook: WebhookId) -> Activity {
        let row = self.engine.webhook(webhook).await.unwrap();
        row.unwrap().value.activity
    }

    /// Creates a webhook in order that receives the name of each machine that is switched on.
    pub(crate) async fn webhook_in_order(&self, addr: SocketAddr) -> WebhookId {
        let in_order = |w: &mut Webhook| w.order = DeliveryOrder::InOrder;
        let webhook = self.webhook("w", addr, in_order).await;
        self.tagged(webhook, "${NAME}").await;
        webhook
    }

    pub(crate) async fn task(&self, webhook: WebhookId, message: &str, once: bool) -> TaskId {
        let message: Message = message.parse().unwrap();
        let task = Task {
            delete_after_run: once,
            ..Task::new(
                OwnerId(1),
                "t".parse().unwrap(),
                Action::Send { webhook, message },
            )
        };
        self.engine.create_task(&task).await.unwrap().id
    }

    /// Creates an event that runs a task when a machine is switched on.
    pub(crate) async fn event(&self, target: Target, task: TaskId) {
        let (vms, poweron) = ("vms".parse().unwrap(), "poweron".parse().unwrap());
        let event = Event::new(vms, poweron, target, task);
        self.engine.create_event(&event).await.unwrap();
    }

    /// Creates a task that runs when a machine with tag 1 is switched on.
    pub(crate) async fn tagged(&self, webhook: WebhookId, message: &str) {
        let task = self.task(webhook, message, false).await;
        self.event(Target::Tag(TagId(1)), task).await;
    }

    /// Emits that a machine is switched on; returns the deliveries.
    pub(crate) async fn emit(&self, id: i64, tags: &[i64]) -> Vec<DeliveryId> {
        let emitted = self.engine.emit(poweron(id, tags)).await;
        emitted.unwrap().deliveries
    }

    /// Sends the default message.
    pub(crate) async fn send(&self, webhook: WebhookId) -> DeliveryId {
        self.engine.send(webhook, None).await.unwrap()
    }

    /// Waits until a delivery has ended; at most ten seconds.
    pub(crate) async fn ended(&self, id: DeliveryId) -> Delivery {
        for _ in 0..1000 {
            let delivery = self.store.delivery(id).await.unwrap().unwrap();
            if delivery.state.is_final() {
                return delivery;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!(
            "delivery {id} did not end: {:?}",
            self.store.delivery(id).await
        );
    }
}

pub(crate) fn poweron(id: i64, tags: &[i64]) -> Occurrence {
    Occurrence::new(
        "vms".parse().unwrap(),
        "poweron".parse().unwrap(),
        Audience::OneSystem,
    )
    .with_object(Object::new(
        ObjectId::from_number(id),
        format!("vm \"{id}\""),
    ))
    .with_tags(tags.iter().map(|t| TagId(*t)).collect())
}

/// Waits until a condition is met; at most fifteen seconds.
pub(crate) async fn until(done: impl Fn() -> bool) {
    for _ in 0..1_500 {
        if done() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("did not come about in 15 s");
}
