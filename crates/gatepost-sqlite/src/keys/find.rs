//! One key.

use gatepost_storage::keys::KeyRow;
use rusqlite::{Connection, OptionalExtension as _};

use super::row;
use crate::error::Result;

/// The key, unless its owner is gone. `condition` ends where the parameter belongs: `k.id =`.
pub(super) fn find(
    c: &Connection,
    condition: &str,
    value: impl Into<rusqlite::types::Value>,
) -> Result<Option<KeyRow>> {
    let live = row::LIVE;
    let sql = format!("SELECT {} WHERE {condition} ?1 AND {live}", row::COLUMNS);
    c.prepare_cached(&sql)?
        .query_row([value.into()], |row| Ok(row::key(row)))
        .optional()?
        .transpose()
}
