//! The three records of SPEC 2.2–2.4.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
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
/// As [`KeyStore`](crate::KeyStore): `Ok` means stored, `Err` means nothing stored; times to the
/// microsecond; no clock; any number of callers; dropped futures leave all or nothing.
///
/// - Texts must come back byte for byte, headers in their order with duplicates.
/// - Secrets of a webhook (authorization, signing secrets, headers) must be sealed at rest where
///   the backend was given a sealing key.
/// - A task's owner must be its webhook's owner and an event's must be its task's, from the commit
///   that stores it on, also when the webhook of a task is changed.
/// - Every change of a record must move the version of its owner's place, in its own transaction,
///   and must not move that of another place; a change that takes a record from one owner to
///   another moves both.
/// - A task whose webhook is deleted, an event whose task is, and all that belongs to an owner who
///   is gone, must not be found, listed or counted any more.
/// - A record that cannot be read must be `Corrupt` where it is asked for by its number, and must
///   be passed over in lists (which go on until the page is full) and in routes. It can be deleted.
/// - Where several errors are true, any of them may be returned, but for `NotFound` and `Stale`,
///   which come first. An [`Action`](webhook_model::Action) that this version does not know is
///   `Invalid`.
#[async_trait]
pub trait RecordStore: OwnerStore {
    /// Stores new records in one commit: all of them, or none.
    ///
    /// Names of webhooks must be unique among the owner's; that of a deleted one is free at once.
    /// Names of tasks need not be unique.
    ///
    /// # Errors
    /// `Conflict` when the name is taken; `Invalid` when the webhook of the task or the task of an
    /// event does not exist; `Full` when their owner would have more of a kind, or more bytes,
    /// than `at_most`.
    async fn insert_records(
        &self,
        records: NewRecords,
        at_most: &RecordUsage,
        now: DateTime<Utc>,
    ) -> Result<InsertedRecords, StoreError>;

    /// What there is of each of these records, in their order: the record, nothing, or `Corrupt`.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn get_records(&self, ids: &[RecordId]) -> Result<Vec<Found<RecordRow>>, StoreError>;

    /// The heads of these records, in their order: also of one that cannot be read, but for its
    /// owner. Messages, filters and secrets must not be read for it.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn record_heads(&self, ids: &[RecordId]) -> Result<Vec<Found<RecordHead>>, StoreError>;

    /// One page of the records that match, all of the kind that is asked for. The messages of tasks
    /// are the page's [`Bodies`](crate::Bodies), and so are filters and contexts of events as text.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn list_records(&self, query: &RecordQuery) -> Result<Vec<RecordRow>, StoreError>;

    /// Replaces a whole record, which must show the revision that was read (`row.revision`), and
    /// returns the row as it is now. A webhook keeps its owner; with another owner's webhook a task
    /// and its events change theirs, with another owner's task an event does.
    ///
    /// # Errors
    /// `NotFound`, `Stale`, `Conflict` when the new name is taken, `Invalid` when the webhook of
    /// the task or the task of the event does not exist, `Full` when the record has grown and its
    /// owner would have more than `at_most` bytes. For another owner it has grown by all its bytes
    /// and those of its events.
    async fn update_record(
        &self,
        row: RecordRow,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Result<RecordRow, StoreError>;

    /// Deletes an event, or a task and its events; deliveries that it already made stay. A webhook
    /// is marked as gone, in one short commit whatever waits for it: from then on neither it nor
    /// its deliveries and their attempts are found, listed, claimed or settled (`Stale`).
    /// [`OwnerStore::remove_gone`] removes the rows.
    ///
    /// # Errors
    /// `NotFound`; `InUse` when a task sends the webhook and `cascade` is [`Cascade::Refuse`].
    async fn delete_record(
        &self,
        id: RecordId,
        cascade: Cascade,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError>;

    /// Records that cannot be read, at most `limit`, oldest first. Reads all rows of the scope.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn unreadable(
        &self,
        scope: Scope,
        limit: u32,
    ) -> Result<Vec<UnreadableRecord>, StoreError>;

    /// How much of webhooks, tasks and events the owner has, as [`usage`](OwnerStore::usage).
    ///
    /// # Errors
    /// Those of `usage`.
    async fn record_usage(&self, owner: OwnerId) -> Result<RecordUsage, StoreError> {
        Ok(self.usage(owner).await?.records)
    }

    /// What is matched in a place: the enabled tasks and events of its owners who are not held, and
    /// their webhooks, read together at one version. With `only`, what is matched of one type and
    /// event: those events, their tasks and the webhooks of those. `None` when that is more than
    /// `at_most` rows in all.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn read_routes(
        &self,
        place: Place,
        only: Option<(&EventType, &EventName)>,
        at_most: u32,
    ) -> Result<Option<Routes>, StoreError>;

    /// The current versions of places, at the cost of one lookup each: what is held in memory is up
    /// to date if it has this version. A place of which the store knows nothing has a version too.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn routes_versions(&self, places: &[Place]) -> Result<Vec<RoutesVersion>, StoreError>;

