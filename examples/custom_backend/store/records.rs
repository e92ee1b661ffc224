//! Webhooks, tasks and events: what is asked of the store.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use gatepost_storage::webhooks::{
    Cascade, EventQuery, RecordId, RecordStore, RecordUsage, RouteChanges, Routes, RoutesVersion,
    TaskMessage, TaskQuery, TaskRow, UnreadableRecord, WebhookQuery,
};
use gatepost_storage::{AtMost, ErrorKind, Row, Scope, StoreError};
use serde_json::json;
use webhook_model::{Event, EventId, EventName, EventType, Task, TaskId, Webhook, WebhookId};

use super::error::Answer;
use super::owner_rows::in_scope;
use super::redb_store::RedbStore;
use super::sizes::{decoded, reason, usage};
use super::stored::{one, owner_in};
use super::tables::{EVENTS, OWNERS, Rows, TASKS, Tx, WEBHOOKS};
use super::{codec, events, places, routes, tasks, webhooks};

#[async_trait]
impl RecordStore for RedbStore {
    async fn insert_webhook(
        &self,
        webhook: &Webhook,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<Row<WebhookId, Webhook>> {
        let webhook = webhook.clone();
        self.write(move |tx| webhooks::insert(tx, webhook, at_most, now))
            .await
    }

    async fn webhook(&self, id: WebhookId) -> Answer<Option<Row<WebhookId, Webhook>>> {
        self.read(move |tx, keys| {
            one(tx, WEBHOOKS, id.0)?
                .map(|row| codec::webhook(&row, keys))
                .transpose()
        })
        .await
    }

    async fn webhooks(&self, ids: &[WebhookId]) -> Answer<Vec<Row<WebhookId, Webhook>>> {
        let ids = ids.to_vec();
        self.read(move |tx, keys| webhooks::these(tx, keys, ids))
            .await
    }

    async fn list_webhooks(&self, query: &WebhookQuery) -> Answer<Vec<Row<WebhookId, Webhook>>> {
        let query = query.clone();
        self.read(move |tx, keys| webhooks::list(tx, keys, query))
            .await
    }

    async fn update_webhook(
        &self,
        edit: &Row<WebhookId, Webhook>,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<Row<WebhookId, Webhook>> {
        let edit = edit.clone();
        self.write(move |tx| webhooks::update(tx, edit, at_most, now))
            .await
    }

    async fn delete_webhook(
        &self,
        id: WebhookId,
        cascade: Cascade,
        _now: DateTime<Utc>,
    ) -> Answer<()> {
        self.write(move |tx| webhooks::delete(tx, id, cascade))
            .await
    }

    async fn insert_task(
        &self,
        task: &Task,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<TaskRow> {
        let task = task.clone();
        self.write(move |tx| tasks::insert(tx, task, at_most, now))
            .await
    }

    async fn task(&self, id: TaskId) -> Answer<Option<TaskRow>> {
        self.read(move |tx, _| {
            one(tx, TASKS, id.0)?
                .map(|row| codec::decode(&row))
                .transpose()
        })
        .await
    }

    async fn list_tasks(&self, query: &TaskQuery) -> Answer<Vec<TaskRow>> {
        let query = query.clone();
        self.read(move |tx, _| tasks::list(tx, query)).await
    }

    async fn update_task(
        &self,
        edit: &TaskRow,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<TaskRow> {
        let edit = edit.clone();
        self.write(move |tx| tasks::update(tx, edit, at_most, now))
            .await
    }

    async fn delete_task(&self, id: TaskId, _now: DateTime<Utc>) -> Answer<()> {
        self.write(move |tx| {
            let removed = tasks::remove(tx, id)?;
            removed
                .map(drop)
                .ok_or_else(|| StoreError::not_found("task"))
        })
        .await
    }

    async fn insert_event(
        &self,
        event: &Event,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<Row<EventId, Event>> {
        let event = event.clone();
        self.write(move |tx| events::insert(tx, event, at_most, now))
            .await
    }

    async fn event(&self, id: EventId) -> Answer<Option<Row<EventId, Event>>> {
        self.read(move |tx, _| {
            one(tx, EVENTS, id.0)?
                .map(|row| codec::decode(&row))
                .transpose()
        })
        .await
    }

    async fn list_events(&self, query: &EventQuery) -> Answer<Vec<Row<EventId, Event>>> {
        let query = query.clone();
        self.read(move |tx, _| events::list(tx, query)).await
    }

    async fn update_event(
        &self,
        edit: &Row<EventId, Event>,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<Row<EventId, Event>> {
        let edit = edit.clone();
        self.write(move |tx| events::update(tx, edit, at_most, now))
            .await
    }

    async fn delete_event(&self, id: EventId, _now: DateTime<Utc>) -> Answer<()> {
        self.write(move |tx| events::delete(tx, id)).await
    }

    async fn owner_of(&self, record: RecordId) -> Answer<Option<OwnerId>> {
        self.read(move |tx, _| {
            let row = match record {
                RecordId::Webhook(id) => one(tx, WEBHOOKS, id.0)?,
                RecordId::Task(id) => one(tx, TASKS, id.0)?,
                RecordId::Event(id) => one(tx, EVENTS, id.0)?,
            };
            row.map(|row| owner_in(&row)).transpose()
        })
        .await
    }

    async fn unreadable(&self, scope: Scope, limit: u32) -> Answer<Vec<UnreadableRecord>> {
        self.write(move |tx| unreadable(tx, scope, limit as usize))
            .await
    }

    async fn record_usage(&self, owner: OwnerId) -> Answer<RecordUsage> {
        self.write(move |tx| usage(tx, owner)).await
    }

    async fn routes(&self, place: Place, at_most: u32) -> Answer<Option<Routes>> {
        self.read(move |tx, keys| {
            let routes = routes::matched(tx, keys, place, |_| true)?;
            let rows = routes.webhooks.len() + routes.tasks.len() + routes.events.len();
            Ok((rows <= at_most as usize).then_some(routes))
        })
        .await
    }

    async fn routes_of(
        &self,
        place: Place,
        event_type: &EventType,
        event: &EventName,
    ) -> Answer<Routes> {
        let (event_type, event) = (event_type.clone(), event.clone());
        self.read(move |tx, keys| routes::of(tx, keys, place, &event_type, &event))
            .await
    }

    async fn routes_versions(&self, of: &[Place]) -> Answer<Vec<RoutesVersion>> {
        let of = of.to_vec();
        self.read(move |tx, _| of.iter().map(|place| places::version(tx, *place)).collect())
            .await
    }

    async fn route_changes(&self, place: Place, since: RoutesVersion) -> Answer<RouteChanges> {
        self.read(move |tx, keys| routes::changes(tx, keys, place, since))
            .await
    }

    async fn messages(&self, tasks: &[TaskId]) -> Answer<Vec<TaskMessage>> {
        let tasks = tasks.to_vec();
        self.read(move |tx, _| tasks::messages(tx, tasks)).await
    }

    async fn server_time(&self) -> Answer<Option<DateTime<Utc>>> {
        Ok(None)
    }
}

/// All records of an owner.
pub(super) fn records_of(tx: &Tx, owner: OwnerId) -> Answer<Vec<RecordId>> {
    let own = |table: Rows| -> Answer<Vec<i64>> {
        let rows = tx.rows(table)?.into_iter();
        let own = rows.filter(|(_, row)| row["owner"] == json!(owner));
        Ok(own.map(|(id, _)| id).collect())
    };
    let webhooks = own(WEBHOOKS)?.into_iter();
    let tasks = own(TASKS)?.into_iter();
    let events = own(EVENTS)?.into_iter();
    Ok(webhooks
        .map(|id| RecordId::Webhook(WebhookId(id)))
        .chain(tasks.map(|id| RecordId::Task(TaskId(id))))
        .chain(events.map(|id| RecordId::Event(EventId(id))))
        .collect())
}

fn unreadable(tx: &Tx, scope: Scope, limit: usize) -> Answer<Vec<UnreadableRecord>> {
    let owners = tx.open(OWNERS)?;
    let mut found = Vec::new();
    for (table, rows) in [WEBHOOKS, TASKS, EVENTS].map(|t| (t, tx.rows(t))) {
        for (id, row) in rows? {
            let (record, error) = decoded(tx, table, id, &row);
            if let Some(error) = error.filter(|e| e.kind() == ErrorKind::Corrupt)
                && in_scope(&owners, scope, &row)?
            {
                let broken = UnreadableRecord {
                    record,
                    owner: owner_in(&row)?,
                    reason: reason(&error),
                };
                found.push((row["created"].as_i64(), broken));
            }
        }
    }
    found.sort_by_key(|(created, broken)| (*created, broken.record));
    Ok(found
        .into_iter()
        .map(|(_, broken)| broken)
        .take(limit)
        .collect())
}
