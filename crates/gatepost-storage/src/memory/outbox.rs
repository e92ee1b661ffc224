//! The outbox in memory.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::store::MemoryStore;
use crate::error::StoreError;
use crate::webhooks::{OutboxAudience, OutboxId, OutboxStore, OutboxTaken, PutBack};

#[async_trait]
impl OutboxStore for MemoryStore {
    async fn take_outbox(
        &self,
        holder: u128,
        limit: u32,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Option<OutboxTaken>, StoreError> {
        let outbox = &mut self.tables().outbox;
        Ok(outbox.take(holder, limit as usize, until, now))
    }

    async fn give_back_outbox(
        &self,
        audience: OutboxAudience,
        holder: u128,
    ) -> Result<(), StoreError> {
        self.tables().outbox.give_back(audience, holder);
        Ok(())
    }

    async fn outbox_arrived(&self) {
        // No other process can reach this memory.
        std::future::pending::<()>().await;
    }

    fn outbox_written(&self) {
        // The same.
    }

    async fn put_back(&self, id: OutboxId, turn: u32, how: PutBack) -> Result<(), StoreError> {
        let outbox = &mut self.tables().outbox;
        match how {
            PutBack::Until(due) if outbox.is_at(id, turn) => outbox.move_on(id, None, due),
            PutBack::Until(_) => {}
            PutBack::Aside(reason) => outbox.reject(id, reason),
        }
        Ok(())
    }
}
