//! Webhooks, tasks and events.

mod event;
mod revision;
mod task;
mod webhook;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::Row;
use gatepost_storage::webhooks::{
    Cascade, EventQuery, RecordStore, Routes, RoutesVersion, TaskQuery, TaskRow, WebhookQuery,
};
use webhook_model::{Event, EventId, Task, TaskId, Webhook, WebhookId};

use crate::error::{Answer, Failure, Result};
use crate::store::PostgresStore;

#[async_trait]
impl RecordStore for PostgresStore {
    async fn insert_webhook(
        &self,
        webhook: &Webhook,
        now: DateTime<Utc>,
    ) -> Answer<Row<WebhookId, Webhook>> {
        Ok(self.add_webhook(webhook, now).await?)
    }

    async fn webhook(&self, id: WebhookId) -> Answer<Option<Row<WebhookId, Webhook>>> {
        Ok(self.find_webhook(id).await?)
    }

    async fn list_webhooks(&self, query: &WebhookQuery) -> Answer<Vec<Row<WebhookId, Webhook>>> {
        Ok(self.some_webhooks(query).await?)
    }

    async fn update_webhook(
        &self,
        row: &Row<WebhookId, Webhook>,
        now: DateTime<Utc>,
    ) -> Answer<Row<WebhookId, Webhook>> {
        Ok(self.change_webhook(row, now).await?)
    }

    async fn delete_webhook(
        &self,
        id: WebhookId,
        cascade: Cascade,
        _now: DateTime<Utc>,
    ) -> Answer<()> {
        Ok(self.remove_webhook(id, cascade).await?)
    }

    async fn insert_task(&self, task: &Task, now: DateTime<Utc>) -> Answer<TaskRow> {
        Ok(self.add_task(task, now).await?)
    }

    async fn task(&self, id: TaskId) -> Answer<Option<TaskRow>> {
        Ok(self.find_task(id).await?)
    }

    async fn list_tasks(&self, query: &TaskQuery) -> Answer<Vec<TaskRow>> {
        Ok(self.some_tasks(query).await?)
    }

    async fn update_task(&self, row: &TaskRow, now: DateTime<Utc>) -> Answer<TaskRow> {
        Ok(self.change_task(row, now).await?)
    }

    async fn delete_task(&self, id: TaskId, _now: DateTime<Utc>) -> Answer<()> {
        Ok(self
            .remove("DELETE FROM gatepost_task WHERE id = $1", id.0, "task")
            .await?)
    }

    async fn record_task_runs(&self, runs: &[(TaskId, DateTime<Utc>)]) -> Answer<()> {
        let (ids, at): (Vec<i64>, Vec<DateTime<Utc>>) =
            runs.iter().map(|(id, at)| (id.0, *at)).unzip();
        self.db()
            .execute(include_str!("../sql/records/record_runs.sql"), &[&ids, &at])
            .await?;
        Ok(())
    }

    async fn insert_event(&self, event: &Event, now: DateTime<Utc>) -> Answer<Row<EventId, Event>> {
        Ok(self.add_event(event, now).await?)
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
        now: DateTime<Utc>,
    ) -> Answer<Row<EventId, Event>> {
        Ok(self.change_event(row, now).await?)
    }

    async fn delete_event(&self, id: EventId, _now: DateTime<Utc>) -> Answer<()> {
        Ok(self
            .remove("DELETE FROM gatepost_event WHERE id = $1", id.0, "event")
            .await?)
    }

    async fn routes(&self) -> Answer<Routes> {
        Ok(self.all_records().await?)
    }

    async fn routes_version(&self) -> Answer<RoutesVersion> {
        let row = self
            .db()
            .query_opt("SELECT version FROM gatepost_routes", &[])
            .await?;
        let row = row.ok_or_else(|| Failure::corrupt("routes version", "the row is missing"))?;
        Ok(RoutesVersion(row.try_get(0).map_err(Failure::from)?))
    }

    async fn server_time(&self) -> Answer<Option<DateTime<Utc>>> {
        let row = self.db().query_opt("SELECT clock_timestamp()", &[]).await?;
        Ok(row
            .map(|row| row.try_get(0))
            .transpose()
            .map_err(Failure::from)?)
    }
}

impl PostgresStore {
    /// Deletes one record and moves the routes version.
    async fn remove(&self, sql: &str, id: i64, what: &'static str) -> Result<()> {
        let mut client = self.db().client().await?;
        let tx = client.transaction().await?;
        self.db().routes_changed(&tx).await?;
        if tx.execute(sql, &[&id]).await? == 0 {
            return Err(Failure::not_found(what));
        }
        Ok(tx.commit().await?)
    }

    async fn all_records(&self) -> Result<Routes> {
        let mut client = self.db().client().await?;
        let tx = client
            .build_transaction()
            .isolation_level(tokio_postgres::IsolationLevel::RepeatableRead)
            .read_only(true)
            .start()
            .await?;
        let version: i64 = tx
            .query_one("SELECT version FROM gatepost_routes", &[])
            .await?
            .try_get(0)?;
        let webhooks = tx
            .query(&format!("SELECT {} ORDER BY id", webhook::COLUMNS), &[])
            .await?;
        let tasks = tx
            .query(&format!("SELECT {} ORDER BY id", task::COLUMNS), &[])
            .await?;
        let events = tx
            .query(&format!("SELECT {} ORDER BY id", event::COLUMNS), &[])
            .await?;
        tx.commit().await?;
        Ok(Routes {
            version: RoutesVersion(version),
            webhooks: webhooks
                .iter()
                .map(|row| webhook::row(row, self.sealing()))
                .collect::<Result<_>>()?,
            tasks: tasks.iter().map(task::row).collect::<Result<_>>()?,
            events: events.iter().map(event::row).collect::<Result<_>>()?,
        })
    }
}
