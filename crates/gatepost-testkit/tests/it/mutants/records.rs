//! A store of records with one fault, named by the clause that it breaks.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, SubsecRound, Utc};
use gatepost_storage::webhooks::{
    Cascade, EventQuery, RecordStore, Routes, RoutesVersion, TaskQuery, TaskRow, WebhookQuery,
};
use gatepost_storage::{ErrorKind, MemoryStore, Revision, Row, StoreError};
use webhook_model::{Action, Event, EventId, Task, TaskId, Webhook, WebhookId};

type Result<T> = std::result::Result<T, StoreError>;

#[derive(Debug)]
pub(crate) struct Mutant {
    pub(crate) inner: Arc<MemoryStore>,
    pub(crate) fault: String,
}

impl Mutant {
    fn is(&self, faults: &[&str]) -> bool {
        faults.contains(&self.fault.as_str())
    }

    fn time(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        if self.is(&["r02"]) {
            now.trunc_subsecs(3)
        } else {
            now
        }
    }
}

fn row<I, T>(id: I, value: T, now: DateTime<Utc>) -> Row<I, T> {
    Row {
        id,
        revision: Revision::FIRST,
        created: now,
        modified: now,
        value,
    }
}

#[async_trait]
impl RecordStore for Mutant {
    async fn insert_webhook(
        &self,
        webhook: &Webhook,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>> {
        let mut webhook = webhook.clone();
        if self.is(&["r01"]) {
            webhook.headers = webhook.headers.moved(1, 0);
        }
        let answer = self.inner.insert_webhook(&webhook, self.time(now)).await;
        match answer {
            Err(_) if self.is(&["r03"]) => Ok(row(WebhookId(1), webhook, now)),
            Err(e) if self.is(&["r21"]) => Err(e.with_source("key: canary-bearer-8d1f")),
            answer => answer,
        }
    }

    async fn webhook(&self, id: WebhookId) -> Result<Option<Row<WebhookId, Webhook>>> {
        self.inner.webhook(id).await
    }

    async fn list_webhooks(&self, query: &WebhookQuery) -> Result<Vec<Row<WebhookId, Webhook>>> {
        let mut query = query.clone();
        if self.is(&["r17"]) {
            query.name = None;
        }
        if self.is(&["r20"]) {
            query.page.after = None;
        }
        self.inner.list_webhooks(&query).await
    }

    async fn update_webhook(
        &self,
        changed: &Row<WebhookId, Webhook>,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>> {
        let answer = self.inner.update_webhook(changed, self.time(now)).await;
        match answer.as_ref().err().map(StoreError::kind) {
            Some(ErrorKind::Stale) if self.is(&["r04", "r05"]) => Ok(changed.clone()),
            Some(ErrorKind::NotFound) if self.is(&["r06"]) => Ok(changed.clone()),
            _ => answer,
        }
    }

    async fn delete_webhook(
        &self,
        id: WebhookId,
        cascade: Cascade,
        now: DateTime<Utc>,
    ) -> Result<()> {
        if self.is(&["r12"]) {
            return Ok(());
        }
        let cascade = if self.is(&["r11"]) {
            Cascade::Tasks
        } else {
            cascade
        };
        self.inner.delete_webhook(id, cascade, now).await
    }

    async fn insert_task(&self, task: &Task, now: DateTime<Utc>) -> Result<TaskRow> {
        let mut task = task.clone();
        if let (true, Action::Send { webhook, message }) = (self.is(&["r08"]), &task.action) {
            let short = message.as_str().get(..65_536).unwrap_or_default();
            task.action = Action::Send {
                webhook: *webhook,
                message: short.parse().unwrap(),
            };
        }
        let answer = self.inner.insert_task(&task, now).await;
        if answer.is_ok() || !self.is(&["r09"]) {
            return answer;
        }
        Ok(TaskRow {
            id: TaskId(1),
            revision: Revision::FIRST,
            created: now,
            modified: now,
            last_run: None,
            task,
        })
    }

    async fn task(&self, id: TaskId) -> Result<Option<TaskRow>> {
        self.inner.task(id).await
    }

    async fn list_tasks(&self, query: &TaskQuery) -> Result<Vec<TaskRow>> {
        let mut query = query.clone();
        if self.is(&["r18"]) {
            query.creator = None;
        }
        self.inner.list_tasks(&query).await
    }

    async fn update_task(&self, row: &TaskRow, now: DateTime<Utc>) -> Result<TaskRow> {
        self.inner.update_task(row, now).await
    }

    async fn delete_task(&self, id: TaskId, now: DateTime<Utc>) -> Result<()> {
        if self.is(&["r13"]) {
            return Ok(());
        }
        self.inner.delete_task(id, now).await
    }

    async fn record_task_runs(&self, runs: &[(TaskId, DateTime<Utc>)]) -> Result<()> {
        if self.is(&["r16"]) {
            return Ok(());
        }
        self.inner.record_task_runs(runs).await
    }

    async fn insert_event(&self, event: &Event, now: DateTime<Utc>) -> Result<Row<EventId, Event>> {
        let answer = self.inner.insert_event(event, now).await;
        if answer.is_err() && self.is(&["r10"]) {
            return Ok(row(EventId(1), event.clone(), now));
        }
        answer
    }

    async fn event(&self, id: EventId) -> Result<Option<Row<EventId, Event>>> {
        self.inner.event(id).await
    }

    async fn list_events(&self, query: &EventQuery) -> Result<Vec<Row<EventId, Event>>> {
        let mut query = query.clone();
        if self.is(&["r19"]) {
            query.event_type = None;
        }
        self.inner.list_events(&query).await
    }

    async fn update_event(
        &self,
        row: &Row<EventId, Event>,
        now: DateTime<Utc>,
    ) -> Result<Row<EventId, Event>> {
        self.inner.update_event(row, now).await
    }

    async fn delete_event(&self, id: EventId, now: DateTime<Utc>) -> Result<()> {
        if self.is(&["r07"]) {
            return Ok(());
        }
        self.inner.delete_event(id, now).await
    }

    async fn routes(&self) -> Result<Routes> {
        let mut routes = self.inner.routes().await?;
        if self.is(&["r15"]) {
            routes.webhooks.pop();
        }
        Ok(routes)
    }

    async fn routes_version(&self) -> Result<RoutesVersion> {
        if self.is(&["r14"]) {
            return Ok(RoutesVersion(1));
        }
        self.inner.routes_version().await
    }

    async fn server_time(&self) -> Result<Option<DateTime<Utc>>> {
        self.inner.server_time().await
    }
}
