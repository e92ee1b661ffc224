//! Webhooks, tasks and events in memory.

mod change;
mod events;
mod tasks;
mod webhooks;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use webhook_model::{
    Action, Event, EventId, EventName, EventType, Task, TaskId, Webhook, WebhookId,
};

use super::record_table::{EventRow, WebhookRow};
use super::store::MemoryStore;
use crate::error::StoreError;
use crate::page::{AtMost, Scope};
use crate::webhooks::{
    Cascade, EventQuery, RecordId, RecordStore, RecordUsage, RouteChanges, Routes, RoutesVersion,
    TaskMessage, TaskQuery, TaskRow, UnreadableRecord, WebhookQuery,
};

#[async_trait]
impl RecordStore for MemoryStore {
    async fn insert_webhook(
        &self,
        webhook: &Webhook,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<WebhookRow, StoreError> {
        self.tables().insert_webhook(webhook, at_most, now)
    }

    async fn webhook(&self, id: WebhookId) -> Result<Option<WebhookRow>, StoreError> {
        Ok(self.tables().records.webhooks.get(&id).cloned())
    }

    async fn webhooks(&self, ids: &[WebhookId]) -> Result<Vec<WebhookRow>, StoreError> {
        let tables = self.tables();
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ids.dedup();
        let rows = ids.iter().filter_map(|id| tables.records.webhooks.get(id));
        Ok(rows.cloned().collect())
    }

    async fn list_webhooks(&self, query: &WebhookQuery) -> Result<Vec<WebhookRow>, StoreError> {
        Ok(self.tables().list_webhooks(query))
    }

    async fn update_webhook(
        &self,
        row: &WebhookRow,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<WebhookRow, StoreError> {
        self.tables().update_webhook(row, at_most, now)
    }

    async fn delete_webhook(
        &self,
        id: WebhookId,
        cascade: Cascade,
        _now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.tables().delete_webhook(id, cascade)
    }

    async fn insert_task(
        &self,
        task: &Task,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<TaskRow, StoreError> {
        self.tables().insert_task(task, at_most, now)
    }

    async fn task(&self, id: TaskId) -> Result<Option<TaskRow>, StoreError> {
        Ok(self.tables().records.tasks.get(&id).cloned())
    }

    async fn list_tasks(&self, query: &TaskQuery) -> Result<Vec<TaskRow>, StoreError> {
        Ok(self.tables().list_tasks(query))
    }

    async fn update_task(
        &self,
        row: &TaskRow,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<TaskRow, StoreError> {
        self.tables().update_task(row, at_most, now)
    }

    async fn delete_task(&self, id: TaskId, _now: DateTime<Utc>) -> Result<(), StoreError> {
        let deleted = self.tables().delete_task(id);
        deleted
            .map(drop)
            .ok_or_else(|| StoreError::not_found("task"))
    }

    async fn insert_event(
        &self,
        event: &Event,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<EventRow, StoreError> {
        self.tables().insert_event(event, at_most, now)
    }

    async fn event(&self, id: EventId) -> Result<Option<EventRow>, StoreError> {
        Ok(self.tables().records.events.get(&id).cloned())
    }

    async fn list_events(&self, query: &EventQuery) -> Result<Vec<EventRow>, StoreError> {
        Ok(self.tables().list_events(query))
    }

    async fn update_event(
        &self,
        row: &EventRow,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<EventRow, StoreError> {
        self.tables().update_event(row, at_most, now)
    }

    async fn delete_event(&self, id: EventId, _now: DateTime<Utc>) -> Result<(), StoreError> {
        self.tables().delete_event(id)
    }

    async fn owner_of(&self, record: RecordId) -> Result<Option<OwnerId>, StoreError> {
        Ok(self.tables().owner_of(record))
    }

    async fn unreadable(
        &self,
        _scope: Scope,
        _limit: u32,
    ) -> Result<Vec<UnreadableRecord>, StoreError> {
        // In this process' memory everything can be read.
        Ok(Vec::new())
    }

    async fn record_usage(&self, owner: OwnerId) -> Result<RecordUsage, StoreError> {
        Ok(self.tables().records.usage(owner))
    }

    async fn routes(&self, place: Place, at_most: u32) -> Result<Option<Routes>, StoreError> {
        Ok(self.tables().routes(place, at_most))
    }

    async fn routes_of(
        &self,
        place: Place,
        event_type: &EventType,
        event: &EventName,
    ) -> Result<Routes, StoreError> {
        Ok(self.tables().routes_of(place, event_type, event))
    }

    async fn routes_versions(&self, places: &[Place]) -> Result<Vec<RoutesVersion>, StoreError> {
        let tables = self.tables();
        let version = |place: &Place| tables.places.version(*place);
        Ok(places.iter().map(version).collect())
    }

    async fn route_changes(
        &self,
        place: Place,
        since: RoutesVersion,
    ) -> Result<RouteChanges, StoreError> {
        Ok(self.tables().route_changes(place, since))
    }

    async fn messages(&self, tasks: &[TaskId]) -> Result<Vec<TaskMessage>, StoreError> {
        let tables = self.tables();
        let rows = tasks.iter().filter_map(|id| tables.records.tasks.get(id));
        let message = |row: &TaskRow| match &row.value.action {
            Action::Send { message, .. } => Some(TaskMessage {
                id: row.id,
                revision: row.revision,
                message: message.clone(),
            }),
            _ => None,
        };
        Ok(rows.filter_map(message).collect())
    }

    async fn server_time(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        Ok(None)
    }
}
