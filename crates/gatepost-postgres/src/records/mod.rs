//! Webhooks, tasks and events.

mod beside;
mod event;
mod reseal;
mod routes;
mod scope;
mod statement;
mod table;
mod task;
mod unreadable;
mod webhook;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use gatepost_storage::webhooks::{
    Cascade, EventQuery, NamedTask, RecordId, RecordStore, RecordUsage, RouteChanges, Routes,
    RoutesVersion, TaskMessage, TaskQuery, TaskRow, UnreadableRecord, WebhookQuery,
};
use gatepost_storage::{AtMost, Row, Scope};
use webhook_model::{Event, EventId, EventName, EventType, Task, TaskId, Webhook, WebhookId};

pub(crate) use self::scope::scoped;
use crate::error::{Answer, Failure};
use crate::store::PostgresStore;

#[async_trait]
impl RecordStore for PostgresStore {
    async fn insert_webhook(
        &self,
        webhook: &Webhook,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<Row<WebhookId, Webhook>> {
        let added = self.add_webhook(webhook, at_most, now).await;
        added.map_err(Failure::of_insertion)
    }

    async fn webhook(&self, id: WebhookId) -> Answer<Option<Row<WebhookId, Webhook>>> {
        Ok(self.find_webhook(id).await?)
    }

    async fn webhooks(&self, ids: &[WebhookId]) -> Answer<Vec<Row<WebhookId, Webhook>>> {
        Ok(self.find_webhooks(ids).await?)
    }

    async fn list_webhooks(&self, query: &WebhookQuery) -> Answer<Vec<Row<WebhookId, Webhook>>> {
        Ok(self.some_webhooks(query).await?)
    }

    async fn update_webhook(
        &self,
        row: &Row<WebhookId, Webhook>,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<Row<WebhookId, Webhook>> {
        Ok(self.change_webhook(row, at_most, now).await?)
    }

    async fn delete_webhook(
        &self,
        id: WebhookId,
        cascade: Cascade,
        _now: DateTime<Utc>,
    ) -> Answer<()> {
        Ok(self.remove_webhook(id, cascade).await?)
    }

    async fn insert_task(
        &self,
        task: &Task,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<TaskRow> {
        let added = self.add_task(task, at_most, now).await;
        added.map_err(Failure::of_insertion)
    }

    async fn task(&self, id: TaskId) -> Answer<Option<TaskRow>> {
        Ok(self.find_task(id).await?)
    }

    async fn named_tasks(&self, ids: &[TaskId]) -> Answer<Vec<NamedTask>> {
        Ok(self.find_task_names(ids).await?)
    }

    async fn list_tasks(&self, query: &TaskQuery) -> Answer<Vec<TaskRow>> {
        Ok(self.some_tasks(query).await?)
    }

    async fn update_task(
        &self,
        row: &TaskRow,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<TaskRow> {
        Ok(self.change_task(row, at_most, now).await?)
    }

    async fn delete_task(&self, id: TaskId, _now: DateTime<Utc>) -> Answer<()> {
        Ok(self.remove_task(id).await?)
    }

    async fn insert_event(
        &self,
        event: &Event,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<Row<EventId, Event>> {
        let added = self.add_event(event, at_most, now).await;
        added.map_err(Failure::of_insertion)
    }

    async fn event(&self, id: EventId) -> Answer<Option<Row<EventId, Event>>> {
        Ok(self.find_event(id).await?)
    }

    async fn list_events(&self, query: &EventQuery) -> Answer<Vec<Row<EventId, Event>>> {
        Ok(self.some_events(query).await?)
    }

    async fn update_event(
        &self,
        row: &Row<EventId, Event>,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<Row<EventId, Event>> {
        Ok(self.change_event(row, at_most, now).await?)
    }

    async fn delete_event(&self, id: EventId, _now: DateTime<Utc>) -> Answer<()> {
        Ok(self.remove_event(id).await?)
    }

    async fn owner_of(&self, record: RecordId) -> Answer<Option<OwnerId>> {
        Ok(self.whose(record).await?)
    }

    async fn unreadable(&self, scope: Scope, limit: u32) -> Answer<Vec<UnreadableRecord>> {
        Ok(self.unreadable_records(scope, limit).await?)
    }

    async fn record_usage(&self, owner: OwnerId) -> Answer<RecordUsage> {
        Ok(self.used_by_records(owner).await?)
    }

    async fn routes(&self, place: Place, at_most: u32) -> Answer<Option<Routes>> {
        Ok(self.all_routes(place, at_most).await?)
    }

    async fn routes_of(
        &self,
        place: Place,
        event_type: &EventType,
        event: &EventName,
    ) -> Answer<Routes> {
        Ok(self.some_routes(place, event_type, event).await?)
    }

    async fn routes_versions(&self, places: &[Place]) -> Answer<Vec<RoutesVersion>> {
        Ok(self.versions(places).await?)
    }

    async fn route_changes(&self, place: Place, since: RoutesVersion) -> Answer<RouteChanges> {
        Ok(self.changed_routes(place, since).await?)
    }

    async fn messages(&self, tasks: &[TaskId]) -> Answer<Vec<TaskMessage>> {
        Ok(self.some_messages(tasks).await?)
    }

    async fn server_time(&self) -> Answer<Option<DateTime<Utc>>> {
        let row = self.db().query_opt("SELECT clock_timestamp()", &[]).await?;
        Ok(row
            .map(|row| row.try_get(0))
            .transpose()
            .map_err(Failure::from)?)
    }
}
