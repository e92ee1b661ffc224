//! The outbox: occurrences that the platform inserted in its own transactions, and what emits have
//! left to be decided later.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::StoreError;
use gatepost_storage::columns::{OutboxColumns, left};
use gatepost_storage::webhooks::{Left, OutboxId, OutboxRow, OutboxStore, OutboxTurns};
use tokio_postgres::Row;
use webhook_model::{Occurrence, TaskId};

use crate::column::{count, without_nul};
use crate::db::Param;
use crate::error::{Answer, Failure, Result};
use crate::store::PostgresStore;

#[async_trait]
impl OutboxStore for PostgresStore {
    async fn push_outbox(&self, occurrence: &Occurrence, now: DateTime<Utc>) -> Answer<OutboxId> {
        let columns = OutboxColumns::of(occurrence);
        let params: [Param<'_>; 11] = [
            &columns.event_type,
            &columns.event,
            &columns.object_id,
            &columns.object_name,
            &columns.tags,
            &columns.variables,
            &columns.occurrence_id,
            &columns.tenant,
            &columns.owner,
            &columns.operators,
            &now,
        ];
        let sql = include_str!("sql/outbox/push.sql");
        let row = self.db().query_opt(sql, &params).await?;
        let id = row
            .ok_or_else(|| Failure::unavailable("no row came back"))?
            .try_get(0)
            .map_err(Failure::from)?;
        self.notifier().work_arrived();
        Ok(OutboxId(id))
    }

    async fn outbox(&self, limit: u32, now: DateTime<Utc>) -> Answer<Vec<OutboxRow>> {
        let sql = include_str!("sql/outbox/waiting.sql");
        let mut rows = self.db().query(sql, &[&i64::from(limit), &now]).await?;
        if rows.len() >= limit as usize {
            rows = self.in_turn(limit, now).await?;
        }
        Ok(rows.iter().map(outbox_row).collect::<Result<_>>()?)
    }

    async fn postpone_outbox(&self, id: OutboxId, turn: u32, due: DateTime<Utc>) -> Answer<()> {
        let sql = include_str!("sql/outbox/postpone.sql");
        let params: [Param<'_>; 3] = [&id.0, &i64::from(turn), &due];
        self.db().execute(sql, &params).await?;
        Ok(())
    }

    async fn reject_outbox(&self, id: OutboxId, reason: &str, _now: DateTime<Utc>) -> Answer<()> {
        let reason = without_nul(reason.to_owned());
        let sql = "UPDATE gatepost_occurrence SET rejected = $2 WHERE id = $1";
        match self.db().execute(sql, &[&id.0, &reason]).await? {
            0 => Err(StoreError::not_found("outbox row")),
            _ => Ok(()),
        }
    }
}

impl PostgresStore {
    async fn in_turn(&self, limit: u32, now: DateTime<Utc>) -> Result<Vec<Row>> {
        let most = i64::from(OutboxTurns::<(i64, i64)>::MOST);
        let sql = include_str!("sql/outbox/audiences.sql");
        let due = self.db().query(sql, &[&now, &most]).await?;
        let due = due.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?)));
        let due = due.collect::<Result<Vec<(i64, i64)>>>()?;
        let turns = OutboxTurns::of(&due, limit, now);
        let (tenants, owners): (Vec<i64>, Vec<i64>) = turns.audiences.into_iter().unzip();
        let each = i64::from(turns.rows_of_each);
        let params: [Param<'_>; 4] = [&tenants, &owners, &each, &now];
        let sql = include_str!("sql/outbox/in_turn.sql");
        self.db().query(sql, &params).await
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
        tenant: row.try_get("tenant")?,
        owner: row.try_get("owner")?,
        operators: row.try_get("operators")?,
    };
    // A row that names its tasks in a way that cannot be read is set aside as a whole.
    let (occurrence, left) = match left(row.try_get("after_task")?, row.try_get("tasks")?) {
        Ok(left) => (columns.occurrence(), left),
        Err(unreadable) => (Err(unreadable), Left::After(TaskId(0))),
    };
    Ok(OutboxRow {
        id: OutboxId(row.try_get("id")?),
        occurrence,
        left,
        turn: count(row, "turn")?,
        created: row.try_get("created")?,
    })
}