    /// What has changed in a place after `since`, at the cost of that; `None` if the store does not
    /// know all of it: the place must be read again. It knows at least the last 1,000 changes.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn route_changes(
        &self,
        place: Place,
        since: RoutesVersion,
    ) -> Result<Option<RouteChanges>, StoreError>;

    /// The clock of the database server, or `None` where the database lives in this process and
    /// has no clock of its own. The engine corrects its own time by the difference.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn server_time(&self) -> Result<Option<DateTime<Utc>>, StoreError>;

    /// [`insert_records`](Self::insert_records), of one webhook.
    ///
    /// # Errors
    /// As there.
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

    /// The webhook with this row number.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn webhook(&self, id: WebhookId) -> Result<Option<Row<WebhookId, Webhook>>, StoreError> {
        let found = self.get_records(&[id.into()]).await?.pop();
        let found = found.ok_or_else(not_returned)??;
        found.map(TryInto::try_into).transpose()
    }

    /// One page of the webhooks that match.
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

    /// [`update_record`](Self::update_record), of a webhook; rows of `at_most` are not looked at.
    ///
    /// # Errors
    /// As there.
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

    /// [`insert_records`](Self::insert_records), of one task.
    ///
    /// # Errors
    /// As there.
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

    /// The task with this row number.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn task(&self, id: TaskId) -> Result<Option<TaskRow>, StoreError> {
        let found = self.get_records(&[id.into()]).await?.pop();
        let found = found.ok_or_else(not_returned)??;
        found.map(TryInto::try_into).transpose()
    }

    /// One page of the tasks that match.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn list_tasks(&self, query: &TaskQuery) -> Result<Vec<TaskRow>, StoreError> {
        let rows = self.list_records(&query.clone().into()).await?;
        rows.into_iter().map(TryInto::try_into).collect()
    }

    /// [`update_record`](Self::update_record), of a task; rows of `at_most` are not looked at.
    ///
    /// # Errors
    /// As there.
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

    /// [`insert_records`](Self::insert_records), of one event.
    ///
    /// # Errors
    /// As there.
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

    /// The event with this row number.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    async fn event(&self, id: EventId) -> Result<Option<Row<EventId, Event>>, StoreError> {
        let found = self.get_records(&[id.into()]).await?.pop();
        let found = found.ok_or_else(not_returned)??;
        found.map(TryInto::try_into).transpose()
    }

    /// One page of the events that match.
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

    /// [`update_record`](Self::update_record), of an event; rows of `at_most` are not looked at.
    ///
    /// # Errors
    /// As there.
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

    /// Those of these webhooks that are there and can be read, in order of their row numbers.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn webhooks(
        &self,
        ids: &[WebhookId],
    ) -> Result<Vec<Row<WebhookId, Webhook>>, StoreError> {
        readable(self.get_records(&in_order(ids)).await?)
    }

    /// Those of these tasks that are there and can be read, in order of their row numbers.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn tasks(&self, ids: &[TaskId]) -> Result<Vec<TaskRow>, StoreError> {
        readable(self.get_records(&in_order(ids)).await?)
    }

    /// Those of these events that are there and can be read, in order of their row numbers.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn events(&self, ids: &[EventId]) -> Result<Vec<Row<EventId, Event>>, StoreError> {
        readable(self.get_records(&in_order(ids)).await?)
    }

    /// [`delete_record`](Self::delete_record), of a webhook.
    ///
    /// # Errors
    /// As there.
    async fn delete_webhook(
        &self,
        id: WebhookId,
        cascade: Cascade,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.delete_record(id.into(), cascade, now).await
    }

    /// [`delete_record`](Self::delete_record), of a task.
    ///
    /// # Errors
    /// As there.
    async fn delete_task(&self, id: TaskId, now: DateTime<Utc>) -> Result<(), StoreError> {
        self.delete_record(id.into(), Cascade::Refuse, now).await
    }

    /// [`delete_record`](Self::delete_record), of an event.
    ///
    /// # Errors
    /// As there.
    async fn delete_event(&self, id: EventId, now: DateTime<Utc>) -> Result<(), StoreError> {
        self.delete_record(id.into(), Cascade::Refuse, now).await
    }

    /// Who owns a record, and nothing else of it: also of one that cannot be read.
    ///
    /// # Errors
    /// `Unavailable`, `Corrupt` where its owner cannot be read.
    async fn owner_of(&self, record: RecordId) -> Result<Option<OwnerId>, StoreError> {
        let head = self.record_heads(&[record]).await?.pop();
        Ok(head.ok_or_else(not_returned)??.map(|head| head.owner))
    }

    /// [`read_routes`](Self::read_routes) of all that is matched in a place.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn routes(&self, place: Place, at_most: u32) -> Result<Option<Routes>, StoreError> {
        self.read_routes(place, None, at_most).await
    }

    /// [`read_routes`](Self::read_routes) of one type and event, however many they are: for a place
    /// that is too large to be held in memory.
    ///
    /// # Errors
    /// `Unavailable`.
    async fn routes_of(
        &self,
        place: Place,
        event_type: &EventType,
        event: &EventName,
    ) -> Result<Routes, StoreError> {
        let only = Some((event_type, event));
        let routes = self.read_routes(place, only, u32::MAX).await?;
        routes.ok_or_else(not_returned)
    }
}
