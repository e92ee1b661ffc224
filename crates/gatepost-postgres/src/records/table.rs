//! The tables of records: their statements, built from the fields of a record.

use std::error::Error;
use std::sync::LazyLock;

use bytes::BytesMut;
use gatepost_ids::OwnerId;
use gatepost_storage::codec::{Field, Record, Value};
use gatepost_storage::owners::RecordUsage;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::{Revision, Row, Scope};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use uuid::Uuid;
use webhook_model::{Event, Task, Webhook};

use crate::change::{Words, most};
use crate::column::owner;
use crate::db::Param;
use crate::error::Result;
use crate::list::List;
use crate::store::PostgresStore;

/// The last statements of every change of a record: its consequences, its verdict and the row.
const END: [&str; 2] = [sql!("place/changed"), sql!("records/verdict")];
/// The columns of every record, before those of its fields.
const HEAD: [&str; 5] = ["id", "owner", "revision", "created", "modified"];

/// A record with a table.
pub(super) trait Stored: Record {
    /// `FROM` and the joins, with the condition that a row `r` is not deleted.
    const FROM: &'static str;
    /// The columns of the summary of rows `r`: a name, and whether they are used.
    const HEAD: &'static str;
    /// The error texts for the verdict of a change.
    const WORDS: &'static Words;

    fn table() -> &'static Table;
    /// Returns the bytes that count towards its owner's limit.
    fn size(&self) -> i64;
    /// Returns the maximum number of its kind for an owner.
    fn limit(at_most: &RecordUsage) -> i64;
    /// Returns the owner if the record itself names one.
    fn named_owner(&self) -> Option<Uuid>;
}

/// The statements of a table of records.
pub(super) struct Table {
    /// The `SELECT` of existing rows: `r.id, … FROM … WHERE …`.
    pub(super) select: String,
    pub(super) insert: String,
    pub(super) update: String,
    pub(super) delete: String,
    /// The columns that may be large.
    pub(super) bodies: Vec<&'static Field>,
}

/// The value of a column of a field.
#[derive(Debug)]
pub(crate) struct Cell(pub(crate) Value);

macro_rules! stored {
    ($($record:ident, $name:literal, $rows:ident, $owner:expr, $head:literal, $words:expr; $from:literal;)*) => {
        $(impl Stored for $record {
            const FROM: &'static str = $from;
            const HEAD: &'static str = $head;
            const WORDS: &'static Words = $words;

            fn table() -> &'static Table {
                static TABLE: LazyLock<Table> = LazyLock::new(|| Table::of::<$record>([
                    sql!(concat!("records/insert_", $name)),
                    sql!(concat!("records/update_", $name)),
                    sql!(concat!("records/delete_", $name)),
                ]));
                &TABLE
            }

            fn size(&self) -> i64 {
                most(self.stored_bytes())
            }

            fn limit(at_most: &RecordUsage) -> i64 {
                most(at_most.$rows)
            }

            fn named_owner(&self) -> Option<Uuid> {
                let owner: fn(&Self) -> Option<Uuid> = $owner;
                owner(self)
            }
        })*
    };
}
stored! {
    Webhook, "webhook", webhooks, |webhook| Some(webhook.owner.into()), "r.name, r.activity = 'active' AS enabled", &Words {
    what: "webhook",
    taken: "the owner has a webhook of that name",
    reference: "webhook",
};
        "FROM :schema.gatepost_webhook r JOIN :schema.gatepost_owner o ON o.owner = r.owner AND NOT o.gone WHERE NOT r.gone";
    Task, "task", tasks, |_| None, "r.name, r.enabled", &Words {
    what: "task",
    taken: "task",
    reference: "the task's webhook does not exist",
};
        "FROM :schema.gatepost_task r JOIN :schema.gatepost_webhook w ON w.id = r.webhook \
        JOIN :schema.gatepost_owner o ON o.owner = r.owner AND NOT o.gone WHERE NOT w.gone";
    Event, "event", events, |_| None, "NULL::text AS name, r.enabled", &Words {
    what: "event",
    taken: "event",
    reference: "the event's task does not exist",
};
        "FROM :schema.gatepost_event r JOIN :schema.gatepost_task t ON t.id = r.task \
        JOIN :schema.gatepost_webhook w ON w.id = t.webhook JOIN :schema.gatepost_owner o ON o.owner = r.owner AND NOT o.gone WHERE NOT w.gone";
}

impl Table {
    fn of<R: Stored>(changes: [&str; 3]) -> Self {
        let change = |sql: &str| [&numbered(sql, R::FIELDS), END[0], END[1]].concat();
        let [insert, update, delete] = changes.map(change);
        let bodies = R::FIELDS.iter().filter(|field| field.omitted.is_some());
        Self {
            select: format!("{} {}", columns_of::<R>("r"), R::FROM),
            insert,
            update,
            delete,
            bodies: bodies.collect(),
        }
    }
}

/// Returns the list of the records of a scope.
pub(super) fn listed<R: Stored>(scope: Scope) -> List {
    List::scoped(&R::table().select, scope).bodies(&R::table().bodies)
}

