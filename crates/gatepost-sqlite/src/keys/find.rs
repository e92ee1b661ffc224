//! Queries for one key, and for keys that expire.

use apikey_core::KeyId;
use chrono::{DateTime, Utc};
use gatepost_storage::keys::KeyRow;
use rusqlite::{Connection, params};

use super::row;
use crate::column::micros;
use crate::error::Result;
use crate::sql::Sql as _;

/// Returns the key, unless its owner is deleted. `condition` ends where the parameter follows:
/// `k.id =`.
pub(super) fn find(
    c: &Connection,
    condition: &str,
    value: impl Into<rusqlite::types::Value>,
) -> Result<Option<KeyRow>> {
    let (select, live) = (&row::SQL.select, row::LIVE);
    let sql = format!("SELECT {select} WHERE {condition} ?1 AND {live}");
    c.first(&sql, [value.into()], row::key)
}

/// Returns keys in order of their expiry, except those of deleted owners.
pub(super) fn expiring(
    c: &Connection,
    (at, id): (DateTime<Utc>, KeyId),
    before: DateTime<Utc>,
    limit: u32,
) -> Result<Vec<KeyRow>> {
    let sql = format!(
        "SELECT {} INDEXED BY gatepost_key_expires WHERE (k.expires, k.id) > (?1, ?2) AND k.expires < ?3 AND {} \
         ORDER BY k.expires, k.id LIMIT ?4",
        row::SQL.select,
        row::LIVE
    );
    let params = params![micros(at), id.0, micros(before), limit];
    c.all(&sql, params, row::key)
}
