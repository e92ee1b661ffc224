//! Occurrences that wait to be fanned out.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{OutboxAudience, OutboxId, OutboxStore, OutboxTaken, PutBack};

use super::error::Answer;
use super::outbox_rows::{due, find, move_on, reject};
use super::redb_store::RedbStore;
use super::turns;

#[async_trait]
impl OutboxStore for RedbStore {
    async fn take_outbox(
        &self,
        holder: u128,
        limit: u32,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Answer<Option<OutboxTaken>> {
        self.write(move |tx| {
            let taken = turns::take(tx, holder, until, now)?;
            let taken = taken.map(|audience| {
                let rows = due(tx, audience, limit, now)?;
                Ok(OutboxTaken { audience, rows })
            });
            taken.transpose()
        })
        .await
    }

    async fn give_back_outbox(&self, audience: OutboxAudience, holder: u128) -> Answer<()> {
        self.write(move |tx| turns::give_back(tx, audience, holder))
            .await
    }

    async fn outbox_arrived(&self) {
        // No other process can have the file.
        std::future::pending::<()>().await;
    }

    fn outbox_written(&self) {
        // The same.
    }

    async fn put_back(&self, id: OutboxId, turn: u32, how: PutBack) -> Answer<()> {
        self.write(move |tx| match (find(tx, id)?, how) {
            (Some(row), PutBack::Until(due)) if row.is_at(turn) => move_on(tx, id, row, None, due),
            (Some(row), PutBack::Aside(reason)) => reject(tx, id, row, &reason),
            _ => Ok(()),
        })
        .await
    }
}
