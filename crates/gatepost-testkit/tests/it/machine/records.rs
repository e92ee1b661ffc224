//! The reference store with one broken field: webhooks, tasks, events.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::Realm;
use gatepost_storage::Scope;
use gatepost_storage::owners::RecordUsage;
use gatepost_storage::webhooks::{
    Cascade, Found, InsertedRecords, NewRecords, RecordHead, RecordId, RecordQuery, RecordRow,
    RecordStore, RouteChanges, Routes, RoutesVersion, UnreadableRecord,
};
use webhook_model::{EventName, EventType};

use super::store::{Broken, Result, passed_on};

impl Broken {
    fn read_record(&self, method: &str, row: RecordRow) -> RecordRow {
        match row {
            RecordRow::Webhook(row) => self.webhooks.read(method, row.id.0, row).into(),
            RecordRow::Task(row) => self.tasks.read(method, row.id.0, row).into(),
            RecordRow::Event(row) => self.events.read(method, row.id.0, row).into(),
        }
    }

    fn updated_record(&self, asked: RecordRow, row: RecordRow) -> RecordRow {
        let method = "update_record";
        match (asked, row) {
            (RecordRow::Webhook(asked), RecordRow::Webhook(row)) => self
                .webhooks
                .written(method, row.id.0, Some(&asked), row)
                .into(),
            (RecordRow::Task(asked), RecordRow::Task(row)) => self
                .tasks
                .written(method, row.id.0, Some(&asked), row)
                .into(),
            (RecordRow::Event(asked), RecordRow::Event(row)) => self
                .events
                .written(method, row.id.0, Some(&asked), row)
                .into(),
            (_, row) => row,
        }
    }
}

passed_on! { RecordStore {
    fn record_heads(ids: &[RecordId]) -> Vec<Found<RecordHead>>;
    fn delete_record(id: RecordId, cascade: Cascade, now: DateTime<Utc>) -> ();
    fn unreadable(scope: Scope, limit: u32) -> Vec<UnreadableRecord>;
    fn read_routes(
        place: Realm,
        only: Option<(&EventType, &EventName)>,
        at_most: u32
    ) -> Option<Routes>;
    fn routes_versions(places: &[Realm]) -> Vec<RoutesVersion>;
    fn route_changes(place: Realm, since: RoutesVersion) -> Option<RouteChanges>;
    fn server_time() -> Option<DateTime<Utc>>;
}
    async fn insert_records(
        &self,
        records: NewRecords,
        at_most: &RecordUsage,
        now: DateTime<Utc>,
    ) -> Result<InsertedRecords> {
        let method = "insert_records";
        let new = self.inner.insert_records(records, at_most, now).await?;
        let webhook = new.webhook.map(|row| self.webhooks.written(method, row.id.0, None, row));
        let task = new.task.map(|row| self.tasks.written(method, row.id.0, None, row));
        let events = new.events.into_iter();
        let events = events.map(|row| self.events.written(method, row.id.0, None, row));
        Ok(InsertedRecords { webhook, task, events: events.collect() })
    }

    async fn get_records(&self, ids: &[RecordId]) -> Result<Vec<Found<RecordRow>>> {
        let found = self.inner.get_records(ids).await?.into_iter();
        let read = |row: Option<RecordRow>| row.map(|row| self.read_record("get_records", row));
        Ok(found.map(|found| found.map(read)).collect())
    }

    async fn list_records(&self, query: &RecordQuery) -> Result<Vec<RecordRow>> {
        let rows = self.inner.list_records(query).await?.into_iter();
        Ok(rows.map(|row| self.read_record("list_records", row)).collect())
    }

    async fn update_record(
        &self,
        row: RecordRow,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Result<RecordRow> {
        let new = self.inner.update_record(row.clone(), at_most, now).await?;
        Ok(self.updated_record(row, new))
    }
}
