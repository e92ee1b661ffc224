//! A key and its columns.

use std::iter;
use std::sync::LazyLock;

use gatepost_storage::codec::Record as _;
use gatepost_storage::keys::KeyRow;
use rusqlite::types::Value as SqlValue;
use rusqlite::{Connection, Row, params_from_iter};

use crate::column::{owner, sets, sql_value, value_of};
use crate::error::Result;
use crate::named::Named;
use crate::sql::Sql as _;

/// The condition that the key's owner was not removed after its creation.
pub(super) const LIVE: &str =
    "k.id > (SELECT o.gone_keys FROM gatepost_owner o WHERE o.owner = k.owner)";

pub(super) static SQL: LazyLock<Sql> = LazyLock::new(Sql::of);

/// The statements of the table of keys, built from the fields of a key.
pub(super) struct Sql {
    /// The columns that [`key`] reads, with the table: `owner, id, … FROM gatepost_key k`.
    pub(super) select: String,
    pub(super) insert: String,
    pub(super) update: String,
}

impl Sql {
    fn of() -> Self {
        let names: Vec<&str> = KeyRow::FIELDS.iter().map(|field| field.name).collect();
        let columns = format!("owner, {}", names.join(", "));
        // All except the row number.
        let fields = &names[1..];
        let values: Vec<String> = (2..).zip(fields).map(|(n, _)| format!("?{n}")).collect();
        Self {
            insert: format!(
                "INSERT INTO gatepost_key (owner, {}) VALUES (?1, {}) RETURNING {columns}",
                fields.join(", "),
                values.join(", ")
            ),
            update: format!(
                "UPDATE gatepost_key SET {} WHERE id = ?1 RETURNING {columns}",
                sets(2, fields)
            ),
            select: format!("{columns} FROM gatepost_key k"),
        }
    }
}

/// Inserts or updates a row, by a statement that takes `first` and then its fields.
pub(super) fn store(c: &Connection, sql: &str, first: SqlValue, row: &KeyRow) -> Result<KeyRow> {
    let fields = row.values()?.into_iter().skip(1).map(sql_value);
    let params = params_from_iter(iter::once(first).chain(fields));
    c.one(sql, params, key)
}

pub(super) fn key(row: &Row<'_>) -> Result<KeyRow> {
    let owner = owner(&Named::of(row), "owner")?;
    // The owner is before them.
    let fields = 1..=KeyRow::FIELDS.len();
    let fields = fields.map(|at| value_of(row.get_ref(at)?));
    Ok(KeyRow::from_values(
        owner,
        fields.collect::<Result<Vec<_>>>()?,
    )?)
}
