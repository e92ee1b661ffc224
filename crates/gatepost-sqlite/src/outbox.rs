//! The outbox: occurrences that the platform inserted in its own transactions.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::columns::{OutboxColumns, left, left_columns};
use gatepost_storage::webhooks::{
    Left, NewOutbox, OutboxId, OutboxRow, OutboxStore, OutboxTurns, Unreadable,
};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use webhook_model::{Occurrence, TaskId};

use crate::column::{micros, number, time};
use crate::error::{Answer, Failure, Result};
use crate::store::SqliteStore;

#[async_trait]
impl OutboxStore for SqliteStore {
    async fn push_outbox(&self, occurrence: &Occurrence, now: DateTime<Utc>) -> Answer<OutboxId> {
        let new = NewOutbox {
            occurrence: occurrence.clone(),
            left: Left::After(TaskId(0)),
            due: now,
        };
        self.write(move |c| push(c, &new, now)).await
    }

    async fn outbox(&self, limit: u32, now: DateTime<Utc>) -> Answer<Vec<OutboxRow>> {
        self.read(move |c| due(c, limit, now)).await
    }

    async fn postpone_outbox(&self, id: OutboxId, turn: u32, due: DateTime<Utc>) -> Answer<()> {
        self.write(move |c| {
            c.prepare_cached(include_str!("sql/outbox/postpone.sql"))?
                .execute(params![id.0, turn, micros(due)])?;
            Ok(())
        })
        .await
    }

    async fn reject_outbox(&self, id: OutboxId, reason: &str, _now: DateTime<Utc>) -> Answer<()> {
        let reason = reason.to_owned();
        self.write(move |c| {
            let mut reject =
                c.prepare_cached("UPDATE gatepost_occurrence SET rejected = ?2 WHERE id = ?1")?;
            match reject.execute(params![id.0, reason])? {
                0 => Err(Failure::not_found("outbox row")),
                _ => Ok(()),
            }
        })
        .await
    }
}

/// Stores a row that the engine is to use later.
pub(crate) fn push(c: &Connection, new: &NewOutbox, now: DateTime<Utc>) -> Result<OutboxId> {
    let columns = OutboxColumns::of(&new.occurrence);
    let (after_task, tasks) = left_columns(&new.left);
    let id = c
        .prepare_cached(include_str!("sql/outbox/push.sql"))?
        .query_row(
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
            ],
            |row| row.get(0),
        )?;
    Ok(OutboxId(id))
}

fn due(c: &Connection, limit: u32, now: DateTime<Utc>) -> Result<Vec<OutboxRow>> {
    let time = micros(now);
    let all = rows(c, include_str!("sql/outbox/due.sql"), [time, limit.into()])?;
    if all.len() < limit as usize {
        return Ok(all);
    }
    let turns = OutboxTurns::of(&audiences(c, time)?, limit, now);
    let each = turns.rows_of_each;
    let mut in_turn = Vec::new();
    for audience in turns.audiences {
        let sql = include_str!("sql/outbox/due_of.sql");
        let of_one = rows(c, sql, [time, each.into(), audience])?;
        in_turn.extend(of_one.into_iter().enumerate());
    }
    // Stable: those of one audience stay in order.
    in_turn.sort_by_key(|(round, _)| *round);
    Ok(in_turn.into_iter().map(|(_, row)| row).collect())
}

/// Those that have something due, as numbers.
fn audiences(c: &Connection, now: i64) -> Result<Vec<i64>> {
    let mut next = c.prepare_cached(include_str!("sql/outbox/next_audience.sql"))?;
    let (mut found, mut after) = (Vec::new(), i64::MIN);
    while found.len() < OutboxTurns::<i64>::MOST as usize
        && let Some((audience, due)) = next
            .query_row([after], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?
    {
        let due: Option<i64> = due;
        if due.is_none_or(|due| due <= now) {
            found.push(audience);
        }
        after = audience;
    }
    Ok(found)
}

fn rows(c: &Connection, sql: &str, params: impl rusqlite::Params) -> Result<Vec<OutboxRow>> {
    let mut statement = c.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(outbox_row(row)?);
    }
    Ok(found)
}

fn outbox_row(row: &Row<'_>) -> Result<OutboxRow> {
    let tasks = row.get_ref("tasks")?.as_str_or_null();
    let tasks = tasks.map_err(|_| Unreadable("tasks must be text in UTF-8".to_owned()));
    let after_task: i64 = row.get("after_task")?;
    let (occurrence, left) = match tasks.and_then(|tasks| left(after_task, tasks)) {
        Ok(left) => (occurrence(row)?, left),
        Err(reason) => (Err(reason), Left::After(TaskId(after_task))),
    };
    Ok(OutboxRow {
        id: OutboxId(row.get("id")?),
        occurrence,
        left,
        turn: number(row, "turn")?,
        created: time(row, "created")?,
    })
}

/// The platform writes these rows: whatever they hold is a reason, not an error of the store.
fn occurrence(row: &Row<'_>) -> Result<std::result::Result<Occurrence, Unreadable>> {
    let text = |column: &'static str| -> Result<std::result::Result<Option<&str>, Unreadable>> {
        let value = row.get_ref(column)?;
        Ok(value
            .as_str_or_null()
            .map_err(|_| Unreadable(format!("{column} must be text in UTF-8"))))
    };
    let (event_type, event) = (text("event_type")?, text("event")?);
    let (tags, variables) = (text("tags")?, text("variables")?);
    let (object_name, occurrence_id) = (text("object_name")?, text("occurrence_id")?);
    let object_id = row.get("object_id")?;
    let (tenant, owner, operators) = (row.get("tenant")?, row.get("owner")?, row.get("operators")?);
    let read = || {
        OutboxColumns {
            event_type: event_type?.unwrap_or_default(),
            event: event?.unwrap_or_default(),
            object_id,
            object_name: object_name?,
            tags: tags?.unwrap_or_default().into(),
            variables: variables?.unwrap_or_default().into(),
            occurrence_id: occurrence_id?,
            tenant,
            owner,
            operators,
        }
        .occurrence()
    };
    Ok(read())
}
