//! The three records of SPEC 2.2–2.4.

use std::collections::BTreeSet;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use webhook_model::{Event, EventId, EventName, EventType, Task, TaskId, Webhook, WebhookId};

use super::routes::{RecordId, RouteChanges, Routes, RoutesVersion, TaskMessage, UnreadableRecord};
use super::task_row::{NamedTask, TaskRow};
use crate::error::{ErrorKind, StoreError};
use crate::owners::OwnerStore;
use crate::page::{AtMost, Page, Row, Scope};

/// Which webhooks to list: those that match all that is `Some`.
#[derive(Clone, Debug, PartialEq)]
pub struct WebhookQuery {
    /// Whose webhooks.
    pub scope: Scope,
    /// Only the webhook of exactly this name.
    pub name: Option<String>,
    /// The page.
    pub page: Page<WebhookId>,
}

/// Which tasks to list: those that match all that is `Some`.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskQuery {
    /// Whose tasks.
    pub scope: Scope,
    /// Only tasks made by this user.
    pub creator: Option<OwnerId>,
    /// Only tasks that send this webhook.
    pub webhook: Option<WebhookId>,
    /// Only tasks of exactly this name.
    pub name: Option<String>,
    /// The page.
    pub page: Page<TaskId>,
}

/// Which events to list: those that match all that is `Some`.
#[derive(Clone, Debug, PartialEq)]
pub struct EventQuery {
    /// Whose events.
    pub scope: Scope,
    /// Only events that trigger this task.
    pub task: Option<TaskId>,
    /// Only events of this type.
    pub event_type: Option<EventType>,
    /// The page.
    pub page: Page<EventId>,
}

/// How much of webhooks, tasks and events an owner has.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct RecordUsage {
    /// Webhooks.
    pub webhooks: u64,
    /// Tasks.
    pub tasks: u64,
    /// Events.
    pub events: u64,
    /// Bytes of all three, as their `stored_bytes` say.
    pub bytes: u64,
}

/// What to do with the tasks of a webhook that is deleted.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Cascade {
    /// Refuse with `InUse` while a task sends this webhook.
    Refuse,
    /// Delete those tasks and their events too.
    Tasks,
}

/// Stores webhooks, tasks and events.
///
/// # Contract
/// As [`KeyStore`](crate::KeyStore): `Ok` means stored, `Err` means nothing stored; times to the
/// microsecond; no clock; any number of callers; dropped futures leave all or nothing. Texts come
/// back byte for byte, headers in their order with duplicates. Secrets of a webhook (authorization,
/// signing secrets, headers) are sealed at rest where the backend was given a sealing key.
///
/// An update must show the revision that it read (`row.revision`) and replaces the whole record; it
/// returns the row as it is now. Where several errors are true, any of them may be returned, but
/// for `NotFound` and `Stale`, which come first. An [`Action`](webhook_model::Action) that this
/// version does not know is `Invalid`.
///
/// - A task's owner is its webhook's owner and an event's is its task's, from the commit that
///   stores it on, also when the webhook of a task is changed.
/// - Every change of a record moves the version of its owner's place, in its own transaction, and
///   of no other place; so does a change that takes a record from one owner to another for both.
/// - A task whose webhook is deleted, an event whose task is, and all that belongs to an owner who
///   is gone, are not found, listed or counted any more.
/// - A row that cannot be read is `Corrupt` where it is asked for alone, and passed over in lists
///   (which go on until the page is full) and in routes. It can be deleted.
#[async_trait]
pub trait RecordStore: OwnerStore {
    /// Stores a new webhook. Names are unique among the owner's webhooks; that of a deleted one is
    /// free at once.
    ///
    /// # Errors
    /// `Conflict` when the name is taken; `Full` when the owner would have more than `at_most`.
    async fn insert_webhook(
        &self,
        webhook: &Webhook,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>, StoreError>;

    /// The webhook with this row number.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn webhook(&self, id: WebhookId) -> Result<Option<Row<WebhookId, Webhook>>, StoreError>;

    /// Those of these webhooks that are there and can be read, in order of their row numbers.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn webhooks(&self, ids: &[WebhookId])
    -> Result<Vec<Row<WebhookId, Webhook>>, StoreError>;

    /// One page of the webhooks that match.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn list_webhooks(
        &self,
        query: &WebhookQuery,
    ) -> Result<Vec<Row<WebhookId, Webhook>>, StoreError>;

