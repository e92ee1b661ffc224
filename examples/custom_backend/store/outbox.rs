//! Occurrences that wait to be fanned out.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{OutboxId, OutboxRow, OutboxStore};
use gatepost_storage::{Page, StoreError};
use serde_json::Value;
use webhook_model::Occurrence;

use super::codec;
use super::error::{Answer, failed};
use super::redb_store::RedbStore;
use super::tables::{OUTBOX, page};

#[async_trait]
impl OutboxStore for RedbStore {
    async fn push_outbox(&self, occurrence: &Occurrence, _now: DateTime<Utc>) -> Answer<OutboxId> {
        let row = codec::from_occurrence(occurrence);
        self.write(move |tx| {
            let id = tx.count("outbox")?;
            tx.put(OUTBOX, id, &row)?;
            Ok(OutboxId(id))
        })
        .await
    }

    async fn outbox(&self, limit: u32) -> Answer<Vec<OutboxRow>> {
        self.read(move |tx, _| {
            let rows = tx.open_table(OUTBOX).map_err(failed)?;
            let waits = |row: &Value| Ok(row["rejected"].is_null());
            page(&rows, &Page::first(limit), waits, |id, row| {
                Ok(OutboxRow {
                    id: OutboxId(id),
                    occurrence: codec::occurrence(&row),
                })
            })
        })
        .await
    }

    async fn reject_outbox(&self, id: OutboxId, reason: &str, _now: DateTime<Utc>) -> Answer<()> {
        let reason = reason.to_owned();
        self.write(move |tx| {
            let mut row = tx
                .row(OUTBOX, id.0)?
                .ok_or_else(|| StoreError::not_found("outbox row"))?;
            row["rejected"] = reason.into();
            tx.put(OUTBOX, id.0, &row)
        })
        .await
    }
}
