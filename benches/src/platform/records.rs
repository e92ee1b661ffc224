//! A store with an engine on it, and records in bulk.

use std::sync::Arc;
use std::time::Duration;

use delivery::{Schedule, Sender, TargetPolicy};
use gatepost_engine::{Engine, EngineBuilder, Realm};
use gatepost_ids::Quota;
use gatepost_storage::AtMost;
use gatepost_storage::webhooks::{NewDelivery, WebhookStore};
use gatepost_testkit::fixtures;
use tempfile::TempDir;
use webhook_model::{
    Action, Activity, Catalog, Event, EventLabel, Filter, JsonObject, ObjectId, OwnerId,
    Specificity, Target, Task, TaskId, Webhook, WebhookId,
};

use super::store_location::{Kind, fresh_place, now, open};
use super::users::{Users, account};

/// The number of concurrent callers while records are made.
const AT_ONCE: usize = 64;

/// A store, and the records on it.
#[derive(Debug)]
pub struct Platform {
    /// The store.
    pub store: Arc<dyn WebhookStore>,
    /// The location of the store: a file, or a server's URL.
    pub place: String,
    /// The message of each task.
    message: String,
    _folder: Option<TempDir>,
}

impl Platform {
    /// Creates an empty store.
    pub async fn open(kind: Kind) -> Self {
        let (place, folder) = fresh_place(kind).await;
        Self {
            _folder: Some(folder),
            ..Self::at(kind, &place).await
        }
    }

    /// Opens the store at this location.
    pub async fn at(kind: Kind, place: &str) -> Self {
        Self {
            store: open(kind, place).await,
            place: place.to_owned(),
            message: r#"{"n":"${N}"}"#.to_owned(),
            _folder: None,
        }
    }

    /// Makes new tasks send messages of about this number of bytes.
    #[must_use]
    pub fn with_bytes(mut self, bytes: usize) -> Self {
        let filler = "x".repeat(bytes.saturating_sub(24));
        self.message = format!(r#"{{"n":"${{N}}","pad":"{filler}"}}"#);
        self
    }

    /// Returns an engine on it whose users receive occurrences addressed to them and have no
    /// quotas.
    pub async fn engine(&self) -> Engine {
        self.builder()
            .addressed_only(Arc::new(Users))
            .quotas(Arc::new(Quota::UNLIMITED))
            .start()
            .await
            .unwrap()
    }

    /// Returns an engine on it without a subscription policy. Every name is this machine; a retry
    /// comes after ten minutes.
    #[must_use]
    pub fn builder(&self) -> EngineBuilder {
        let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
        let sender = Sender::builder(policy)
            .resolver(Arc::new(crate::Here))
            .build()
            .unwrap();
        let catalog = Catalog::builder()
            .event_type("vms", "VMs", Specificity::InstanceOptional, &[("on", "On")])
            .unwrap()
            .build();
        Engine::builder(self.store.clone(), sender)
            .catalog(catalog)
            .schedule(Schedule::new([Duration::from_secs(600)]).unwrap())
    }

    /// Creates a webhook, tasks that send it, and one event for each task, of an owner who is
    /// placed.
    pub async fn records(
        &self,
        owner: OwnerId,
        url: &str,
        tasks: usize,
    ) -> (WebhookId, Vec<TaskId>) {
        let place = Realm::of(owner, &account(owner));
        self.store.assign_realm(owner, place, now()).await.unwrap();
        self.records_of_one(owner, url, tasks).await
    }

    /// The same as [`records`](Self::records), for an owner without a tenant.
    pub async fn records_of_one(
        &self,
        owner: OwnerId,
        url: &str,
        tasks: usize,
    ) -> (WebhookId, Vec<TaskId>) {
        let mut webhook = Webhook::new(owner, "w".parse().unwrap(), url.parse().unwrap());
        if url.ends_with("/paused") {
            webhook.activity = Activity::Paused;
        }
        let most = AtMost::UNLIMITED;
        let webhook = self
            .store
            .insert_webhook(&webhook, most, now())
            .await
            .unwrap()
            .id;
        let mut made = Vec::with_capacity(tasks);
        for _ in 0..tasks {
            made.push(self.task(owner, webhook, Target::Generic).await);
        }
        (webhook, made)
    }

    /// Creates more tasks of a webhook, each with an event on an object without occurrences.
    pub async fn more(
        self: &Arc<Self>,
        owner: OwnerId,
        webhook: WebhookId,
        count: i64,
    ) -> Vec<TaskId> {
        let gate = Arc::new(tokio::sync::Semaphore::new(AT_ONCE));
        let mut making = tokio::task::JoinSet::new();
        for n in 0..count {
            let permit = gate.clone().acquire_owned().await.unwrap();
            let own = self.clone();
            making.spawn(async move {
                let made = own
                    .task(
                        owner,
                        webhook,
                        Target::Instance(ObjectId::from_number(n + 1)),
                    )
                    .await;
                drop(permit);
                made
            });
        }
        making.join_all().await
    }

    /// Queues deliveries that wait for a webhook.
    pub async fn queue(&self, webhook: WebhookId, task: Option<TaskId>, count: usize) {
        let numbers: Vec<usize> = (0..count).collect();
        for part in numbers.chunks(1_000) {
            let deliveries = part.iter().map(|n| NewDelivery {
                message_id: format!("q{webhook}_{n}").parse().unwrap(),
                webhook,
                task,
                cause: None,
                body: r#"{"queued":true}"#.into(),
                due: now(),
                lease_until: None,
            });
            let batch = fixtures::direct(deliveries.collect());
            self.store.enqueue(batch, now()).await.unwrap();
        }
    }

    async fn task(&self, owner: OwnerId, webhook: WebhookId, target: Target) -> TaskId {
        let most = AtMost::UNLIMITED;
        let task = self
            .store
            .insert_task(&task(owner, webhook, &self.message), most, now())
            .await
            .unwrap()
            .id;
        self.store
            .insert_event(&event(task, target), most, now())
            .await
            .unwrap();
        task
    }

    /// Creates records for many owners, many at a time.
    pub async fn records_of_all(
        self: &Arc<Self>,
        owners: impl Iterator<Item = OwnerId>,
        url: &str,
        tasks: usize,
    ) {
        let gate = Arc::new(tokio::sync::Semaphore::new(AT_ONCE));
        let mut making = tokio::task::JoinSet::new();
        for owner in owners {
            let permit = gate.clone().acquire_owned().await.unwrap();
            let (own, url) = (self.clone(), url.to_owned());
            making.spawn(async move {
                own.records(owner, &url, tasks).await;
                drop(permit);
            });
            while making.try_join_next().is_some() {}
        }
        while making.join_next().await.is_some() {}
    }
}

fn task(owner: OwnerId, webhook: WebhookId, message: &str) -> Task {
    Task {
        creator: owner,
        name: "t".parse().unwrap(),
        description: "".parse().unwrap(),
        enabled: true,
        delete_after_run: false,
        action: Action::Send {
            webhook,
            message: message.parse().unwrap(),
        },
    }
}

fn event(task: TaskId, target: Target) -> Event {
    Event {
        event_type: "vms".parse().unwrap(),
        event: "on".parse().unwrap(),
        target,
        task,
        enabled: true,
        filters: Filter::default(),
        context: JsonObject::default(),
        label: EventLabel::default(),
    }
}