    /// Replaces the webhook, but for its owner, which stays.
    ///
    /// # Errors
    /// `NotFound`, `Stale`, `Conflict` when the new name is taken, `Full` when the record has grown
    /// and the owner would have more bytes than `at_most` (its rows are not looked at).
    async fn update_webhook(
        &self,
        row: &Row<WebhookId, Webhook>,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>, StoreError>;

    /// Marks the webhook as gone, in one short commit whatever waits for it: from then on neither
    /// it nor its deliveries and their attempts are found, listed, claimed or settled
    /// (`Stale`). [`OwnerStore::remove_gone`] removes the rows.
    ///
    /// # Errors
    /// `NotFound`; `InUse` when a task sends it and `cascade` is [`Cascade::Refuse`].
    async fn delete_webhook(
        &self,
        id: WebhookId,
        cascade: Cascade,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Stores a new task. Names of tasks need not be unique.
    ///
    /// # Errors
    /// `Invalid` when its webhook does not exist; `Full` when the webhook's owner would have more
    /// than `at_most`.
    async fn insert_task(
        &self,
        task: &Task,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<TaskRow, StoreError>;

    /// The task with this row number.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn task(&self, id: TaskId) -> Result<Option<TaskRow>, StoreError>;

    /// The names of those of these tasks that are there and whose names can be read, in order of
    /// their row numbers, and whether each is enabled: what a list of events shows beside its rows.
    /// Their messages, which may be large, are not read.
    ///
    /// Without an implementation of its own a store is asked for each of them, with its message.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn named_tasks(&self, ids: &[TaskId]) -> Result<Vec<NamedTask>, StoreError> {
        let ids: BTreeSet<_> = ids.iter().copied().collect();
        let mut named = Vec::with_capacity(ids.len());
        for id in ids {
            match self.task(id).await {
                Err(error) if error.kind() == ErrorKind::Corrupt => {}
                row => named.extend(row?.as_ref().map(NamedTask::of)),
            }
        }
        Ok(named)
    }

    /// One page of the tasks that match. Their messages are the page's
    /// [`Bodies`](crate::Bodies).
    ///
    /// # Errors
    /// `Unavailable`.
    async fn list_tasks(&self, query: &TaskQuery) -> Result<Vec<TaskRow>, StoreError>;

    /// Replaces the task. With another owner's webhook the task
    /// and its events change their owner.
    ///
    /// # Errors
    /// `NotFound`, `Stale`, `Invalid` when its webhook does not exist, `Full` as for
    /// [`update_webhook`](Self::update_webhook): for another owner it has grown by all its bytes
    /// and those of its events.
    async fn update_task(
        &self,
        row: &TaskRow,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<TaskRow, StoreError>;

    /// Deletes the task and its events. Deliveries that it already made stay.
    ///
    /// # Errors
    /// `NotFound`.
    async fn delete_task(&self, id: TaskId, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Stores a new event.
    ///
    /// # Errors
    /// `Invalid` when its task does not exist; `Full` when the task's owner would have more than
    /// `at_most`.
    async fn insert_event(
        &self,
        event: &Event,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<Row<EventId, Event>, StoreError>;

    /// The event with this row number.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn event(&self, id: EventId) -> Result<Option<Row<EventId, Event>>, StoreError>;

    /// One page of the events that match. Their filters and contexts, as text, are the page's
    /// [`Bodies`](crate::Bodies).
    ///
    /// # Errors
    /// `Unavailable`.
    async fn list_events(&self, query: &EventQuery)
    -> Result<Vec<Row<EventId, Event>>, StoreError>;

    /// Replaces the event.
    ///
    /// # Errors
    /// `NotFound`, `Stale`, `Invalid` when its task does not exist, `Full` as for
    /// [`update_webhook`](Self::update_webhook).
    async fn update_event(
        &self,
        row: &Row<EventId, Event>,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<Row<EventId, Event>, StoreError>;

    /// Deletes the event.
    ///
    /// # Errors
    /// `NotFound`.
    async fn delete_event(&self, id: EventId, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Who owns a record, and nothing else of it: also of one that cannot be read.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn owner_of(&self, record: RecordId) -> Result<Option<OwnerId>, StoreError>;

    /// Records that cannot be read, at most `limit`, oldest first. Reads all rows of the scope.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn unreadable(
        &self,
        scope: Scope,
        limit: u32,
    ) -> Result<Vec<UnreadableRecord>, StoreError>;

    /// How much of webhooks, tasks and events the owner has.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn record_usage(&self, owner: OwnerId) -> Result<RecordUsage, StoreError>;

    /// What is matched in a place: the enabled tasks and events of its owners who are not held, and
    /// their webhooks, read together at one version. `None` when that is more than `at_most` rows
    /// in all.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn routes(&self, place: Place, at_most: u32) -> Result<Option<Routes>, StoreError>;

    /// As [`routes`](Self::routes), of one type and event only, with the tasks and webhooks of
    /// those events: for a place that is too large to be held in memory.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn routes_of(
        &self,
        place: Place,
        event_type: &EventType,
        event: &EventName,
    ) -> Result<Routes, StoreError>;

    /// The current versions of places, at the cost of one lookup each: what is held in memory is up
    /// to date if it has this version. A place of which the store knows nothing has a version too.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn routes_versions(&self, places: &[Place]) -> Result<Vec<RoutesVersion>, StoreError>;

    /// What has changed in a place after `since`, at the cost of what has changed. A store
    /// remembers at least the last 1,000 changes of a place.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn route_changes(
        &self,
        place: Place,
        since: RoutesVersion,
    ) -> Result<RouteChanges, StoreError>;

    /// The messages of tasks; those that are gone or cannot be read are left out.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn messages(&self, tasks: &[TaskId]) -> Result<Vec<TaskMessage>, StoreError>;

    /// The clock of the database server, or `None` where the database lives in this process and
    /// has no clock of its own. The engine corrects its own time by the difference.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn server_time(&self) -> Result<Option<DateTime<Utc>>, StoreError>;
}
