//! The three records of SPEC 2.2–2.4.

use std::fmt;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use webhook_model::{Event, EventId, EventType, OwnerId, Task, TaskId, Webhook, WebhookId};

use crate::error::StoreError;
use crate::page::{Page, Revision, Row};

/// A task as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskRow {
    /// The row number: positive, never given out twice.
    pub id: TaskId,
    /// Counts the changes of this row. A recorded run is not a change.
    pub revision: Revision,
    /// When the row was inserted.
    pub created: DateTime<Utc>,
    /// When it was last changed.
    pub modified: DateTime<Utc>,
    /// When it last ran, as recorded by [`RecordStore::record_task_runs`].
    pub last_run: Option<DateTime<Utc>>,
    /// The record.
    pub task: Task,
}

/// Which webhooks to list: those that match all that is `Some`.
#[derive(Clone, Debug, PartialEq)]
pub struct WebhookQuery {
    /// Only webhooks of this owner.
    pub owner: Option<OwnerId>,
    /// Only the webhook of exactly this name.
    pub name: Option<String>,
    /// The page.
    pub page: Page<WebhookId>,
}

/// Which tasks to list: those that match all that is `Some`.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskQuery {
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
    /// Only events that trigger this task.
    pub task: Option<TaskId>,
    /// Only events of this type.
    pub event_type: Option<EventType>,
    /// The page.
    pub page: Page<EventId>,
}

/// What to do with the tasks of a webhook that is deleted.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Cascade {
    /// Refuse with `InUse` while a task sends this webhook.
    Refuse,
    /// Delete those tasks and their events too.
    Tasks,
}

/// Counts the changes of webhooks, tasks and events in one store. Every insert, update and deletion
/// of one, by any process, moves it in the same transaction.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct RoutesVersion(pub i64);

/// All records at one version: what is needed to tell which tasks an occurrence runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Routes {
    /// The version at which the three lists were read.
    pub version: RoutesVersion,
    /// All webhooks.
    pub webhooks: Vec<Row<WebhookId, Webhook>>,
    /// All tasks.
    pub tasks: Vec<TaskRow>,
    /// All events.
    pub events: Vec<Row<EventId, Event>>,
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
/// returns the row as it is now.
#[async_trait]
pub trait RecordStore: fmt::Debug + Send + Sync + 'static {
    /// Stores a new webhook. Names are unique in the store.
    ///
    /// # Errors
    /// `Conflict` when the name is taken.
    async fn insert_webhook(
        &self,
        webhook: &Webhook,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>, StoreError>;

    /// The webhook with this row number.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn webhook(&self, id: WebhookId) -> Result<Option<Row<WebhookId, Webhook>>, StoreError>;

    /// One page of the webhooks that match.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn list_webhooks(
        &self,
        query: &WebhookQuery,
    ) -> Result<Vec<Row<WebhookId, Webhook>>, StoreError>;

    /// Replaces the webhook.
    ///
    /// # Errors
    /// `NotFound`, `Stale`, `Conflict` when the new name is taken.
    async fn update_webhook(
        &self,
        row: &Row<WebhookId, Webhook>,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>, StoreError>;

    /// Deletes the webhook with all its deliveries and their attempts. A delivery that is being
    /// sent goes too; its settlement will be `Stale`.
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
    /// `Invalid` when its webhook does not exist.
    async fn insert_task(&self, task: &Task, now: DateTime<Utc>) -> Result<TaskRow, StoreError>;

    /// The task with this row number.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn task(&self, id: TaskId) -> Result<Option<TaskRow>, StoreError>;

    /// One page of the tasks that match.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn list_tasks(&self, query: &TaskQuery) -> Result<Vec<TaskRow>, StoreError>;

    /// Replaces the task; `last_run` of `row` is not read.
    ///
    /// # Errors
    /// `NotFound`, `Stale`, `Invalid` when its webhook does not exist.
    async fn update_task(&self, row: &TaskRow, now: DateTime<Utc>) -> Result<TaskRow, StoreError>;

    /// Deletes the task and its events. Deliveries that it already made stay.
    ///
    /// # Errors
    /// `NotFound`.
    async fn delete_task(&self, id: TaskId, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// Records when tasks last ran; the newest wins, tasks that are gone are skipped. Moves neither
    /// revision nor routes version.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn record_task_runs(&self, runs: &[(TaskId, DateTime<Utc>)]) -> Result<(), StoreError>;

    /// Stores a new event.
    ///
    /// # Errors
    /// `Invalid` when its task does not exist.
    async fn insert_event(
        &self,
        event: &Event,
        now: DateTime<Utc>,
    ) -> Result<Row<EventId, Event>, StoreError>;

    /// The event with this row number.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn event(&self, id: EventId) -> Result<Option<Row<EventId, Event>>, StoreError>;

    /// One page of the events that match.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn list_events(&self, query: &EventQuery)
    -> Result<Vec<Row<EventId, Event>>, StoreError>;

    /// Replaces the event.
    ///
    /// # Errors
    /// `NotFound`, `Stale`, `Invalid` when its task does not exist.
    async fn update_event(
        &self,
        row: &Row<EventId, Event>,
        now: DateTime<Utc>,
    ) -> Result<Row<EventId, Event>, StoreError>;

    /// Deletes the event.
    ///
    /// # Errors
    /// `NotFound`.
    async fn delete_event(&self, id: EventId, now: DateTime<Utc>) -> Result<(), StoreError>;

    /// All records, read together at one version.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn routes(&self) -> Result<Routes, StoreError>;

    /// The current version of the records, at the cost of one lookup: what is held in memory is up
    /// to date if it has this version.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn routes_version(&self) -> Result<RoutesVersion, StoreError>;

    /// The clock of the database server, or `None` where the database lives in this process and
    /// has no clock of its own. The engine corrects its own time by the difference.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn server_time(&self) -> Result<Option<DateTime<Utc>>, StoreError>;
}
