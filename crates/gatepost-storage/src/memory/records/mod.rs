//! Webhooks, tasks and events in memory.

mod change;
mod events;
mod tasks;
mod webhooks;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::Place;
use webhook_model::{EventName, EventType};

use super::store::MemoryStore;
use crate::error::StoreError;
use crate::owners::RecordUsage;
use crate::page::Scope;
use crate::webhooks::{
    Cascade, Found, InsertedRecords, NewRecords, RecordHead, RecordId, RecordQuery, RecordRow,
    RecordStore, RouteChanges, Routes, RoutesVersion, UnreadableRecord,
};

#[async_trait]
impl RecordStore for MemoryStore {
    async fn insert_records(
        &self,
        records: NewRecords,
        at_most: &RecordUsage,
        now: DateTime<Utc>,
    ) -> Result<InsertedRecords, StoreError> {
        self.tables().insert_records(records, at_most, now)
    }

    async fn get_records(&self, ids: &[RecordId]) -> Result<Vec<Found<RecordRow>>, StoreError> {
        let tables = self.tables();
        let found = ids.iter().map(|id| Ok(tables.records.get(*id)));
        Ok(found.collect())
    }

    async fn record_heads(&self, ids: &[RecordId]) -> Result<Vec<Found<RecordHead>>, StoreError> {
        let tables = self.tables();
        let heads = ids.iter().map(|id| Ok(tables.records.head(*id)));
        Ok(heads.collect())
    }

    async fn list_records(&self, query: &RecordQuery) -> Result<Vec<RecordRow>, StoreError> {
        let tables = self.tables();
        Ok(match query {
            RecordQuery::Webhooks(query) => rows(tables.list_webhooks(query)),
            RecordQuery::Tasks(query) => rows(tables.list_tasks(query)),
            RecordQuery::Events(query) => rows(tables.list_events(query)),
        })
    }

    async fn update_record(
        &self,
        row: RecordRow,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Result<RecordRow, StoreError> {
        let mut tables = self.tables();
        Ok(match row {
            RecordRow::Webhook(row) => tables.update_webhook(&row, at_most, now)?.into(),
            RecordRow::Task(row) => tables.update_task(&row, at_most, now)?.into(),
            RecordRow::Event(row) => tables.update_event(&row, at_most, now)?.into(),
        })
    }

    async fn delete_record(
        &self,
        id: RecordId,
        cascade: Cascade,
        _now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let mut tables = self.tables();
        match id {
            RecordId::Webhook(id) => tables.delete_webhook(id, cascade),
            RecordId::Task(id) => match tables.delete_task(id) {
                Some(_) => Ok(()),
                None => Err(StoreError::not_found("task")),
            },
            RecordId::Event(id) => tables.delete_event(id),
        }
    }

    async fn unreadable(
        &self,
        _scope: Scope,
        _limit: u32,
    ) -> Result<Vec<UnreadableRecord>, StoreError> {
        // In this process' memory everything can be read.
        Ok(Vec::new())
    }

    async fn read_routes(
        &self,
        place: Place,
        only: Option<(&EventType, &EventName)>,
        at_most: u32,
    ) -> Result<Option<Routes>, StoreError> {
        Ok(self.tables().routes(place, only).at_most(at_most))
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
    ) -> Result<Option<RouteChanges>, StoreError> {
        Ok(self.tables().route_changes(place, since))
    }

    async fn server_time(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        Ok(None)
    }
}

fn rows<R: Into<RecordRow>>(rows: Vec<R>) -> Vec<RecordRow> {
    rows.into_iter().map(Into::into).collect()
}
