//! The outbox in memory.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use webhook_model::Occurrence;

use super::store::{MemoryStore, lock};
use super::tables::OutboxEntry;
use crate::error::StoreError;
use crate::webhooks::{OutboxId, OutboxRow, OutboxStore};

#[async_trait]
impl OutboxStore for MemoryStore {
    async fn push_outbox(
        &self,
        occurrence: &Occurrence,
        _now: DateTime<Utc>,
    ) -> Result<OutboxId, StoreError> {
        let mut tables = lock(&self.tables);
        let id = OutboxId(tables.outbox_ids.next());
        tables.outbox.insert(
            id,
            OutboxEntry {
                occurrence: occurrence.clone(),
                rejected: None,
            },
        );
        Ok(id)
    }

    async fn outbox(&self, limit: u32) -> Result<Vec<OutboxRow>, StoreError> {
        let tables = lock(&self.tables);
        let waiting = tables
            .outbox
            .iter()
            .filter(|(_, entry)| entry.rejected.is_none());
        Ok(waiting
            .take(limit as usize)
            .map(|(id, entry)| OutboxRow {
                id: *id,
                occurrence: Ok(entry.occurrence.clone()),
            })
            .collect())
    }

    async fn reject_outbox(
        &self,
        id: OutboxId,
        reason: &str,
        _now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let mut tables = lock(&self.tables);
        let entry = tables
            .outbox
            .get_mut(&id)
            .ok_or_else(|| StoreError::not_found("outbox row"))?;
        entry.rejected = Some(reason.to_owned());
        Ok(())
    }
}
