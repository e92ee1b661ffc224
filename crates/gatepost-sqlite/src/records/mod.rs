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
use gatepost_ids::Realm;
use gatepost_storage::owners::RecordUsage;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{
    Cascade, Found, InsertedRecords, NewRecords, RecordHead, RecordId, RecordQuery, RecordRow,
    RecordStore, RouteChanges, Routes, RoutesVersion, UnreadableRecord,
};
use gatepost_storage::{Page, Row, Scope};
#[cfg(test)]
pub(crate) use plans::plans;
use rusqlite::Connection;
use webhook_model::{Event, EventName, EventType, Task, Webhook};

use self::table::{Stored, row};
use crate::error::{Answer, Result};
use crate::list::List;
use crate::realms::version;
use crate::store::SqliteStore;

#[async_trait]
impl RecordStore for SqliteStore {
    async fn insert_records(
        &self,
        records: NewRecords,
        at_most: &RecordUsage,
        now: DateTime<Utc>,
    ) -> Answer<InsertedRecords> {
        let (at_most, keys) = (*at_most, Arc::clone(self.sealing()));
        self.write(move |c| insert(c, &keys, records, &at_most, now))
            .await
    }

    async fn get_records(&self, ids: &[RecordId]) -> Answer<Vec<Found<RecordRow>>> {
        let (ids, keys) = (ids.to_vec(), Arc::clone(self.sealing()));
        self.read(move |c| ids.into_iter().map(|id| read::get(c, &keys, id)).collect())
            .await
    }

    async fn record_heads(&self, ids: &[RecordId]) -> Answer<Vec<Found<RecordHead>>> {
        let ids = ids.to_vec();
        self.read(move |c| ids.into_iter().map(|id| read::head(c, id)).collect())
            .await
    }

    async fn list_records(&self, query: &RecordQuery) -> Answer<Vec<RecordRow>> {
        let (query, keys) = (query.clone(), Arc::clone(self.sealing()));
        self.read(move |c| match &query {
            RecordQuery::Webhooks(q) => page::<Webhook>(c, &lists::webhooks(q), &q.page, &keys),
            RecordQuery::Tasks(q) => page::<Task>(c, &lists::tasks(q), &q.page, &keys),
            RecordQuery::Events(q) => page::<Event>(c, &lists::events(q), &q.page, &keys),
        })
        .await
    }

    async fn update_record(
        &self,
        row: RecordRow,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Answer<RecordRow> {
        let keys = Arc::clone(self.sealing());
        self.write(move |c| {
            Ok(match row {
                RecordRow::Webhook(row) => webhook::update(c, &row, &keys, at_most, now)?.into(),
                RecordRow::Task(row) => task::update(c, &row, &keys, at_most, now)?.into(),
                RecordRow::Event(row) => event::update(c, &row, &keys, at_most, now)?.into(),
            })
        })
        .await
    }

    async fn delete_record(
        &self,
        id: RecordId,
        cascade: Cascade,
        _now: DateTime<Utc>,
    ) -> Answer<()> {
        self.write(move |c| match id {
            RecordId::Webhook(id) => webhook::delete(c, id, cascade),
            RecordId::Task(id) => task::delete(c, id),
            RecordId::Event(id) => event::delete(c, id),
        })
        .await
    }

    async fn unreadable(&self, scope: Scope, limit: u32) -> Answer<Vec<UnreadableRecord>> {
        let keys = Arc::clone(self.sealing());
        self.read(move |c| unreadable::find(c, &keys, scope, limit))
            .await
    }

    async fn read_routes(
        &self,
        place: Realm,
        only: Option<(&EventType, &EventName)>,
        at_most: u32,
    ) -> Answer<Option<Routes>> {
        let keys = Arc::clone(self.sealing());
        let only = only.map(|(event_type, event)| (event_type.clone(), event.clone()));
        self.read(move |c| routes::read(c, &keys, place, only.as_ref(), at_most))
            .await
    }

    async fn routes_versions(&self, places: &[Realm]) -> Answer<Vec<RoutesVersion>> {
        let places = places.to_vec();
        self.read(move |c| places.iter().map(|place| version(c, *place)).collect())
            .await
    }

    async fn route_changes(
        &self,
        place: Realm,
        since: RoutesVersion,
    ) -> Answer<Option<RouteChanges>> {
        let keys = Arc::clone(self.sealing());
        self.read(move |c| delta::since(c, &keys, place, since))
            .await
    }

    async fn server_time(&self) -> Answer<Option<DateTime<Utc>>> {
        Ok(None)
    }
}

/// Stores the records one after another; if one is refused, the transaction stores none.
fn insert(
    c: &Connection,
    keys: &SealingKeys,
    records: NewRecords,
    at_most: &RecordUsage,
    now: DateTime<Utc>,
) -> Result<InsertedRecords> {
    let mut inserted = InsertedRecords::default();
    if let Some(webhook) = records.webhook {
        inserted.webhook = Some(webhook::insert(c, &webhook, keys, at_most, now)?);
    }
    if let Some(task) = records.task {
        let task = inserted.linked_task(task);
        inserted.task = Some(task::insert(c, &task, keys, at_most, now)?);
    }
    for event in records.events {
        let event = inserted.linked_event(event);
        let row = event::insert(c, &event, keys, at_most, now)?;
        inserted.events.push(row);
    }
    Ok(inserted)
}

fn page<R>(
    c: &Connection,
    list: &List,
    page: &Page<R::Id>,
    keys: &SealingKeys,
) -> Result<Vec<RecordRow>>
where
    R: Stored,
    Row<R::Id, R>: Into<RecordRow>,
{
    let read = |r: &rusqlite::Row<'_>| Ok(row::<R>(r, keys)?.into());
    list.readable(c, R::table().list(), page, read)
}
