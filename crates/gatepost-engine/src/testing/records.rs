//! Records and deliveries in memory.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_kv::MemoryStore;
use gatepost_storage::webhooks::{
    Claim, Delivery, DeliveryId, DeliveryLog as _, DeliveryQuery, Enqueued, NewDelivery, OutboxId,
    OutboxStore as _, QueueClaim, QueueClass, QueueStore as _, RecordStore as _, WebhookQueue,
};
use gatepost_storage::{AtMost, Page};
use gatepost_testkit::fixtures::direct;
use webhook_model::{
    Action, Activity, Event, Filter, Headers, Occurrence, OwnerId, TagId, Target, Task, TaskId,
    Webhook, WebhookId,
};

use super::values::{noon, webhook};
use crate::routes::Route;

/// Short ways to make records in memory.
#[derive(Clone, Debug)]
pub(crate) struct Records {
    pub store: Arc<MemoryStore>,
    /// The number of webhooks and deliveries created, for names.
    made: Arc<AtomicUsize>,
}

impl Records {
    pub(crate) fn new() -> Self {
        Self {
            store: Arc::new(MemoryStore::new()),
            made: Arc::default(),
        }
    }

    fn next(&self) -> usize {
        self.made.fetch_add(1, Ordering::SeqCst)
    }

    pub(crate) async fn webhook(&self, change: impl FnOnce(&mut Webhook)) -> WebhookId {
        let mut webhook = webhook(|w| w.name = format!("w{}", self.next()).parse().unwrap());
        change(&mut webhook);
        let most = AtMost::UNLIMITED;
        let inserted = self.store.insert_webhook(&webhook, most, noon()).await;
        inserted.unwrap().id
    }

    /// Creates webhooks of this owner that take 17 KiB of memory each: twice their headers.
    pub(crate) async fn large_webhooks(&self, owner: u128, number: usize) -> Vec<WebhookId> {
        let headers = format!("X-Large: {}", "x".repeat(8_000));
        let headers = Headers::parse_lines(&headers).unwrap();
        let mut webhooks = Vec::new();
        for _ in 0..number {
            let large = |webhook: &mut Webhook| {
                webhook.owner = OwnerId(owner);
                webhook.headers = headers.clone();
            };
            webhooks.push(self.webhook(large).await);
        }
        webhooks
    }

    pub(crate) async fn task(&self, webhook: WebhookId, message: &str, once: bool) -> TaskId {
        let message = message.parse().unwrap();
        let task = Task {
            delete_after_run: once,
            ..Task::new(
                OwnerId(1),
                "t".parse().unwrap(),
                Action::Send { webhook, message },
            )
        };
        let inserted = self
            .store
            .insert_task(&task, AtMost::UNLIMITED, noon())
            .await;
        inserted.unwrap().id
    }

    pub(crate) async fn event(&self, target: Target, task: TaskId) {
        self.filtered(target, task, "{}").await;
    }

    /// Creates an event with a filter.
    pub(crate) async fn filtered(&self, target: Target, task: TaskId, filter: &str) {
        self.event_with(target, task, filter, "{}").await;
    }

    /// Creates an event with a filter and a context.
    pub(crate) async fn event_with(
        &self,
        target: Target,
        task: TaskId,
        filter: &str,
        context: &str,
    ) {
        let event = Event {
            filters: Filter::stored(filter).unwrap(),
            context: context.parse().unwrap(),
            ..Event::new(
                "vms".parse().unwrap(),
                "poweron".parse().unwrap(),
                target,
                task,
            )
        };
        let inserted = self
            .store
            .insert_event(&event, AtMost::UNLIMITED, noon())
            .await;
        inserted.unwrap();
    }

    /// Creates a webhook, and a task that sends it every occurrence on objects with tag 1.
    pub(crate) async fn tagged(&self, message: &str) -> WebhookId {
        self.tagged_of(1, message).await
    }

