//! The outbox: occurrences that the platform inserted in its own transactions.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::StoreError;
use gatepost_storage::columns::OutboxColumns;
use gatepost_storage::webhooks::{OutboxId, OutboxRow, OutboxStore};
use tokio_postgres::Row;
use webhook_model::Occurrence;

use crate::column::without_nul;
use crate::error::{Answer, Failure, Result};
use crate::store::PostgresStore;

#[async_trait]
impl OutboxStore for PostgresStore {
    async fn push_outbox(&self, occurrence: &Occurrence, now: DateTime<Utc>) -> Answer<OutboxId> {
        let columns = OutboxColumns::of(occurrence);
        let row = self
            .db()
            .query_opt(
                include_str!("sql/outbox/push.sql"),
                &[
                    &columns.event_type,
                    &columns.event,
                    &columns.object_id,
                    &columns.object_name,
                    &columns.tags,
                    &columns.variables,
                    &columns.occurrence_id,
                    &now,
                ],
            )
            .await?;
        let id = row
            .ok_or_else(|| Failure::unavailable("no row came back"))?
            .try_get(0)
            .map_err(Failure::from)?;
        self.notifier().work_arrived();
        Ok(OutboxId(id))
    }

    async fn outbox(&self, limit: u32) -> Answer<Vec<OutboxRow>> {
        let rows = self
            .db()
            .query(include_str!("sql/outbox/waiting.sql"), &[&i64::from(limit)])
            .await?;
        Ok(rows.iter().map(outbox_row).collect::<Result<_>>()?)
    }

    async fn reject_outbox(&self, id: OutboxId, reason: &str, _now: DateTime<Utc>) -> Answer<()> {
        let reason = without_nul(reason.to_owned());
        match self
            .db()
            .execute(
                "UPDATE gatepost_occurrence SET rejected = $2 WHERE id = $1",
                &[&id.0, &reason],
            )
            .await?
        {
            0 => Err(StoreError::not_found("outbox row")),
            _ => Ok(()),
        }
    }
}

fn outbox_row(row: &Row) -> Result<OutboxRow> {
    let columns = OutboxColumns {
        event_type: row.try_get("event_type")?,
        event: row.try_get("event")?,
        object_id: row.try_get("object_id")?,
        object_name: row.try_get("object_name")?,
        tags: row.try_get::<_, &str>("tags")?.into(),
        variables: row.try_get::<_, &str>("variables")?.into(),
        occurrence_id: row.try_get("occurrence_id")?,
    };
    Ok(OutboxRow {
        id: OutboxId(row.try_get("id")?),
        occurrence: columns.occurrence(),
    })
}
