//! The storage trait for the three records of SPEC 2.2–2.4.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Realm};
use webhook_model::{Event, EventId, EventName, EventType, Task, TaskId, Webhook, WebhookId};

use super::record::{
    Cascade, Found, InsertedRecords, NewRecords, RecordHead, RecordId, RecordRow, TaskRow,
    in_order, not_returned, readable,
};
use super::record_query::{EventQuery, RecordQuery, TaskQuery, WebhookQuery};
use super::routes::{RouteChanges, Routes, RoutesVersion, UnreadableRecord};
use crate::error::StoreError;
use crate::owners::{OwnerStore, RecordUsage};
use crate::page::{AtMost, Row, Scope};

/// Stores webhooks, tasks and events.
///
/// # Contract
/// The general rules of [`KeyStore`](crate::KeyStore) apply: `Ok` means stored, `Err` means nothing
/// stored; times to the microsecond; a store must not read a clock; any number of callers may call
/// at the same time; a dropped future must leave all of the change or nothing.
///
/// - Texts must be returned byte for byte, headers in their order with duplicates.
/// - Secrets of a webhook (authorization, signing secrets, headers) must be sealed at rest if the
///   backend has a sealing key.
/// - A task's owner must be its webhook's owner, and an event's must be its task's, from the commit
///   that stores it, also if the webhook of a task is changed.
/// - Every change of a record must change the version of its owner's realm in its own transaction,
///   and must not change that of another realm. A change that gives a record to another owner must
///   change the versions of both realms.
/// - A task of a deleted webhook, an event of a deleted task, and all data of a deleted owner must
///   not be found, listed or counted.
/// - A record that cannot be read must be `Corrupt` if it is requested by its number. Lists (which
///   continue until the page is full) and routes must skip it. It must be possible to delete it.
/// - If several errors apply, the store may return any of them, but `NotFound` and `Stale` take
///   precedence. An [`Action`](webhook_model::Action) that this version does not know is `Invalid`.
#[async_trait]
pub trait RecordStore: OwnerStore {
    /// Stores new records in one commit: all of them, or none.
    ///
    /// - Names of webhooks must be unique for each owner; the name of a deleted webhook is free
    ///   immediately.
    /// - Names of tasks need not be unique.
    ///
    /// # Errors
    /// `Conflict` if the name is taken; `Invalid` if the webhook of the task or the task of an
    /// event does not exist; `Full` if their owner would have more of a kind, or more bytes, than
    /// `at_most`.
    async fn insert_records(
        &self,
        records: NewRecords,
        at_most: &RecordUsage,
        now: DateTime<Utc>,
    ) -> Result<InsertedRecords, StoreError>;

    /// Returns the lookup result for each of these records, in their order.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn get_records(&self, ids: &[RecordId]) -> Result<Vec<Found<RecordRow>>, StoreError>;

    /// Returns the summaries of these records, in their order, also for a record that cannot be
    /// read, unless its owner cannot be read. The store must not read messages, filters and secrets
    /// for it.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn record_heads(&self, ids: &[RecordId]) -> Result<Vec<Found<RecordHead>>, StoreError>;

    /// Returns one page of the records of one kind that match. The page's [`Bodies`](crate::Bodies)
    /// select the messages of tasks, and the filters and contexts of events.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn list_records(&self, query: &RecordQuery) -> Result<Vec<RecordRow>, StoreError>;

    /// Replaces a whole record, if its revision is still `row.revision`, and returns the new row.
    ///
    /// - A webhook must keep its owner.
    /// - A task that is assigned to another owner's webhook, and its events, must change their
    ///   owner. An event that is assigned to another owner's task must change its owner.
    ///
    /// # Errors
    /// `NotFound`, `Stale`, `Conflict` if the new name is taken, `Invalid` if the webhook of the
    /// task or the task of the event does not exist, `Full` if the record has grown and its owner
    /// would have more than `at_most` bytes. For a new owner the record has grown by all its bytes
    /// and those of its events.
    async fn update_record(
        &self,
        row: RecordRow,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Result<RecordRow, StoreError>;

    /// Deletes an event, a task with its events, or a webhook. Deliveries that a deleted task made
    /// must stay.
    ///
    /// A webhook must be marked as deleted in one short commit, whatever waits for it. From then on
    /// neither it nor its deliveries and their attempts may be found, listed, claimed or settled
    /// (`Stale`). [`OwnerStore::remove_gone`] removes the rows.
    ///
    /// # Errors
    /// `NotFound`; `InUse` if a task sends the webhook and `cascade` is [`Cascade::Refuse`].
    async fn delete_record(
        &self,
        id: RecordId,
        cascade: Cascade,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Returns records that cannot be read, at most `limit`, oldest first. It reads all rows of the
    /// scope.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn unreadable(
        &self,
        scope: Scope,
        limit: u32,
    ) -> Result<Vec<UnreadableRecord>, StoreError>;

    /// Returns the number and size of the owner's webhooks, tasks and events, as
    /// [`usage`](OwnerStore::usage) does.
    ///
    /// # Errors
    /// The errors of `usage`.
    async fn record_usage(&self, owner: OwnerId) -> Result<RecordUsage, StoreError> {
        Ok(self.usage(owner).await?.records)
    }

    /// Returns the routes of a realm at one version: the enabled tasks and events of its owners who
    /// are not suspended, and their webhooks. With `only`, it returns the events of one type and
    /// name, their tasks and the webhooks of those. Returns `None` if that is more than `at_most`
    /// rows in all.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn read_routes(
        &self,
        place: Realm,
        only: Option<(&EventType, &EventName)>,
        at_most: u32,
    ) -> Result<Option<Routes>, StoreError>;