/// Returns the columns of rows `alias` of a table: `alias.id, …`.
pub(super) fn columns_of<R: Record>(alias: &str) -> String {
    let fields = R::FIELDS.iter().map(|field| field.name);
    let columns = HEAD.into_iter().chain(fields);
    let columns = columns.map(|column| format!("{alias}.{column}"));
    columns.collect::<Vec<_>>().join(", ")
}

/// Returns a statement with these fields as the parameters after its own: it replaces `:columns`,
/// their `:values`, `:sets` of both, and `:value.name` of one.
pub(crate) fn numbered<'a>(sql: &str, fields: impl IntoIterator<Item = &'a Field>) -> String {
    let own = (1..).take_while(|n| sql.contains(&format!("${n}"))).count();
    let names: Vec<&str> = fields.into_iter().map(|field| field.name).collect();
    let (mut filled, mut all) = (sql.to_owned(), vec![]);
    for (n, name) in (own + 1..).zip(&names) {
        filled = filled.replace(&format!(":value.{name}:"), &format!("${n}"));
        all.push(format!("${n}"));
    }
    let filled = filled.replace(":columns", &names.join(", "));
    let filled = filled.replace(":values", &all.join(", "));
    filled.replace(":sets", &sets(own + 1, &names))
}

/// Returns assignments of these columns to numbered parameters, from `first` on.
pub(super) fn sets(first: usize, columns: &[&str]) -> String {
    let numbered = (first..).zip(columns);
    let sets: Vec<String> = numbered.map(|(n, name)| format!("{name} = ${n}")).collect();
    sets.join(", ")
}

/// Returns the values of a record's fields, as parameters.
pub(super) fn cells<R: Record>(record: &R, keys: &SealingKeys) -> Result<Vec<Cell>> {
    Ok(record.columns(keys)?.into_iter().map(Cell).collect())
}

/// Returns the statement's own parameters, then the fields.
pub(crate) fn params<'a>(own: &[Param<'a>], fields: &'a [Cell]) -> Vec<Param<'a>> {
    let fields = fields.iter().map(|cell| cell as Param<'a>);
    own.iter().copied().chain(fields).collect()
}

/// Reads a row with the columns of [`columns_of`].
pub(super) fn row<R: Record>(
    row: &tokio_postgres::Row,
    keys: &SealingKeys,
) -> Result<Row<R::Id, R>> {
    let id: i64 = row.try_get("id")?;
    let owner = owner(row, "owner")?;
    let mut fields = Vec::with_capacity(R::FIELDS.len());
    for field in R::FIELDS {
        fields.push(row.try_get::<_, Cell>(field.name)?.0);
    }
    Ok(Row {
        id: id.into(),
        owner,
        revision: Revision(row.try_get("revision")?),
        created: row.try_get("created")?,
        modified: row.try_get("modified")?,
        value: R::from_columns(owner, fields, keys)?,
    })
}

impl PostgresStore {
    /// Returns the existing rows with these ids; `columns` are those of rows `r`.
    pub(super) async fn find_all<R: Stored>(
        &self,
        columns: &str,
        ids: &[i64],
    ) -> Result<Vec<tokio_postgres::Row>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let sql = format!("SELECT {columns} {} AND r.id = ANY ($1)", R::FROM);
        self.db().query(&sql, &[&ids]).await
    }
}

impl ToSql for Cell {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn Error + Sync + Send>> {
        match &self.0 {
            Value::Null => Ok(IsNull::Yes),
            Value::Bool(flag) => flag.to_sql(ty, out),
            Value::Number(number) if *ty == Type::INT4 => i32::try_from(*number)?.to_sql(ty, out),
            Value::Number(number) => number.to_sql(ty, out),
            Value::Text(text) if *ty == Type::BYTEA => text.as_bytes().to_sql(ty, out),
            Value::Text(text) => text.to_sql(ty, out),
            Value::Bytes(bytes) => bytes.to_sql(ty, out),
            Value::Time(time) => time.to_sql(ty, out),
            Value::User(user) => Uuid::from(*user).to_sql(ty, out),
        }
    }

    fn accepts(ty: &Type) -> bool {
        <Self as FromSql<'_>>::accepts(ty)
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Cell {
    fn from_sql(
        ty: &Type,
        raw: &'a [u8],
    ) -> std::result::Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(match *ty {
            Type::BOOL => Value::Bool(bool::from_sql(ty, raw)?),
            Type::INT4 => Value::Number(i32::from_sql(ty, raw)?.into()),
            Type::INT8 => Value::Number(i64::from_sql(ty, raw)?),
            Type::TEXT => Value::Text(String::from_sql(ty, raw)?),
            Type::TIMESTAMPTZ => Value::Time(FromSql::from_sql(ty, raw)?),
            Type::UUID => Value::User(OwnerId::from(Uuid::from_sql(ty, raw)?)),
            _ => Value::Bytes(raw.to_vec()),
        }))
    }

    fn from_sql_null(_ty: &Type) -> std::result::Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(Value::Null))
    }

    fn accepts(ty: &Type) -> bool {
        matches!(
            *ty,
            Type::BOOL
                | Type::INT4
                | Type::INT8
                | Type::TEXT
                | Type::TIMESTAMPTZ
                | Type::UUID
                | Type::BYTEA
        )
    }
}
