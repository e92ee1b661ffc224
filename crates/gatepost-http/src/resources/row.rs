//! What all tables need to make rows of records.

use chrono::{DateTime, Utc};
use gatepost_manage::{Listed, ManageError};
use gatepost_storage::{Bodies, Page};
use serde_json::Value;

use crate::error::ApiError;
use crate::resource::{Scan, Scanned};
use crate::schema::{KEY, RowMap};

/// A row from its columns.
pub(super) fn row<const N: usize>(key: i64, columns: [(&str, Value); N]) -> RowMap {
    let key = (KEY.to_owned(), Value::from(key));
    let columns = columns.map(|(name, value)| (name.to_owned(), value));
    std::iter::once(key).chain(columns).collect()
}

/// The row number of a row.
pub(super) fn key_of(row: &RowMap) -> i64 {
    row.get(KEY).and_then(Value::as_i64).unwrap_or_default()
}

/// Epoch seconds, 0 for never.
pub(super) fn epoch(time: Option<DateTime<Utc>>) -> Value {
    time.map_or(0, |time| time.timestamp()).into()
}

/// The page that a scan asks for, without bodies.
pub(super) fn page<I>(scan: &Scan<'_>, id: fn(i64) -> I) -> Page<I> {
    Page {
        after: scan.after.map(id),
        order: scan.order,
        limit: scan.limit,
        bodies: Bodies::Omitted,
    }
}

/// What a scan found, as rows.
pub(super) fn scanned<R, I>(
    found: &Listed<R, I>,
    columns: impl Fn(&R) -> RowMap,
    number: impl Fn(&I) -> i64,
) -> Scanned {
    Scanned {
        rows: found.rows.iter().map(columns).collect(),
        next: found.next.as_ref().map(number),
    }
}

/// The key in `"table/key"`, and the table.
pub(super) fn reference<'a>(row: &'a RowMap, column: &str) -> Option<(&'a str, i64)> {
    let (table, key) = row.get(column)?.as_str()?.rsplit_once('/')?;
    Some((table, key.parse().ok()?))
}

/// What a reference names: a row that is not there, that the caller may not see, or that cannot be
/// read, has no name.
pub(super) fn if_there<T>(found: Result<T, ManageError>) -> Result<Option<T>, ApiError> {
    match found {
        Ok(row) => Ok(Some(row)),
        Err(ManageError::NotFound | ManageError::Unreadable) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
