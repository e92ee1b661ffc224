//! The outbox: occurrences that the platform inserted in its own transactions.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::columns::OutboxColumns;
use gatepost_storage::webhooks::{OutboxId, OutboxRow, OutboxStore, Unreadable};
use rusqlite::{Row, params};
use webhook_model::Occurrence;

use crate::column::micros;
use crate::error::{Answer, Failure, Result};
use crate::store::SqliteStore;

#[async_trait]
impl OutboxStore for SqliteStore {
    async fn push_outbox(&self, occurrence: &Occurrence, now: DateTime<Utc>) -> Answer<OutboxId> {
        let occurrence = occurrence.clone();
        self.write(move |c| {
            let columns = OutboxColumns::of(&occurrence);
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
                    ],
                    |row| row.get(0),
                )?;
            Ok(OutboxId(id))
        })
        .await
    }

    async fn outbox(&self, limit: u32) -> Answer<Vec<OutboxRow>> {
        self.read(move |c| {
            let mut statement = c.prepare_cached(include_str!("sql/outbox/waiting.sql"))?;
            let mut rows = statement.query([limit])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(OutboxRow {
                    id: OutboxId(row.get("id")?),
                    occurrence: occurrence(row)?,
                });
            }
            Ok(found)
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
    let read = || {
        OutboxColumns {
            event_type: event_type?.unwrap_or_default(),
            event: event?.unwrap_or_default(),
            object_id,
            object_name: object_name?,
            tags: tags?.unwrap_or_default().into(),
            variables: variables?.unwrap_or_default().into(),
            occurrence_id: occurrence_id?,
        }
        .occurrence()
    };
    Ok(read())
}
