//! Rows that cannot be read: written by a newer version, or sealed with a key that is lost. Lists
//! leave them out, so that clients need not know about them; the filter `unreadable eq true` lists
//! only these. Such a row is returned without its columns, and deleted like any other.

use gatepost_manage::{Actor, ManageError};
use gatepost_storage::Order;
use gatepost_storage::webhooks::RecordId;

use super::row::row;
use crate::error::Result;
use crate::resource::{Scan, Scanned};
use crate::schema::{Column, Kind, RowMap};

/// The column that the three tables share.
pub(super) const COLUMN: Column = Column::new("unreadable", Kind::Bool, "false").read_only()
    .doc("Whether the row cannot be read, because a newer version wrote it or its sealing key is lost. Such rows are only listed with the filter `unreadable eq true`, have no other columns, do nothing, and can be deleted.");

/// Returns whether a list asks for these rows.
pub(super) fn asked_for(scan: &Scan<'_>) -> bool {
    scan.equal.is_true(COLUMN.name)
}

/// Returns the caller's unreadable rows of this table.
pub(super) async fn scan(caller: &Actor, scan: &Scan<'_>, table: &str) -> Result<Scanned> {
    let found = caller.unreadable().await?;
    let numbers = found
        .iter()
        .filter_map(|found| match (found.record, table) {
            (RecordId::Webhook(id), "webhook_urls") => Some(id.0),
            (RecordId::Task(id), "tasks") => Some(id.0),
            (RecordId::Event(id), "task_events") => Some(id.0),
            _ => None,
        });
    let mut numbers: Vec<i64> = numbers.collect();
    numbers.sort_unstable();
    if scan.order == Order::Descending {
        numbers.reverse();
    }
    Ok(Scanned {
        rows: numbers.into_iter().map(placeholder).collect(),
        next: None,
    })
}

/// Returns the row, or a placeholder for one that cannot be read.
pub(super) fn or_placeholder<T>(
    found: Result<T, ManageError>,
    key: i64,
    columns: impl FnOnce(T) -> RowMap,
) -> Result<RowMap> {
    match found {
        Ok(found) => Ok(columns(found)),
        Err(ManageError::Unreadable) => Ok(placeholder(key)),
        Err(error) => Err(error.into()),
    }
}

fn placeholder(key: i64) -> RowMap {
    row(key, [(COLUMN.name, true.into())])
}
