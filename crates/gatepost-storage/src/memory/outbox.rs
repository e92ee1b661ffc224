//! The outbox in memory.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use webhook_model::{Occurrence, TaskId};

use super::store::MemoryStore;
use crate::error::StoreError;
use crate::webhooks::{Left, NewOutbox, OutboxId, OutboxRow, OutboxStore};

#[async_trait]
impl OutboxStore for MemoryStore {
    async fn push_outbox(
        &self,
        occurrence: &Occurrence,
        now: DateTime<Utc>,
    ) -> Result<OutboxId, StoreError> {
        let row = NewOutbox {
            occurrence: occurrence.clone(),
            left: Left::After(TaskId(0)),
            due: now,
        };
        Ok(self.tables().outbox.push(row, now))
    }

    async fn outbox(&self, limit: u32, now: DateTime<Utc>) -> Result<Vec<OutboxRow>, StoreError> {
        Ok(self.tables().outbox.due(limit, now))
    }

    async fn postpone_outbox(
        &self,
        id: OutboxId,
        turn: u32,
        due: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let mut tables = self.tables();
        if tables.outbox.is_at(id, turn) {
            tables.outbox.move_on(id, None, due);
        }
        Ok(())
    }

    async fn reject_outbox(
        &self,
        id: OutboxId,
        reason: &str,
        _now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let rejected = self.tables().outbox.reject(id, reason);
        rejected.ok_or_else(|| StoreError::not_found("outbox row"))
    }
}
