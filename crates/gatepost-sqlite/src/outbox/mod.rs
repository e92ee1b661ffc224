//! The outbox: occurrences that the platform inserted in its own transactions.

mod row;
mod turns;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::columns::OutboxColumns;
use gatepost_storage::webhooks::{
    NewOutbox, OpenOutbox, OutboxAudience, OutboxId, OutboxStore, OutboxTaken, PutBack,
};
use rusqlite::{Connection, params};

use crate::column::micros;
use crate::error::{Answer, Result};
use crate::sql::{Sql as _, value};
use crate::store::SqliteStore;

#[async_trait]
impl OutboxStore for SqliteStore {
    async fn take_outbox(
        &self,
        holder: u128,
        limit: u32,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Answer<Option<OutboxTaken>> {
        // Usually there is nothing, and the writer is not used.
        if !self.read(move |c| turns::any(c, holder, now)).await? {
            return Ok(None);
        }
        self.write(move |c| turns::take(c, holder, limit, until, now))
            .await
    }

    async fn give_back_outbox(&self, audience: OutboxAudience, holder: u128) -> Answer<()> {
        self.write(move |c| turns::give_back(c, audience, holder))
            .await
    }

    async fn open_outbox(
        &self,
        audience: OutboxAudience,
        before: OutboxId,
        limit: u32,
    ) -> Answer<Vec<OpenOutbox>> {
        self.read(move |c| turns::open(c, audience, before, limit))
            .await
    }

    async fn outbox_arrived(&self) {
        self.watch().outbox().await;
    }

    fn outbox_written(&self) {
        // Other processes check the file every 10 ms.
    }

    async fn put_back(&self, id: OutboxId, turn: u32, how: PutBack) -> Answer<()> {
        let (due, reason) = match how {
            PutBack::Until(due) => (Some(micros(due)), None),
            PutBack::Aside(reason) => (None, Some(reason)),
        };
        self.write(move |c| c.run(sql!("outbox/put_back"), params![id.0, turn, due, reason]))
            .await
    }
}

/// Stores a row for the engine to use later.
pub(crate) fn push(c: &Connection, new: &NewOutbox, now: DateTime<Utc>) -> Result<OutboxId> {
    let columns = OutboxColumns::of(&new.occurrence);
    let (after_task, tasks) = new.left.columns();
    let id = c.one(
        sql!("outbox/push"),
        params![
            columns.event_type,
            columns.event,
            columns.object_id,
            columns.object_name,
            columns.tags,
            columns.variables,
            columns.occurrence_id,
            micros(now),
            columns.tenant,
            columns.owner,
            columns.operators,
            after_task,
            tasks,
            micros(new.due),
            columns.data,
            columns.webhooks,
            columns.channel,
            columns.trace,
            new.by.map(|by| by.to_string()),
        ],
        value,
    )?;
    Ok(OutboxId(id))
}