    /// As [`tagged`](Self::tagged), of this owner.
    pub(crate) async fn tagged_of(&self, owner: u128, message: &str) -> WebhookId {
        let webhook = self.webhook(|w| w.owner = OwnerId(owner)).await;
        let task = self.task(webhook, message, false).await;
        self.event(Target::Tag(TagId(1)), task).await;
        webhook
    }

    pub(crate) async fn set_activity(&self, id: WebhookId, activity: Activity) {
        self.edit(id, |webhook| webhook.activity = activity).await;
    }

    pub(crate) async fn edit(&self, id: WebhookId, edit: impl FnOnce(&mut Webhook)) {
        self.edit_at(id, noon(), edit).await;
    }

    pub(crate) async fn edit_at(
        &self,
        id: WebhookId,
        now: DateTime<Utc>,
        edit: impl FnOnce(&mut Webhook),
    ) {
        let mut row = self.store.webhook(id).await.unwrap().unwrap();
        edit(&mut row.value);
        let updated = self.store.update_webhook(&row, AtMost::UNLIMITED, now);
        updated.await.unwrap();
    }

    /// Returns the webhook as it is stored.
    pub(crate) async fn route(&self, id: WebhookId) -> Arc<Route> {
        let row = self.store.webhook(id).await.unwrap().unwrap();
        Arc::new(Route::stored(row))
    }

    pub(crate) async fn activity(&self, id: WebhookId) -> Activity {
        let row = self.store.webhook(id).await.unwrap();
        row.unwrap().value.activity
    }

    /// Creates a delivery, leased for a minute from noon or pending.
    pub(crate) async fn delivery(&self, webhook: WebhookId, body: &str, leased: bool) -> Enqueued {
        let lease_until = leased.then(|| noon() + Duration::from_secs(60));
        self.queued(webhook, body, noon(), lease_until).await
    }

    /// Creates a delivery that is due then.
    pub(crate) async fn due(&self, webhook: WebhookId, body: &str, due: DateTime<Utc>) {
        self.queued(webhook, body, due, None).await;
    }

    async fn queued(
        &self,
        webhook: WebhookId,
        body: &str,
        due: DateTime<Utc>,
        lease_until: Option<DateTime<Utc>>,
    ) -> Enqueued {
        let new = NewDelivery {
            message_id: format!("msg_{}", self.next()).parse().unwrap(),
            webhook,
            task: None,
            cause: None,
            body: body.into(),
            due,
            lease_until,
        };
        let batch = direct(vec![new]);
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

    /// Claims all that is due, for a minute.
    pub(crate) async fn claim_all(&self, now: DateTime<Utc>) {
        let deliveries = self.deliveries().await;
        let webhooks: BTreeSet<_> = deliveries.iter().map(|d| d.webhook).collect();
        let queues = webhooks.into_iter().flat_map(|webhook| {
            QueueClass::ALL.map(|class| QueueClaim {
                queue: WebhookQueue { webhook, class },
                limit: 100,
            })
        });
        let (queues, until) = (queues.collect::<Vec<_>>(), now + TimeDelta::seconds(60));
        self.store.claim(&queues, until, now).await.unwrap();
    }

    pub(crate) async fn deliveries(&self) -> Vec<Delivery> {
        self.store.list_deliveries(&all()).await.unwrap()
    }

    pub(crate) async fn bodies(&self) -> Vec<String> {
        let deliveries = self.deliveries().await;
        deliveries.iter().map(|d| d.body.to_string()).collect()
    }

    /// Writes into the outbox as the platform does.
    pub(crate) async fn push_outbox(&self, occurrence: &Occurrence) -> OutboxId {
        self.store.push_outbox(occurrence, noon()).await.unwrap()
    }

    pub(crate) async fn stored(&self, id: DeliveryId) -> Delivery {
        self.store.delivery(id).await.unwrap().unwrap()
    }
}

fn all() -> DeliveryQuery {
    let page = Page::first(10_000);
    DeliveryQuery::all(page)
}
