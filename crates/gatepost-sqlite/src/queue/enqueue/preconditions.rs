//! The checks of an enqueue's preconditions.

use std::collections::BTreeSet;

use gatepost_storage::Revision;
use gatepost_storage::webhooks::{Precondition, RecordId};
use rusqlite::{Connection, params};
use webhook_model::TaskId;

use crate::batch::Batch;
use crate::error::Result;
use crate::sql::Sql as _;

/// Returns whether the preconditions hold, with one lookup for each realm that is not in the cache.
pub(super) fn stands(
    c: &Connection,
    batch: &mut Batch,
    precondition: &Precondition,
) -> Result<bool> {
    if let Precondition::Realms(places) = precondition {
        for (place, seen) in places {
            if batch.place_version(c, *place)? != *seen {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Returns whether every task to consume still exists.
pub(super) fn all_there(c: &Connection, tasks: &BTreeSet<TaskId>) -> Result<bool> {
    for task in tasks {
        if !is_there(c, *task)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the rows that were changed or deleted or whose owners are suspended, and the tasks to
/// consume that are deleted.
pub(super) fn changed_rows(
    c: &Connection,
    rows: &[(RecordId, Revision)],
    consume: &BTreeSet<TaskId>,
) -> Result<Vec<RecordId>> {
    let mut changed = Vec::new();
    for (record, revision) in rows {
        let (sql, id) = match record {
            RecordId::Webhook(id) => (sql!("queue/same_webhook"), id.0),
            RecordId::Task(id) => (sql!("queue/same_task"), id.0),
            RecordId::Event(id) => (sql!("queue/same_event"), id.0),
        };
        if !c.has(sql, params![id, revision.0])? {
            changed.push(*record);
        }
    }
    for task in consume {
        let record = RecordId::Task(*task);
        if !is_there(c, *task)? {
            changed.push(record);
        }
    }
    changed.sort_unstable();
    changed.dedup();
    Ok(changed)
}

fn is_there(c: &Connection, task: TaskId) -> Result<bool> {
    let there = "SELECT 1 FROM gatepost_live_task WHERE id = ?1";
    c.has(there, [task.0])
}
