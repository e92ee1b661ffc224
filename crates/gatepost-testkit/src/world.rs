//! Records of several owners, and the state of a realm in memory.

use std::collections::BTreeMap;

use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::webhooks::{
    DeliveryId, EventQuery, EventRoute, RouteChanges, Routes, RoutesVersion, TaskQuery, TaskRoute,
    TaskRow, WebhookQuery, WebhookRoute,
};
use gatepost_storage::{Page, Row, Scope};
use webhook_model::{Event, EventId, TaskId, Webhook, WebhookId};

use crate::fixtures::{UNLIMITED, at, direct, event, message, routes, task, webhook_of};
use crate::harness::Webhooks;

type WebhookRow = Row<WebhookId, Webhook>;
type EventRow = Row<EventId, Event>;

/// A webhook with a task and an event.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Set {
    pub(crate) webhook: WebhookId,
    pub(crate) task: TaskId,
    pub(crate) event: EventId,
}

impl Set {
    /// Returns its rows, as they are stored now.
    pub(crate) async fn rows(self, store: &Webhooks) -> (WebhookRow, TaskRow, EventRow) {
        let records = &store.records;
        let webhook = records.webhook(self.webhook).await.unwrap();
        let task = records.task(self.task).await.unwrap();
        let event = records.event(self.event).await.unwrap();
        (webhook.unwrap(), task.unwrap(), event.unwrap())
    }
}

/// Stores a webhook of this owner and name, with a task that stays and an event.
pub(crate) async fn set(store: &Webhooks, owner: u128, name: &str) -> Set {
    set_at(store, owner, name, 0).await
}

/// The same, created at `at(second)`.
pub(crate) async fn set_at(store: &Webhooks, owner: u128, name: &str, second: i64) -> Set {
    let now = at(second);
    let records = &store.records;
    let hook = webhook_of(owner, name);
    let hook = records.insert_webhook(&hook, UNLIMITED, now).await;
    let webhook = hook.unwrap().id;
    let mut stays = task(webhook);
    stays.delete_after_run = false;
    let made = records.insert_task(&stays, UNLIMITED, now).await;
    let task = made.unwrap().id;
    let on = records.insert_event(&event(task), UNLIMITED, now).await;
    let event = on.unwrap().id;
    Set {
        webhook,
        task,
        event,
    }
}

pub(crate) fn webhooks_in(scope: Scope, page: Page<WebhookId>) -> WebhookQuery {
    let name = None;
    WebhookQuery { scope, name, page }
}

pub(crate) fn tasks_in(scope: Scope, page: Page<TaskId>) -> TaskQuery {
    TaskQuery {
        scope,
        creator: None,
        webhook: None,
        name: None,
        page,
    }
}

pub(crate) fn events_in(scope: Scope, page: Page<EventId>) -> EventQuery {
    EventQuery {
        scope,
        task: None,
        event_type: None,
        page,
    }
}

/// Enqueues messages of these ids, due at `at(0)`.
pub(crate) async fn enqueue(store: &Webhooks, hook: WebhookId, ids: &[&str]) -> Vec<DeliveryId> {
    let batch = ids.iter().map(|id| message(hook, id, at(0))).collect();
    let stored = store.queue.enqueue(direct(batch), at(0)).await.unwrap();
    let gatepost_storage::webhooks::Enqueued::Stored { deliveries, .. } = stored else {
        panic!("the fixture was not stored: {stored:?}");
    };
    deliveries.iter().map(|stored| stored.id).collect()
}

pub(crate) async fn hold(store: &Webhooks, owner: u128, held: bool) {
    let done = store.records.hold_owner(OwnerId(owner), held, at(0));
    done.await.unwrap();
}

/// Calls `remove_gone` until nothing is left.
pub(crate) async fn remove_all_gone(store: &Webhooks) {
    while store.records.remove_gone(100, at(0)).await.unwrap() == 100 {}
}

/// An engine's state of a realm in memory: read once, then updated by changes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Held {
    pub(crate) version: RoutesVersion,
    webhooks: BTreeMap<WebhookId, WebhookRoute>,
    pub(crate) tasks: BTreeMap<TaskId, TaskRoute>,
    pub(crate) events: BTreeMap<EventId, EventRoute>,
}

impl Held {
    pub(crate) async fn read(store: &Webhooks, place: Realm) -> Self {
        Self::of(routes(store, place).await)
    }

    fn of(routes: Routes) -> Self {
        let webhooks = routes.webhooks.into_iter();
        Self {
            version: routes.version,
            webhooks: webhooks.map(|w| (w.id, w)).collect(),
            tasks: routes.tasks.into_iter().map(|t| (t.id, t)).collect(),
            events: routes.events.into_iter().map(|e| (e.id, e)).collect(),
        }
    }

    /// Returns the part that runs something: tasks whose events exist, and the records that these
    /// need.
    pub(crate) fn that_runs(&self) -> Self {
        let mut kept = self.clone();
        kept.events.retain(|_, e| self.tasks.contains_key(&e.task));
        let used = |id: &WebhookId| self.tasks.values().any(|task| task.webhook == *id);
        kept.webhooks.retain(|id, _| used(id));
        kept
    }

    /// Brings it to the present version. Returns whether the store still knew the changes.
    pub(crate) async fn catch_up(&mut self, store: &Webhooks, place: Realm) -> bool {
        let changes = store.records.route_changes(place, self.version).await;
        let Some(changes) = changes.unwrap() else {
            *self = Self::read(store, place).await;
            return false;
        };
        self.apply(changes);
        true
    }

    fn apply(&mut self, changes: RouteChanges) {
        self.version = changes.version;
        for (id, _) in changes.webhooks.iter().filter(|(_, now)| now.is_none()) {
            self.webhooks.remove(id);
            self.tasks.retain(|_, task| task.webhook != *id);
        }
        for (id, _) in changes.tasks.iter().filter(|(_, now)| now.is_none()) {
            self.tasks.remove(id);
        }
        let gone = |task| !self.tasks.contains_key(&task);
        self.events.retain(|_, event| !gone(event.task));
        for (id, now) in changes.webhooks {
            now.map(|now| self.webhooks.insert(id, now));
        }
        for (id, now) in changes.tasks {
            now.map(|now| self.tasks.insert(id, now));
        }
        for (id, now) in changes.events {
            match now {
                Some(now) => self.events.insert(id, now),
                None => self.events.remove(&id),
            };
        }
    }
}
