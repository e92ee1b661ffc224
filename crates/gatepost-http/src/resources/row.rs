//! Common conversions from records to rows.

use chrono::{DateTime, Utc};
use gatepost_manage::{Listed, ManageError};
use gatepost_storage::{Bodies, Page};
use serde_json::Value;
use webhook_model::JsonObject;

use crate::error::{ApiError, Result};
use crate::resource::{Scan, Scanned};
use crate::schema::{Column, KEY, Kind, LAST_SECOND, RowMap};
use crate::turn::Turn;

/// The cost of creating a small value, in bytes.
const COLUMN: usize = 64;

pub(super) const CREATED: Column = Column::new("created", Kind::Time, "1790000000")
    .read_only()
    .rising()
    .doc("When it was created.");
pub(super) const MODIFIED: Column = Column::new("modified", Kind::Time, "1790000000")
    .read_only()
    .doc("When it was last changed.");

/// Creates a row from its columns.
pub(super) fn row<const N: usize>(key: i64, columns: [(&'static str, Value); N]) -> RowMap {
    let key = (KEY, Value::from(key));
    std::iter::once(key).chain(columns).collect()
}

/// Returns the row number of a row.
pub(super) fn key_of(row: &RowMap) -> i64 {
    row.get(KEY).and_then(Value::as_i64).unwrap_or_default()
}

/// Returns epoch seconds, 0 for never.
pub(super) fn epoch(time: Option<DateTime<Utc>>) -> Value {
    time.map_or(0, |time| time.timestamp()).into()
}

/// Converts epoch seconds from a client, until the end of the year 9999.
pub(super) fn moment(field: &str, seconds: i64) -> Result<DateTime<Utc>> {
    let moment = DateTime::from_timestamp(seconds, 0).filter(|_| seconds <= LAST_SECOND);
    moment.ok_or_else(|| {
        let rule = "must be before the year 10000 (seconds, not milliseconds?)";
        ApiError::field(field, rule)
    })
}

/// Returns a parameter, which is JSON text, as the text of a variable: a value other than a string
/// stays JSON.
pub(super) fn as_text(json: &str) -> String {
    serde_json::from_str(json).unwrap_or_else(|_| json.to_owned())
}

/// Returns an object as its JSON text, in which numbers keep their digits. It is wrapped in an
/// array, which no other value is, so that [`Table::json_text`](crate::schema::Table::json_text)
/// recognizes it; filters and sorts ignore both.
pub(super) fn json_text(object: &JsonObject) -> Value {
    vec![object.as_str()].into()
}

/// Returns the page that a scan requests, without bodies.
pub(super) fn page<I>(scan: &Scan<'_>, id: fn(i64) -> I) -> Page<I> {
    Page {
        after: scan.after.map(id),
        order: scan.order,
        limit: scan.limit,
        bodies: Bodies::Omitted,
    }
}

/// Converts the result of a scan to rows.
pub(super) async fn scanned<R, I>(
    found: Listed<R, I>,
    columns: impl Fn(&R) -> RowMap,
    number: impl Fn(&I) -> i64,
) -> Scanned {
    Scanned {
        rows: rows(found.rows, columns).await,
        next: found.next.as_ref().map(number),
    }
}

/// Converts records to rows, and yields between large ones.
async fn rows<R>(records: Vec<R>, columns: impl Fn(&R) -> RowMap) -> Vec<RowMap> {
    let (mut rows, mut turn) = (Vec::with_capacity(records.len()), Turn::default());
    for record in records {
        let row = columns(&record);
        turn.spend(row.values().map(work).sum()).await;
        rows.push(row);
    }
    rows
}

/// Returns the cost of creating a value, in bytes.
fn work(value: &Value) -> usize {
    match value {
        Value::String(text) => COLUMN + text.len(),
        Value::Array(values) => COLUMN + values.iter().map(work).sum::<usize>(),
        Value::Object(members) => COLUMN * (1 + members.len()),
        Value::Null | Value::Bool(_) | Value::Number(_) => COLUMN,
    }
}

/// Returns the referenced row, or `None` if it does not exist, cannot be read, or the caller may
/// not see it.
pub(super) fn if_there<T>(found: Result<T, ManageError>) -> Result<Option<T>> {
    match found {
        Ok(row) => Ok(Some(row)),
        Err(ManageError::NotFound | ManageError::Unreadable) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;

    use serde_json::json;

    use super::*;

    /// Returns how often the task yields while it creates ten rows with this value.
    async fn turns(value: Value) -> usize {
        let mut made = pin!(rows(vec![(); 10], |()| row(1, [("v", value.clone())])));
        let mut turns = 0;
        poll_fn(|cx| {
            let made = made.as_mut().poll(cx);
            turns += usize::from(made.is_pending());
            made.map(|rows| assert_eq!(rows.len(), 10))
        })
        .await;
        turns
    }

    #[test]
    fn time_beyond_the_year_9999_is_refused() {
        let last = moment("from", LAST_SECOND).unwrap();
        assert_eq!(last.to_rfc3339(), "9999-12-31T23:59:59+00:00");
        for seconds in [LAST_SECOND + 1, 1_795_000_000_000, i64::MAX] {
            let rule = "must be before the year 10000 (seconds, not milliseconds?)";
            assert_eq!(moment("from", seconds), Err(ApiError::field("from", rule)));
        }
    }

    #[tokio::test]
    async fn large_row_creation_yields_cooperatively() {
        let members = |count: usize| (0..count).map(|n| (n.to_string(), json!(0))).collect();
        assert_eq!(turns(json!("short")).await, 0);
        assert_eq!(turns("x".repeat(300 * 1024).into()).await, 10);
        assert_eq!(turns(json!(vec![0; 5_000])).await, 10);
        assert_eq!(turns(Value::Object(members(5_000))).await, 10);
    }
}
