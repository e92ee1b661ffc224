//! A key and its columns.

use std::sync::LazyLock;

use apikey_core::LookupId;
use gatepost_storage::codec::{Field, Record as _};
use gatepost_storage::keys::KeyRow;
use tokio_postgres::Row;

use crate::column::owner;
use crate::error::{Failure, Result};
use crate::records::table::{Cell, numbered};

/// Selects the fields that an insert writes: all except the row number.
const WRITTEN: fn(&&Field) -> bool = |field| field.name != "id";
const EDITED: fn(&&Field) -> bool = |field| field.edited;

pub(super) static SQL: LazyLock<Sql> = LazyLock::new(Sql::of);

/// The statements of the table of keys, built from the fields of a key.
pub(super) struct Sql {
    /// The columns of a row `r`, not `r.*`: a column may be added while this process runs.
    pub(super) columns: String,
    /// The `SELECT` of existing keys.
    pub(super) select: String,
    pub(super) insert: String,
    pub(super) update: String,
    pub(super) roll: String,
}

impl Sql {
    fn of() -> Self {
        let names: Vec<&str> = KeyRow::FIELDS.iter().map(|field| field.name).collect();
        let row = format!("owner, {}", names.join(", "));
        let columns = format!("r.owner, r.{}", names.join(", r."));
        let sql = |sql: &str, which| {
            let sql = sql.replace(":row", &row);
            numbered(&sql, KeyRow::FIELDS.iter().filter(which))
        };
        Self {
            select: format!(
                "{columns} FROM :schema.gatepost_key r JOIN :schema.gatepost_owner o ON o.owner = r.owner WHERE NOT o.gone"
            ),
            columns,
            insert: sql(sql!("keys/insert"), WRITTEN),
            update: sql(sql!("keys/update"), EDITED),
            roll: sql(sql!("keys/roll"), WRITTEN),
        }
    }
}

/// Returns the values that an insert writes.
pub(super) fn written(row: &KeyRow) -> Result<Vec<Cell>> {
    cells(row, WRITTEN)
}

/// Returns the values that an edit writes.
pub(super) fn edited(row: &KeyRow) -> Result<Vec<Cell>> {
    cells(row, EDITED)
}

fn cells(row: &KeyRow, which: fn(&&Field) -> bool) -> Result<Vec<Cell>> {
    let fields = KeyRow::FIELDS.iter().zip(row.values()?);
    let written = fields.filter(|(field, _)| which(field));
    Ok(written.map(|(_, value)| Cell(value)).collect())
}

pub(super) fn key(row: &Row) -> Result<KeyRow> {
    let fields = KeyRow::FIELDS.iter();
    let values = fields.map(|field| Ok(row.try_get::<_, Cell>(field.name)?.0));
    let values = values.collect::<Result<Vec<_>>>()?;
    Ok(KeyRow::from_values(owner(row, "owner")?, values)?)
}

/// Returns the lookup id of a row of changes, if it has one.
pub(super) fn lookup(row: &Row) -> Result<Option<LookupId>> {
    let text: Option<&str> = row.try_get("lookup")?;
    text.map(|text| text.parse().map_err(|e| Failure::corrupt("changed key", e)))
        .transpose()
}
