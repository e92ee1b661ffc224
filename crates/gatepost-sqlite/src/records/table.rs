//! The tables of records: their statements, built from the fields of a record.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::Row;
use gatepost_storage::codec::{Field, Record};
use gatepost_storage::seal::SealingKeys;
use rusqlite::types::Value as SqlValue;
use rusqlite::{Connection, params_from_iter};
use webhook_model::{Event, Task, Webhook};

use crate::column::{micros, owner, sets, sql_value, time, value_of};
use crate::error::Result;
use crate::named::Named;
use crate::sql::Sql as _;

/// The columns of every record, before those of its fields.
const HEAD: &str = "id, owner, revision, created, modified";
const HEAD_COLUMNS: usize = 5;

/// The statements of a table of records.
pub(super) struct Table {
    /// The columns of a row, in the order in which they are read: `id, …`.
    columns: String,
    /// The columns with the table: `id, … FROM gatepost_webhook`.
    pub(super) select: String,
    insert: String,
    update: String,
    /// The columns that may be large.
    bodies: Vec<&'static Field>,
}

/// A record with a table.
pub(super) trait Stored: Record {
    /// The condition that a row is not deleted, with the table that has its number, owner and
    /// realm.
    const LIVE: &'static str;
    /// The columns of the summary: a name, and whether the row is used.
    const HEAD: &'static str;

    fn table() -> &'static Table;
}

macro_rules! stored {
    ($($record:ident, $head:literal: $live:literal;)*) => {
        $(impl Stored for $record {
            const LIVE: &'static str = $live;
            const HEAD: &'static str = $head;

            fn table() -> &'static Table {
                static TABLE: LazyLock<Table> = LazyLock::new(|| Table::of::<$record>());
                &TABLE
            }
        })*
    };
}
stored! {
    Webhook, "r.name, r.activity = 'active'": "gatepost_live_webhook";
    Task, "r.name, r.enabled": "gatepost_live_task";
    Event, "NULL, r.enabled": "(SELECT e.id, e.owner, t.place, t.held FROM gatepost_event e JOIN gatepost_live_task t ON t.id = e.task)";
}

impl Table {
    fn of<R: Record>() -> Self {
        let table = format!("gatepost_{}", R::NAME);
        let names: Vec<&str> = R::FIELDS.iter().map(|field| field.name).collect();
        let fields = names.join(", ");
        let columns = format!("{HEAD}, {fields}");
        // The time, the owner and the bytes are before them.
        let values: Vec<String> = (4..).zip(&names).map(|(n, _)| format!("?{n}")).collect();
        let bodies = R::FIELDS.iter().filter(|field| field.omitted.is_some());
        Self {
            insert: format!(
                "INSERT INTO {table} (revision, created, modified, owner, bytes, {fields}) \
                 VALUES (1, ?1, ?1, ?2, ?3, {}) RETURNING {columns}",
                values.join(", ")
            ),
            update: format!(
                "UPDATE {table} SET revision = revision + 1, modified = ?1, owner = ?2, bytes = ?3, {} \
                 WHERE id = ?{} RETURNING {columns}",
                sets(4, &names),
                4 + names.len()
            ),
            select: format!("{columns} FROM {table}"),
            columns,
            bodies: bodies.collect(),
        }
    }

    /// Returns the columns for a list of its rows.
    pub(super) fn list(&self) -> (&str, &[&Field]) {
        (&self.select, &self.bodies)
    }

    /// Returns a statement that reads rows of this table under the name `alias`; `:columns` stands
    /// for their columns.
    pub(super) fn in_statement(&self, sql: &str, alias: &str) -> String {
        let columns = self
            .columns
            .split(", ")
            .map(|name| format!("{alias}.{name}"));
        sql.replace(":columns", &columns.collect::<Vec<_>>().join(", "))
    }
}

/// Inserts a record, or replaces the one with the row number `id`, and reads the row as it was
/// stored.
pub(super) fn store<R: Stored, T>(
    c: &Connection,
    new: &R,
    (owner, bytes): (OwnerId, i64),
    keys: &SealingKeys,
    now: DateTime<Utc>,
    id: Option<R::Id>,
    read: impl FnOnce(&rusqlite::Row<'_>) -> Result<T>,
) -> Result<T> {
    let table = R::table();
    let sql = if id.is_some() {
        &table.update
    } else {
        &table.insert
    };
    let head = [
        micros(now).into(),
        owner.to_bytes().to_vec().into(),
        bytes.into(),
    ];
    let fields = new.columns(keys)?.into_iter().map(sql_value);
    let params = head.into_iter().chain(fields);
    let params = params.chain(id.map(|id| SqlValue::Integer(id.into())));
    c.one(sql, params_from_iter(params), read)
}

/// Reads a row that begins with [`Table::columns`].
pub(super) fn row<R: Stored>(row: &rusqlite::Row<'_>, keys: &SealingKeys) -> Result<Row<R::Id, R>> {
    let head = &Named::of(row);
    let id: i64 = head.get("id")?;
    let owner = owner(head, "owner")?;
    let (revision, created) = (head.get("revision")?, time(head, "created")?);
    let modified = time(head, "modified")?;
    let fields = HEAD_COLUMNS..HEAD_COLUMNS + R::FIELDS.len();
    let fields = fields.map(|at| value_of(row.get_ref(at)?));
    let fields = fields.collect::<Result<Vec<_>>>()?;
    Ok(Row {
        id: id.into(),
        owner,
        revision: gatepost_storage::Revision(revision),
        created,
        modified,
        value: R::from_columns(owner, fields, keys)?,
    })
}
