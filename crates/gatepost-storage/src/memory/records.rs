//! Webhooks, tasks and events in memory.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use webhook_model::{Action, Event, EventId, Task, TaskId, Webhook, WebhookId};

use super::rows::{micros, page};
use super::store::{MemoryStore, lock};
use super::tables::Tables;
use crate::error::{ErrorKind, StoreError};
use crate::page::{Revision, Row};
use crate::webhooks::{
    Cascade, DeliveryId, EventQuery, RecordStore, Routes, RoutesVersion, TaskQuery, TaskRow,
    WebhookQuery,
};

#[async_trait]
impl RecordStore for MemoryStore {
    async fn insert_webhook(
        &self,
        webhook: &Webhook,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>, StoreError> {
        let mut tables = lock(&self.tables);
        check_webhook_name(&tables, webhook, None)?;
        let row = new_row(WebhookId(tables.webhook_ids.next()), webhook.clone(), now);
        tables.webhooks.insert(row.id, row.clone());
        tables.routes_changed();
        Ok(row)
    }

    async fn webhook(&self, id: WebhookId) -> Result<Option<Row<WebhookId, Webhook>>, StoreError> {
        Ok(lock(&self.tables).webhooks.get(&id).cloned())
    }

    async fn list_webhooks(
        &self,
        query: &WebhookQuery,
    ) -> Result<Vec<Row<WebhookId, Webhook>>, StoreError> {
        Ok(page(&lock(&self.tables).webhooks, &query.page, |row| {
            query.owner.is_none_or(|o| row.value.owner == o)
                && query
                    .name
                    .as_ref()
                    .is_none_or(|n| row.value.name.as_str() == n)
        }))
    }

    async fn update_webhook(
        &self,
        row: &Row<WebhookId, Webhook>,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>, StoreError> {
        let mut tables = lock(&self.tables);
        let stored = tables
            .webhooks
            .get(&row.id)
            .ok_or_else(|| StoreError::not_found("webhook"))?;
        let new = changed_row(stored, row, now, "webhook")?;
        check_webhook_name(&tables, &new.value, Some(row.id))?;
        tables.webhooks.insert(new.id, new.clone());
        tables.routes_changed();
        Ok(new)
    }

    async fn delete_webhook(
        &self,
        id: WebhookId,
        cascade: Cascade,
        _now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let mut tables = lock(&self.tables);
        if !tables.webhooks.contains_key(&id) {
            return Err(StoreError::not_found("webhook"));
        }
        let users: Vec<TaskId> = tables
            .tasks
            .values()
            .filter(|t| webhook_of(&t.task) == Some(id))
            .map(|t| t.id)
            .collect();
        if !users.is_empty() && cascade == Cascade::Refuse {
            return Err(StoreError::new(
                ErrorKind::InUse,
                "a task sends this webhook",
            ));
        }
        for task in users {
            tables.delete_task(task);
        }
        let log: Vec<DeliveryId> = tables
            .deliveries()
            .values()
            .filter(|s| s.delivery.webhook == id)
            .map(|s| s.delivery.id)
            .collect();
        for delivery in log {
            tables.remove_delivery(delivery);
        }
        tables.webhooks.remove(&id);
        tables.routes_changed();
        Ok(())
    }

    async fn insert_task(&self, task: &Task, now: DateTime<Utc>) -> Result<TaskRow, StoreError> {
        let mut tables = lock(&self.tables);
        check_webhook_exists(&tables, task)?;
        let row = new_row(TaskId(tables.task_ids.next()), task.clone(), now);
        let row = TaskRow {
            id: row.id,
            revision: row.revision,
            created: row.created,
            modified: row.modified,
            last_run: None,
            task: row.value,
        };
        tables.tasks.insert(row.id, row.clone());
        tables.routes_changed();
        Ok(row)
    }

    async fn task(&self, id: TaskId) -> Result<Option<TaskRow>, StoreError> {
        Ok(lock(&self.tables).tasks.get(&id).cloned())
    }

    async fn list_tasks(&self, query: &TaskQuery) -> Result<Vec<TaskRow>, StoreError> {
        Ok(page(&lock(&self.tables).tasks, &query.page, |row| {
            query.creator.is_none_or(|c| row.task.creator == c)
                && query
                    .webhook
                    .is_none_or(|w| webhook_of(&row.task) == Some(w))
                && query
                    .name
                    .as_ref()
                    .is_none_or(|n| row.task.name.as_str() == n)
        }))
    }

    async fn update_task(&self, row: &TaskRow, now: DateTime<Utc>) -> Result<TaskRow, StoreError> {
        let mut tables = lock(&self.tables);
        let stored = tables
            .tasks
            .get(&row.id)
            .ok_or_else(|| StoreError::not_found("task"))?;
        if stored.revision != row.revision {
            return Err(StoreError::new(ErrorKind::Stale, "task"));
        }
        check_webhook_exists(&tables, &row.task)?;
        let new = TaskRow {
            revision: stored.revision.next(),
            modified: micros(now),
            task: row.task.clone(),
            ..stored.clone()
        };
        tables.tasks.insert(new.id, new.clone());
        tables.routes_changed();
        Ok(new)
    }

    async fn delete_task(&self, id: TaskId, _now: DateTime<Utc>) -> Result<(), StoreError> {
        lock(&self.tables)
            .delete_task(id)
            .map(drop)
            .ok_or_else(|| StoreError::not_found("task"))
    }

    async fn record_task_runs(&self, runs: &[(TaskId, DateTime<Utc>)]) -> Result<(), StoreError> {
        let mut tables = lock(&self.tables);
        for (id, at) in runs {
            if let Some(row) = tables.tasks.get_mut(id) {
                row.last_run = row.last_run.max(Some(micros(*at)));
            }
        }
        Ok(())
    }

    async fn insert_event(
        &self,
        event: &Event,
        now: DateTime<Utc>,
    ) -> Result<Row<EventId, Event>, StoreError> {
        let mut tables = lock(&self.tables);
        check_task_exists(&tables, event)?;
        let row = new_row(EventId(tables.event_ids.next()), event.clone(), now);
        tables.events.insert(row.id, row.clone());
        tables.routes_changed();
        Ok(row)
    }

    async fn event(&self, id: EventId) -> Result<Option<Row<EventId, Event>>, StoreError> {
        Ok(lock(&self.tables).events.get(&id).cloned())
    }

    async fn list_events(
        &self,
        query: &EventQuery,
    ) -> Result<Vec<Row<EventId, Event>>, StoreError> {
        Ok(page(&lock(&self.tables).events, &query.page, |row| {
            query.task.is_none_or(|t| row.value.task == t)
                && query
                    .event_type
                    .as_ref()
                    .is_none_or(|t| row.value.event_type == *t)
        }))
    }

    async fn update_event(
        &self,
        row: &Row<EventId, Event>,
        now: DateTime<Utc>,
    ) -> Result<Row<EventId, Event>, StoreError> {
        let mut tables = lock(&self.tables);
        let stored = tables
            .events
            .get(&row.id)
            .ok_or_else(|| StoreError::not_found("event"))?;
        let new = changed_row(stored, row, now, "event")?;
        check_task_exists(&tables, &new.value)?;
        tables.events.insert(new.id, new.clone());
        tables.routes_changed();
        Ok(new)
    }

    async fn delete_event(&self, id: EventId, _now: DateTime<Utc>) -> Result<(), StoreError> {
        let mut tables = lock(&self.tables);
        tables
            .events
            .remove(&id)
            .ok_or_else(|| StoreError::not_found("event"))?;
        tables.routes_changed();
        Ok(())
    }

    async fn routes(&self) -> Result<Routes, StoreError> {
        let tables = lock(&self.tables);
        Ok(Routes {
            version: tables.version(),
            webhooks: tables.webhooks.values().cloned().collect(),
            tasks: tables.tasks.values().cloned().collect(),
            events: tables.events.values().cloned().collect(),
        })
    }

    async fn routes_version(&self) -> Result<RoutesVersion, StoreError> {
        Ok(lock(&self.tables).version())
    }

    async fn server_time(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        Ok(None)
    }
}

fn new_row<I, T>(id: I, value: T, now: DateTime<Utc>) -> Row<I, T> {
    let now = micros(now);
    Row {
        id,
        revision: Revision::FIRST,
        created: now,
        modified: now,
        value,
    }
}

fn changed_row<I: Copy, T: Clone>(
    stored: &Row<I, T>,
    row: &Row<I, T>,
    now: DateTime<Utc>,
    what: &'static str,
) -> Result<Row<I, T>, StoreError> {
    if stored.revision != row.revision {
        return Err(StoreError::new(ErrorKind::Stale, what));
    }
    Ok(Row {
        id: stored.id,
        revision: stored.revision.next(),
        created: stored.created,
        modified: micros(now),
        value: row.value.clone(),
    })
}

fn webhook_of(task: &Task) -> Option<WebhookId> {
    match &task.action {
        Action::Send { webhook, .. } => Some(*webhook),
        _ => None,
    }
}

fn check_webhook_name(
    tables: &Tables,
    webhook: &Webhook,
    own: Option<WebhookId>,
) -> Result<(), StoreError> {
    if tables
        .webhooks
        .values()
        .any(|r| Some(r.id) != own && r.value.name == webhook.name)
    {
        return Err(StoreError::new(
            ErrorKind::Conflict,
            "a webhook of that name",
        ));
    }
    Ok(())
}

fn check_webhook_exists(tables: &Tables, task: &Task) -> Result<(), StoreError> {
    match webhook_of(task) {
        Some(id) if !tables.webhooks.contains_key(&id) => Err(StoreError::new(
            ErrorKind::Invalid,
            "the task's webhook does not exist",
        )),
        _ => Ok(()),
    }
}

fn check_task_exists(tables: &Tables, event: &Event) -> Result<(), StoreError> {
    if tables.tasks.contains_key(&event.task) {
        return Ok(());
    }
    Err(StoreError::new(
        ErrorKind::Invalid,
        "the event's task does not exist",
    ))
}
