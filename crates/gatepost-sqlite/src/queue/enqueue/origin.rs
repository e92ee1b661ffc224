//! The origin of an enqueue, which makes it happen only once.

use chrono::{DateTime, Utc};
use gatepost_ids::Realm;
use gatepost_storage::webhooks::{Origin, OutboxId};
use rusqlite::{Connection, params};
use webhook_model::OccurrenceId;

use crate::column::micros;
use crate::error::Result;
use crate::sql::Sql as _;

/// Returns whether the origin was used earlier. Consumes an outbox row whose occurrence is known.
pub(super) fn used(c: &Connection, origin: &Origin) -> Result<bool> {
    Ok(match origin {
        Origin::Direct => false,
        Origin::Occurrence { place, id } => is_known(c, *place, id)?,
        Origin::Outbox {
            row,
            turn,
            occurrence,
            ..
        } => {
            let waits = c.has("SELECT 1 FROM gatepost_occurrence WHERE id = ?1 AND turn = ?2 AND rejected IS NULL", params![row.0, turn])?;
            let known = match occurrence {
                Some((place, id)) => waits && is_known(c, *place, id)?,
                None => false,
            };
            if known {
                use_up(c, *row)?;
            }
            known || !waits
        }
    })
}

/// Marks the origin as used.
pub(super) fn take(c: &Connection, origin: &Origin, now: DateTime<Utc>) -> Result<()> {
    match origin {
        Origin::Direct => Ok(()),
        Origin::Occurrence { place, id } => note(c, *place, id, now),
        Origin::Outbox {
            row,
            occurrence,
            left,
            ..
        } => {
            match left {
                None => use_up(c, *row)?,
                Some((left, due)) => {
                    let (after_task, tasks) = left.columns();
                    let sql = sql!("outbox/move_on");
                    c.run(sql, params![row.0, after_task, tasks, micros(*due)])?;
                }
            }
            match occurrence {
                Some((place, id)) => note(c, *place, id, now),
                None => Ok(()),
            }
        }
    }
}

fn is_known(c: &Connection, place: Realm, id: &OccurrenceId) -> Result<bool> {
    let sql = "SELECT 1 FROM gatepost_seen WHERE place = ?1 AND id = ?2";
    c.has(sql, params![place.to_string(), id.as_str()])
}

fn note(c: &Connection, place: Realm, id: &OccurrenceId, now: DateTime<Utc>) -> Result<()> {
    let sql = "INSERT INTO gatepost_seen (place, id, stored) VALUES (?1, ?2, ?3)";
    c.run(sql, params![place.to_string(), id.as_str(), micros(now)])
}

fn use_up(c: &Connection, row: OutboxId) -> Result<()> {
    c.run("DELETE FROM gatepost_occurrence WHERE id = ?1", [row.0])
}