    /// Returns the current versions of realms, with one lookup each. Routes in memory are up to
    /// date if they have this version. A realm without any data has a version too.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn routes_versions(&self, places: &[Realm]) -> Result<Vec<RoutesVersion>, StoreError>;

    /// Returns the changes in a realm after `since`; `None` if the store does not know all of them,
    /// and the realm must be read again. The store must know at least the last 1,000 changes. The
    /// cost must be proportional to the changes.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn route_changes(
        &self,
        place: Realm,
        since: RoutesVersion,
    ) -> Result<Option<RouteChanges>, StoreError>;

    /// Returns the time of the database server, or `None` if the database is part of this process
    /// and has no clock. The engine corrects its own time by the difference.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn server_time(&self) -> Result<Option<DateTime<Utc>>, StoreError>;

    /// Stores one webhook, by [`insert_records`](Self::insert_records).
    ///
    /// # Errors
    /// The errors of `insert_records`.
    async fn insert_webhook(
        &self,
        webhook: &Webhook,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>, StoreError> {
        let at_most = RecordUsage::from(at_most);
        let inserted = self
            .insert_records(webhook.clone().into(), &at_most, now)
            .await?;
        inserted.webhook.ok_or_else(not_returned)
    }

    /// Returns the webhook with this row number.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn webhook(&self, id: WebhookId) -> Result<Option<Row<WebhookId, Webhook>>, StoreError> {
        let found = self.get_records(&[id.into()]).await?.pop();
        let found = found.ok_or_else(not_returned)??;
        found.map(TryInto::try_into).transpose()
    }

    /// Returns one page of the webhooks that match.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn list_webhooks(
        &self,
        query: &WebhookQuery,
    ) -> Result<Vec<Row<WebhookId, Webhook>>, StoreError> {
        let rows = self.list_records(&query.clone().into()).await?;
        rows.into_iter().map(TryInto::try_into).collect()
    }

    /// Replaces a webhook, by [`update_record`](Self::update_record). The rows of `at_most` are
    /// ignored.
    ///
    /// # Errors
    /// The errors of `update_record`.
    async fn update_webhook(
        &self,
        row: &Row<WebhookId, Webhook>,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>, StoreError> {
        let row = self
            .update_record(row.clone().into(), at_most.bytes, now)
            .await?;
        row.try_into()
    }

    /// Stores one task, by [`insert_records`](Self::insert_records).
    ///
    /// # Errors
    /// The errors of `insert_records`.
    async fn insert_task(
        &self,
        task: &Task,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<TaskRow, StoreError> {
        let at_most = RecordUsage::from(at_most);
        let inserted = self
            .insert_records(task.clone().into(), &at_most, now)
            .await?;
        inserted.task.ok_or_else(not_returned)
    }

    /// Returns the task with this row number.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn task(&self, id: TaskId) -> Result<Option<TaskRow>, StoreError> {
        let found = self.get_records(&[id.into()]).await?.pop();
        let found = found.ok_or_else(not_returned)??;
        found.map(TryInto::try_into).transpose()
    }

    /// Returns one page of the tasks that match.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn list_tasks(&self, query: &TaskQuery) -> Result<Vec<TaskRow>, StoreError> {
        let rows = self.list_records(&query.clone().into()).await?;
        rows.into_iter().map(TryInto::try_into).collect()
    }

    /// Replaces a task, by [`update_record`](Self::update_record). The rows of `at_most` are
    /// ignored.
    ///
    /// # Errors
    /// The errors of `update_record`.
    async fn update_task(
        &self,
        row: &TaskRow,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<TaskRow, StoreError> {
        let row = self
            .update_record(row.clone().into(), at_most.bytes, now)
            .await?;
        row.try_into()
    }

    /// Stores one event, by [`insert_records`](Self::insert_records).
    ///
    /// # Errors
    /// The errors of `insert_records`.
    async fn insert_event(
        &self,
        event: &Event,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<Row<EventId, Event>, StoreError> {
        let at_most = RecordUsage::from(at_most);
        let inserted = self
            .insert_records(event.clone().into(), &at_most, now)
            .await?;
        inserted.events.into_iter().next().ok_or_else(not_returned)
    }

    /// Returns the event with this row number.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn event(&self, id: EventId) -> Result<Option<Row<EventId, Event>>, StoreError> {
        let found = self.get_records(&[id.into()]).await?.pop();
        let found = found.ok_or_else(not_returned)??;
        found.map(TryInto::try_into).transpose()
    }

    /// Returns one page of the events that match.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn list_events(
        &self,
        query: &EventQuery,
    ) -> Result<Vec<Row<EventId, Event>>, StoreError> {
        let rows = self.list_records(&query.clone().into()).await?;
        rows.into_iter().map(TryInto::try_into).collect()
    }

    /// Replaces an event, by [`update_record`](Self::update_record). The rows of `at_most` are
    /// ignored.
    ///
    /// # Errors
    /// The errors of `update_record`.
    async fn update_event(
        &self,
        row: &Row<EventId, Event>,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<Row<EventId, Event>, StoreError> {
        let row = self
            .update_record(row.clone().into(), at_most.bytes, now)
            .await?;
        row.try_into()
    }

    /// Returns those of these webhooks that exist and can be read, in order of their row numbers.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn webhooks(
        &self,
        ids: &[WebhookId],
    ) -> Result<Vec<Row<WebhookId, Webhook>>, StoreError> {
        readable(self.get_records(&in_order(ids)).await?)
    }

    /// Returns those of these tasks that exist and can be read, in order of their row numbers.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn tasks(&self, ids: &[TaskId]) -> Result<Vec<TaskRow>, StoreError> {
        readable(self.get_records(&in_order(ids)).await?)
    }

    /// Returns those of these events that exist and can be read, in order of their row numbers.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn events(&self, ids: &[EventId]) -> Result<Vec<Row<EventId, Event>>, StoreError> {
        readable(self.get_records(&in_order(ids)).await?)
    }

    /// Deletes a webhook, by [`delete_record`](Self::delete_record).
    ///
    /// # Errors
    /// The errors of `delete_record`.
    async fn delete_webhook(
        &self,
        id: WebhookId,
        cascade: Cascade,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.delete_record(id.into(), cascade, now).await
    }

    /// Deletes a task, by [`delete_record`](Self::delete_record).
    ///
    /// # Errors
    /// The errors of `delete_record`.
    async fn delete_task(&self, id: TaskId, now: DateTime<Utc>) -> Result<(), StoreError> {
        self.delete_record(id.into(), Cascade::Refuse, now).await
    }

    /// Deletes an event, by [`delete_record`](Self::delete_record).
    ///
    /// # Errors
    /// The errors of `delete_record`.
    async fn delete_event(&self, id: EventId, now: DateTime<Utc>) -> Result<(), StoreError> {
        self.delete_record(id.into(), Cascade::Refuse, now).await
    }

    /// Returns the owner of a record, also if the rest of it cannot be read.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt` if its owner cannot be read.
    async fn owner_of(&self, record: RecordId) -> Result<Option<OwnerId>, StoreError> {
        let head = self.record_heads(&[record]).await?.pop();
        Ok(head.ok_or_else(not_returned)??.map(|head| head.owner))
    }

    /// Returns all routes of a realm, by [`read_routes`](Self::read_routes).
    ///
    /// # Errors
    /// `Unavailable`.
    async fn routes(&self, place: Realm, at_most: u32) -> Result<Option<Routes>, StoreError> {
        self.read_routes(place, None, at_most).await
    }

    /// Returns the routes for one type and event, however many they are, by
    /// [`read_routes`](Self::read_routes): for a realm that is too large to be held in memory.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn routes_of(
        &self,
        place: Realm,
        event_type: &EventType,
        event: &EventName,
    ) -> Result<Routes, StoreError> {
        let only = Some((event_type, event));
        let routes = self.read_routes(place, only, u32::MAX).await?;
        routes.ok_or_else(not_returned)
    }
}
