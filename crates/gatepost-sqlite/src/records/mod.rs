//! Webhooks, tasks and events.

mod event;
mod reseal;
mod revision;
mod task;
mod webhook;

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    Cascade, EventQuery, RecordStore, Routes, RoutesVersion, TaskQuery, TaskRow, WebhookQuery,
};
use gatepost_storage::{Page, Row};
use rusqlite::{Connection, OptionalExtension as _};
use webhook_model::{Event, EventId, Task, TaskId, Webhook, WebhookId};

use crate::column::micros;
use crate::error::{Answer, Failure, Result};
use crate::list::List;
use crate::routes::{routes_changed, version};
use crate::store::SqliteStore;

#[async_trait]
impl RecordStore for SqliteStore {
    async fn insert_webhook(
        &self,
        webhook: &Webhook,
        now: DateTime<Utc>,
    ) -> Answer<Row<WebhookId, Webhook>> {
        let (webhook, keys) = (webhook.clone(), Arc::clone(self.sealing()));
        self.write(move |c| webhook::insert(c, &webhook, &keys, now))
            .await
    }

    async fn webhook(&self, id: WebhookId) -> Answer<Option<Row<WebhookId, Webhook>>> {
        let keys = Arc::clone(self.sealing());
        self.read(move |c| one(c, webhook::COLUMNS, id.0, |r| webhook::row(r, &keys)))
            .await
    }

    async fn list_webhooks(&self, query: &WebhookQuery) -> Answer<Vec<Row<WebhookId, Webhook>>> {
        let list = List::of(webhook::COLUMNS)
            .filter("owner =", query.owner.map(|o| o.0))
            .filter("name =", query.name.clone());
        let (page, keys) = (query.page, Arc::clone(self.sealing()));
        self.read(move |c| list.page(c, &page, |id| id.0, |r| webhook::row(r, &keys)))
            .await
    }

    async fn update_webhook(
        &self,
        row: &Row<WebhookId, Webhook>,
        now: DateTime<Utc>,
    ) -> Answer<Row<WebhookId, Webhook>> {
        let (row, keys) = (row.clone(), Arc::clone(self.sealing()));
        self.write(move |c| webhook::update(c, &row, &keys, now))
            .await
    }

    async fn delete_webhook(
        &self,
        id: WebhookId,
        cascade: Cascade,
        _now: DateTime<Utc>,
    ) -> Answer<()> {
        self.write(move |c| webhook::delete(c, id, cascade)).await
    }

    async fn insert_task(&self, task: &Task, now: DateTime<Utc>) -> Answer<TaskRow> {
        let task = task.clone();
        self.write(move |c| task::insert(c, &task, now)).await
    }

    async fn task(&self, id: TaskId) -> Answer<Option<TaskRow>> {
        self.read(move |c| one(c, task::COLUMNS, id.0, task::row))
            .await
    }

    async fn list_tasks(&self, query: &TaskQuery) -> Answer<Vec<TaskRow>> {
        let list = List::of(task::COLUMNS)
            .filter("creator =", query.creator.map(|c| c.0))
            .filter("webhook =", query.webhook.map(|w| w.0))
            .filter("name =", query.name.clone());
        let page = query.page;
        self.read(move |c| list.page(c, &page, |id| id.0, task::row))
            .await
    }

    async fn update_task(&self, row: &TaskRow, now: DateTime<Utc>) -> Answer<TaskRow> {
        let row = row.clone();
        self.write(move |c| task::update(c, &row, now)).await
    }

    async fn delete_task(&self, id: TaskId, _now: DateTime<Utc>) -> Answer<()> {
        self.write(move |c| delete(c, "DELETE FROM gatepost_task WHERE id = ?1", id.0, "task"))
            .await
    }

    async fn record_task_runs(&self, runs: &[(TaskId, DateTime<Utc>)]) -> Answer<()> {
        let runs = runs.to_vec();
        self.write(move |c| {
            let mut record = c.prepare_cached(
                "UPDATE gatepost_task SET last_run = ?2 WHERE id = ?1 AND (last_run IS NULL OR last_run < ?2)",
            )?;
            for (id, at) in runs {
                record.execute([id.0, micros(at)])?;
            }
            Ok(())
        })
        .await
    }

    async fn insert_event(&self, event: &Event, now: DateTime<Utc>) -> Answer<Row<EventId, Event>> {
        let event = event.clone();
        self.write(move |c| event::insert(c, &event, now)).await
    }

    async fn event(&self, id: EventId) -> Answer<Option<Row<EventId, Event>>> {
        self.read(move |c| one(c, event::COLUMNS, id.0, event::row))
            .await
    }

    async fn list_events(&self, query: &EventQuery) -> Answer<Vec<Row<EventId, Event>>> {
        let list = List::of(event::COLUMNS)
            .filter("task =", query.task.map(|t| t.0))
            .filter(
                "event_type =",
                query.event_type.as_ref().map(ToString::to_string),
            );
        let page = query.page;
        self.read(move |c| list.page(c, &page, |id| id.0, event::row))
            .await
    }

    async fn update_event(
        &self,
        row: &Row<EventId, Event>,
        now: DateTime<Utc>,
    ) -> Answer<Row<EventId, Event>> {
        let row = row.clone();
        self.write(move |c| event::update(c, &row, now)).await
    }

    async fn delete_event(&self, id: EventId, _now: DateTime<Utc>) -> Answer<()> {
        self.write(move |c| delete(c, "DELETE FROM gatepost_event WHERE id = ?1", id.0, "event"))
            .await
    }

    async fn routes(&self) -> Answer<Routes> {
        let keys = Arc::clone(self.sealing());
        self.read(move |c| {
            let all = Page::first(u32::MAX);
            Ok(Routes {
                version: version(c)?,
                webhooks: List::of(webhook::COLUMNS).page(
                    c,
                    &all,
                    |id: i64| id,
                    |r| webhook::row(r, &keys),
                )?,
                tasks: List::of(task::COLUMNS).page(c, &all, |id: i64| id, task::row)?,
                events: List::of(event::COLUMNS).page(c, &all, |id: i64| id, event::row)?,
            })
        })
        .await
    }

    async fn routes_version(&self) -> Answer<RoutesVersion> {
        self.read(version).await
    }

    async fn server_time(&self) -> Answer<Option<DateTime<Utc>>> {
        Ok(None)
    }
}

fn one<R>(
    c: &Connection,
    columns_and_table: &str,
    id: i64,
    read: impl Fn(&rusqlite::Row<'_>) -> Result<R>,
) -> Result<Option<R>> {
    c.prepare_cached(&format!("SELECT {columns_and_table} WHERE id = ?1"))?
        .query_row([id], |row| Ok(read(row)))
        .optional()?
        .transpose()
}

fn delete(c: &Connection, sql: &str, id: i64, what: &'static str) -> Result<()> {
    if c.prepare_cached(sql)?.execute([id])? == 0 {
        return Err(Failure::not_found(what));
    }
    routes_changed(c)
}
