//! Webhooks, tasks and events.

pub(crate) mod task;

mod delta;
mod event;
mod lists;
#[cfg(test)]
mod plans;
mod read;
mod reseal;
mod revision;
mod routes;
mod table;
mod unreadable;
pub(crate) mod usage;
mod webhook;

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use gatepost_storage::webhooks::{
    Cascade, EventQuery, NamedTask, RecordId, RecordStore, RecordUsage, RouteChanges, Routes,
    RoutesVersion, TaskMessage, TaskQuery, TaskRow, UnreadableRecord, WebhookQuery,
};
use gatepost_storage::{AtMost, Row, Scope};
#[cfg(test)]
pub(crate) use plans::plans;
use webhook_model::{Event, EventId, EventName, EventType, Task, TaskId, Webhook, WebhookId};

use self::read::{one, owner_of, several};
use self::table::{Stored as _, row};
use crate::error::Answer;
use crate::list::readable;
use crate::places::version;
use crate::store::SqliteStore;

#[async_trait]
impl RecordStore for SqliteStore {
    async fn insert_webhook(
        &self,
        webhook: &Webhook,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<Row<WebhookId, Webhook>> {
        let (webhook, keys) = (webhook.clone(), Arc::clone(self.sealing()));
        self.write(move |c| webhook::insert(c, &webhook, &keys, at_most, now))
            .await
    }

    async fn webhook(&self, id: WebhookId) -> Answer<Option<Row<WebhookId, Webhook>>> {
        let keys = Arc::clone(self.sealing());
        self.read(move |c| one::<Webhook, _>(c, id, |r| row(r, &keys)))
            .await
    }

    async fn webhooks(&self, ids: &[WebhookId]) -> Answer<Vec<Row<WebhookId, Webhook>>> {
        let (ids, keys) = (ids.to_vec(), Arc::clone(self.sealing()));
        self.read(move |c| {
            let select = &Webhook::table().select;
            several::<Webhook, _>(c, select, ids, |r| row(r, &keys))
        })
        .await
    }

    async fn list_webhooks(&self, query: &WebhookQuery) -> Answer<Vec<Row<WebhookId, Webhook>>> {
        let (query, keys) = (query.clone(), Arc::clone(self.sealing()));
        self.read(move |c| {
            lists::webhooks(&query)
                .readable(c, Webhook::table().list(), &query.page, |r| row(r, &keys))
        })
        .await
    }

    async fn update_webhook(
        &self,
        row: &Row<WebhookId, Webhook>,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<Row<WebhookId, Webhook>> {
        let (row, keys) = (row.clone(), Arc::clone(self.sealing()));
        self.write(move |c| webhook::update(c, &row, &keys, at_most, now))
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

    async fn insert_task(
        &self,
        task: &Task,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<TaskRow> {
        let task = task.clone();
        self.write(move |c| task::insert(c, &task, at_most, now))
            .await
    }

    async fn task(&self, id: TaskId) -> Answer<Option<TaskRow>> {
        self.read(move |c| one::<Task, _>(c, id, task::row)).await
    }

    async fn named_tasks(&self, ids: &[TaskId]) -> Answer<Vec<NamedTask>> {
        let ids = ids.to_vec();
        self.read(move |c| several::<Task, _>(c, task::NAME, ids, task::named))
            .await
    }

    async fn list_tasks(&self, query: &TaskQuery) -> Answer<Vec<TaskRow>> {
        let query = query.clone();
        self.read(move |c| {
            lists::tasks(&query).readable(c, Task::table().list(), &query.page, task::row)
        })
        .await
    }

    async fn update_task(
        &self,
        row: &TaskRow,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<TaskRow> {
        let row = row.clone();
        self.write(move |c| task::update(c, &row, at_most, now))
            .await
    }

    async fn delete_task(&self, id: TaskId, _now: DateTime<Utc>) -> Answer<()> {
        self.write(move |c| task::delete(c, id)).await
    }

    async fn insert_event(
        &self,
        event: &Event,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<Row<EventId, Event>> {
        let event = event.clone();
        self.write(move |c| event::insert(c, &event, at_most, now))
            .await
    }

    async fn event(&self, id: EventId) -> Answer<Option<Row<EventId, Event>>> {
        self.read(move |c| one::<Event, _>(c, id, event::row)).await
    }

    async fn list_events(&self, query: &EventQuery) -> Answer<Vec<Row<EventId, Event>>> {
        let query = query.clone();
        self.read(move |c| {
            lists::events(&query).readable(c, Event::table().list(), &query.page, event::row)
        })
        .await
    }

    async fn update_event(
        &self,
        row: &Row<EventId, Event>,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Answer<Row<EventId, Event>> {
        let row = row.clone();
        self.write(move |c| event::update(c, &row, at_most, now))
            .await
    }

    async fn delete_event(&self, id: EventId, _now: DateTime<Utc>) -> Answer<()> {
        self.write(move |c| event::delete(c, id)).await
    }

    async fn owner_of(&self, record: RecordId) -> Answer<Option<OwnerId>> {
        self.read(move |c| owner_of(c, record)).await
    }

    async fn unreadable(&self, scope: Scope, limit: u32) -> Answer<Vec<UnreadableRecord>> {
        let keys = Arc::clone(self.sealing());
        self.read(move |c| unreadable::find(c, &keys, scope, limit))
            .await
    }

    async fn record_usage(&self, owner: OwnerId) -> Answer<RecordUsage> {
        self.read(move |c| usage::of(c, owner)).await
    }

    async fn routes(&self, place: Place, at_most: u32) -> Answer<Option<Routes>> {
        let keys = Arc::clone(self.sealing());
        self.read(move |c| routes::all(c, &keys, place, at_most))
            .await
    }

    async fn routes_of(
        &self,
        place: Place,
        event_type: &EventType,
        event: &EventName,
    ) -> Answer<Routes> {
        let keys = Arc::clone(self.sealing());
        let (event_type, event) = (event_type.clone(), event.clone());
        self.read(move |c| routes::of(c, &keys, place, &event_type, &event))
            .await
    }

    async fn routes_versions(&self, places: &[Place]) -> Answer<Vec<RoutesVersion>> {
        let places = places.to_vec();
        self.read(move |c| places.iter().map(|place| version(c, *place)).collect())
            .await
    }

    async fn route_changes(&self, place: Place, since: RoutesVersion) -> Answer<RouteChanges> {
        let keys = Arc::clone(self.sealing());
        self.read(move |c| delta::since(c, &keys, place, since))
            .await
    }

    async fn messages(&self, tasks: &[TaskId]) -> Answer<Vec<TaskMessage>> {
        let ids = tasks.to_vec();
        self.read(move |c| {
            // In the order of the request.
            let row = |id| Ok(readable(one::<Task, _>(c, id, task::row))?.flatten());
            let rows = ids.into_iter().filter_map(|id| row(id).transpose());
            rows.filter_map(|row| row.map(task::message).transpose())
                .collect()
        })
        .await
    }

    async fn server_time(&self) -> Answer<Option<DateTime<Utc>>> {
        Ok(None)
    }
}
