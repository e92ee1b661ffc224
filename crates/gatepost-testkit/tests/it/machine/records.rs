//! The reference store with one broken field: webhooks, tasks, events.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use gatepost_storage::webhooks::{
    Cascade, EventQuery, NamedTask, RecordId, RecordStore, RecordUsage, RouteChanges, Routes,
    RoutesVersion, TaskMessage, TaskQuery, TaskRow, UnreadableRecord, WebhookQuery,
};
use gatepost_storage::{AtMost, Row, Scope};
use webhook_model::{Event, EventId, EventName, EventType, Task, TaskId, Webhook, WebhookId};

use super::store::{Broken, Result, passed_on};

type WebhookRow = Row<WebhookId, Webhook>;
type EventRow = Row<EventId, Event>;

passed_on! { RecordStore {
    fn delete_webhook(id: WebhookId, cascade: Cascade, now: DateTime<Utc>) -> ();
    fn named_tasks(ids: &[TaskId]) -> Vec<NamedTask>;
    fn delete_task(id: TaskId, now: DateTime<Utc>) -> ();
    fn delete_event(id: EventId, now: DateTime<Utc>) -> ();
    fn owner_of(record: RecordId) -> Option<OwnerId>;
    fn unreadable(scope: Scope, limit: u32) -> Vec<UnreadableRecord>;
    fn record_usage(owner: OwnerId) -> RecordUsage;
    fn routes(place: Place, at_most: u32) -> Option<Routes>;
    fn routes_of(place: Place, event_type: &EventType, event: &EventName) -> Routes;
    fn routes_versions(places: &[Place]) -> Vec<RoutesVersion>;
    fn route_changes(place: Place, since: RoutesVersion) -> RouteChanges;
    fn messages(tasks: &[TaskId]) -> Vec<TaskMessage>;
    fn server_time() -> Option<DateTime<Utc>>;
}
    async fn insert_webhook(
        &self,
        webhook: &Webhook,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<WebhookRow> {
        let row = self.inner.insert_webhook(webhook, at_most, now).await?;
        Ok(self.webhooks.written("insert_webhook", row.id.0, None, row))
    }

    async fn webhook(&self, id: WebhookId) -> Result<Option<WebhookRow>> {
        let row = self.inner.webhook(id).await?;
        Ok(row.map(|row| self.webhooks.read("webhook", row.id.0, row)))
    }

    async fn webhooks(&self, ids: &[WebhookId]) -> Result<Vec<WebhookRow>> {
        let rows = self.inner.webhooks(ids).await?.into_iter();
        Ok(rows.map(|row| self.webhooks.read("webhooks", row.id.0, row)).collect())
    }

    async fn list_webhooks(&self, query: &WebhookQuery) -> Result<Vec<WebhookRow>> {
        let rows = self.inner.list_webhooks(query).await?.into_iter();
        Ok(rows.map(|row| self.webhooks.read("list_webhooks", row.id.0, row)).collect())
    }

    async fn update_webhook(
        &self,
        row: &WebhookRow,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<WebhookRow> {
        let new = self.inner.update_webhook(row, at_most, now).await?;
        Ok(self.webhooks.written("update_webhook", new.id.0, Some(row), new))
    }

    async fn insert_task(&self, task: &Task, at_most: AtMost, now: DateTime<Utc>) -> Result<TaskRow> {
        let row = self.inner.insert_task(task, at_most, now).await?;
        Ok(self.tasks.written("insert_task", row.id.0, None, row))
    }

    async fn task(&self, id: TaskId) -> Result<Option<TaskRow>> {
        let row = self.inner.task(id).await?;
        Ok(row.map(|row| self.tasks.read("task", row.id.0, row)))
    }

    async fn list_tasks(&self, query: &TaskQuery) -> Result<Vec<TaskRow>> {
        let rows = self.inner.list_tasks(query).await?.into_iter();
        Ok(rows.map(|row| self.tasks.read("list_tasks", row.id.0, row)).collect())
    }

    async fn update_task(&self, row: &TaskRow, at_most: AtMost, now: DateTime<Utc>) -> Result<TaskRow> {
        let new = self.inner.update_task(row, at_most, now).await?;
        Ok(self.tasks.written("update_task", new.id.0, Some(row), new))
    }

    async fn insert_event(&self, event: &Event, at_most: AtMost, now: DateTime<Utc>) -> Result<EventRow> {
        let row = self.inner.insert_event(event, at_most, now).await?;
        Ok(self.events.written("insert_event", row.id.0, None, row))
    }

    async fn event(&self, id: EventId) -> Result<Option<EventRow>> {
        let row = self.inner.event(id).await?;
        Ok(row.map(|row| self.events.read("event", row.id.0, row)))
    }

    async fn list_events(&self, query: &EventQuery) -> Result<Vec<EventRow>> {
        let rows = self.inner.list_events(query).await?.into_iter();
        Ok(rows.map(|row| self.events.read("list_events", row.id.0, row)).collect())
    }

    async fn update_event(&self, row: &EventRow, at_most: AtMost, now: DateTime<Utc>) -> Result<EventRow> {
        let new = self.inner.update_event(row, at_most, now).await?;
        Ok(self.events.written("update_event", new.id.0, Some(row), new))
    }
}
