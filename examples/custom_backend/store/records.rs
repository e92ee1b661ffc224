//! Webhooks, tasks and events: what is asked of the store.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use gatepost_storage::owners::RecordUsage;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{
    Cascade, Found, InsertedRecords, NewRecords, RecordHead, RecordId, RecordQuery, RecordRow,
    RecordStore, RouteChanges, Routes, RoutesVersion, UnreadableRecord,
};
use gatepost_storage::{ErrorKind, Scope, StoreError};
use redb::ReadTransaction;
use serde_json::json;
use webhook_model::{EventName, EventType};

use super::error::Answer;
use super::owner_rows::in_scope;
use super::redb_store::RedbStore;
use super::sizes::{KINDS, reason};
use super::stored::{one, owner_in};
use super::tables::{OWNERS, Tx};
use super::{codec, events, places, routes, tasks, webhooks};

#[async_trait]
impl RecordStore for RedbStore {
    async fn insert_records(
        &self,
        records: NewRecords,
        at_most: &RecordUsage,
        now: DateTime<Utc>,
    ) -> Answer<InsertedRecords> {
        let at_most = *at_most;
        self.write(move |tx| insert(tx, records, &at_most, now))
            .await
    }

    async fn get_records(&self, ids: &[RecordId]) -> Answer<Vec<Found<RecordRow>>> {
        let ids = ids.to_vec();
        self.read(move |tx, keys| ids.into_iter().map(|id| found(tx, keys, id)).collect())
            .await
    }

    async fn record_heads(&self, ids: &[RecordId]) -> Answer<Vec<Found<RecordHead>>> {
        let ids = ids.to_vec();
        self.read(move |tx, _| ids.into_iter().map(|id| head(tx, id)).collect())
            .await
    }

    async fn list_records(&self, query: &RecordQuery) -> Answer<Vec<RecordRow>> {
        let query = query.clone();
        self.read(move |tx, keys| {
            Ok(match query {
                RecordQuery::Webhooks(query) => rows(webhooks::list(tx, keys, query)?),
                RecordQuery::Tasks(query) => rows(tasks::list(tx, query)?),
                RecordQuery::Events(query) => rows(events::list(tx, query)?),
            })
        })
        .await
    }

    async fn update_record(
        &self,
        row: RecordRow,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Answer<RecordRow> {
        self.write(move |tx| {
            Ok(match row {
                RecordRow::Webhook(row) => webhooks::update(tx, row, at_most, now)?.into(),
                RecordRow::Task(row) => tasks::update(tx, row, at_most, now)?.into(),
                RecordRow::Event(row) => events::update(tx, row, at_most, now)?.into(),
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
        self.write(move |tx| match id {
            RecordId::Webhook(id) => webhooks::delete(tx, id, cascade),
            RecordId::Task(id) => match tasks::remove(tx, id)? {
                Some(_) => Ok(()),
                None => Err(StoreError::not_found("task")),
            },
            RecordId::Event(id) => events::delete(tx, id),
        })
        .await
    }

    async fn unreadable(&self, scope: Scope, limit: u32) -> Answer<Vec<UnreadableRecord>> {
        self.write(move |tx| unreadable(tx, scope, limit as usize))
            .await
    }

    async fn read_routes(
        &self,
        place: Place,
        only: Option<(&EventType, &EventName)>,
        at_most: u32,
    ) -> Answer<Option<Routes>> {
        let only = only.map(|(event_type, event)| (event_type.clone(), event.clone()));
        self.read(move |tx, keys| Ok(routes::matched(tx, keys, place, only)?.at_most(at_most)))
            .await
    }

    async fn routes_versions(&self, of: &[Place]) -> Answer<Vec<RoutesVersion>> {
        let of = of.to_vec();
        self.read(move |tx, _| of.iter().map(|place| places::version(tx, *place)).collect())
            .await
    }

    async fn route_changes(
        &self,
        place: Place,
        since: RoutesVersion,
    ) -> Answer<Option<RouteChanges>> {
        self.read(move |tx, keys| routes::changes(tx, keys, place, since))
            .await
    }

    async fn server_time(&self) -> Answer<Option<DateTime<Utc>>> {
        Ok(None)
    }
}

/// All records of an owner.
pub(super) fn records_of(tx: &Tx, owner: OwnerId) -> Answer<Vec<RecordId>> {
    let mut own = Vec::new();
    for (table, record) in KINDS {
        let rows = tx.rows(table)?.into_iter();
        let rows = rows.filter(|(_, row)| row["owner"] == json!(owner));
        own.extend(rows.map(|(id, _)| record(id)));
    }
    Ok(own)
}

/// Stores one after another; where one is refused, the transaction stores none.
fn insert(
    tx: &Tx,
    records: NewRecords,
    at_most: &RecordUsage,
    now: DateTime<Utc>,
) -> Answer<InsertedRecords> {
    let mut inserted = InsertedRecords::default();
    if let Some(webhook) = records.webhook {
        inserted.webhook = Some(webhooks::insert(tx, webhook, at_most, now)?);
    }
    if let Some(task) = records.task {
        let task = inserted.linked_task(task);
        inserted.task = Some(tasks::insert(tx, task, at_most, now)?);
    }
    for event in records.events {
        let event = inserted.linked_event(event);
        let row = events::insert(tx, event, at_most, now)?;
        inserted.events.push(row);
    }
    Ok(inserted)
}

fn found(tx: &ReadTransaction, keys: &SealingKeys, id: RecordId) -> Answer<Found<RecordRow>> {
    let (table, number) = codec::place_of(id);
    let Some(row) = one(tx, table, number)? else {
        return Ok(Ok(None));
    };
    Ok(codec::record(id, &row, keys).map(Some))
}

fn head(tx: &ReadTransaction, record: RecordId) -> Answer<Found<RecordHead>> {
    let (table, number) = codec::place_of(record);
    let Some(row) = one(tx, table, number)? else {
        return Ok(Ok(None));
    };
    Ok(owner_in(&row).map(|owner| {
        Some(RecordHead {
            record,
            owner,
            name: row["name"].as_str().map(str::to_owned),
            enabled: row["enabled"] == true || row["activity"] == "active",
        })
    }))
}

fn rows<R: Into<RecordRow>>(rows: Vec<R>) -> Vec<RecordRow> {
    rows.into_iter().map(Into::into).collect()
}

fn unreadable(tx: &Tx, scope: Scope, limit: usize) -> Answer<Vec<UnreadableRecord>> {
    let owners = tx.open(OWNERS)?;
    let mut found = Vec::new();
    for (table, record) in KINDS {
        for (id, row) in tx.rows(table)? {
            let record = record(id);
            if let Err(error) = codec::record(record, &row, &tx.sealing)
                && error.kind() == ErrorKind::Corrupt
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
