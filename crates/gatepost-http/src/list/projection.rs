//! The requested columns, joins and counts of a row.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use gatepost_manage::Actor;
use serde_json::Value;

use crate::error::Result;
use crate::granted::may_read;
use crate::query::ListQuery;
use crate::query::fields::{Column, Field, Fields};
use crate::resource::{Resource, Wanted};
use crate::resources;
use crate::schema::{KEY, RowMap, Table};

/// The number of remembered joins.
const REMEMBERED: usize = 4_096;

/// A row to be shown: the names in the response, in order, and the values.
pub(super) type Shown<'r> = Vec<(&'r str, Content<'r>)>;

/// The content of a column in the response.
pub(super) enum Content<'r> {
    Value(Cow<'r, Value>),
    /// JSON that is written unchanged.
    Json(&'r str),
}

/// Selects columns, and looks up joins and counts. It does not join or count tables that the
/// caller's key may not read.
pub(super) struct Projection<'a> {
    parts: BTreeMap<&'a str, Part<'a>>,
    lookups: Lookups<'a>,
}

/// A named part of the response.
#[derive(Clone, Copy, Debug)]
enum Part<'a> {
    Column(&'a str),
    Count(&'a str),
    /// The name of the row that this column refers to.
    Name(&'a str),
}

impl<'a> Projection<'a> {
    /// Creates a projection. `whole`: without `fields` all columns are shown, not only the short
    /// ones.
    pub(super) fn new(
        resource: &'a dyn Resource,
        caller: &'a Actor,
        fields: &'a Fields,
        whole: bool,
    ) -> Self {
        let (table, mut parts) = (resource.table(), BTreeMap::new());
        let columns = |all: bool| {
            let readable = table.all_readable();
            let readable = readable.filter(move |column| all || column.short);
            let names = std::iter::once(KEY).chain(readable.map(|column| column.name));
            names.map(|name| (name, Part::Column(name)))
        };
        match fields {
            Fields::Default => parts.extend(columns(whole)),
            Fields::These(fields) => {
                for field in fields {
                    match field {
                        Field::Every => parts.extend(columns(true)),
                        Field::One { what, name } => {
                            parts.extend(part(table, caller, what).map(|part| (&**name, part)));
                        }
                    }
                }
            }
        }
        let lookups = Lookups {
            resource,
            caller,
            joined: HashMap::new(),
        };
        Self { parts, lookups }
    }

    pub(super) async fn project<'r>(&mut self, row: &'r RowMap) -> Result<Shown<'r>>
    where
        'a: 'r,
    {
        let mut shown = Shown::with_capacity(self.parts.len());
        let table = self.lookups.resource.table();
        for (name, part) in &self.parts {
            let content = match *part {
                Part::Column(column) => row.get(column).map(|value| {
                    let text = table.json_text(column, value).map(Content::Json);
                    text.unwrap_or(Content::Value(Cow::Borrowed(value)))
                }),
                Part::Count(counted) => {
                    let Lookups {
                        resource, caller, ..
                    } = self.lookups;
                    let count = resource.count(caller, row, counted).await?;
                    Some(Content::Value(Cow::Owned(count.into())))
                }
                Part::Name(through) => {
                    let name = self.lookups.join(row, through).await?;
                    name.map(|name| Content::Value(Cow::Owned(name)))
                }
            };
            shown.extend(content.map(|content| (*name, content)));
        }
        Ok(shown)
    }
}

/// Returns `None` for a part that the table does not have, or the caller may not read.
fn part<'a>(table: &Table, caller: &Actor, what: &'a Column) -> Option<Part<'a>> {
    match what {
        Column::Plain(column) => table.knows(column).then_some(Part::Column(column)),
        Column::Count(counted) => {
            let (_, of) = table.counts.iter().find(|(name, _)| name == counted)?;
            may_read(caller, of).then_some(Part::Count(counted))
        }
        Column::Join { through, column } => {
            let is_joined = table.joins.contains(&through.as_str());
            let is_name = ["name", "$display"].contains(&column.as_str());
            (is_joined && is_name).then_some(Part::Name(through))
        }
    }
}

/// Lookups of values in other tables. Joins are remembered, since many rows refer to the same few.
struct Lookups<'a> {
    resource: &'a dyn Resource,
    caller: &'a Actor,
    joined: HashMap<(&'a str, String), Option<Value>>,
}

impl<'a> Lookups<'a> {
    async fn join(&mut self, row: &RowMap, through: &'a str) -> Result<Option<Value>> {
        let table = self.resource.table();
        let reference = row.get(through).filter(|reference| !reference.is_null());
        let (Some(column), Some(reference)) = (table.readable(through), reference) else {
            return Ok(None);
        };
        let table = column.referred(reference);
        if !table.is_some_and(|table| may_read(self.caller, table)) {
            return Ok(None);
        }
        let key = (through, reference.to_string());
        if let Some(known) = self.joined.get(&key) {
            return Ok(known.clone());
        }
        let name = resources::name(self.caller, column.kind, reference).await?;
        let name = name.map(Value::from);
        if self.joined.len() == REMEMBERED {
            self.joined.clear();
        }
        self.joined.insert(key, name.clone());
        Ok(name)
    }
}

/// Returns the columns of a row that the response contains.
pub(super) fn shown_columns(table: &Table, fields: &Fields) -> Wanted {
    let short = table.all_readable().filter(|column| column.short);
    let short = short.map(|column| column.name.to_owned());
    let key = std::iter::once(KEY.to_owned());
    let Fields::These(fields) = fields else {
        return Wanted::These(key.chain(short).collect());
    };
    let mut columns: BTreeSet<String> = key.collect();
    for field in fields {
        match field {
            Field::Every => return Wanted::Every,
            Field::One { what, .. } => match what {
                Column::Plain(column) => drop(columns.insert(column.clone())),
                Column::Join { through, .. } => drop(columns.insert(through.clone())),
                Column::Count(_) => {}
            },
        }
    }
    Wanted::These(columns)
}

/// Returns the columns of a row that are needed to show, filter and sort it.
pub(super) fn needed_columns(table: &Table, query: &ListQuery) -> Wanted {
    match shown_columns(table, &query.fields) {
        Wanted::Every => Wanted::Every,
        Wanted::These(mut columns) => {
            let filtered = query.filter.iter().flat_map(|filter| filter.fields());
            let sorted = query.sort.0.iter().map(|by| by.column.as_str());
            columns.extend(filtered.chain(sorted).map(str::to_owned));
            Wanted::These(columns)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::platform_table::PlatformTable;
    use crate::schema::{Column, Kind};

    static COLUMNS: [Column; 2] = [
        Column::text("name", "\"a\"", "What it is called."),
        Column::new("context", Kind::Object, "{}"),
    ];

    /// A platform may return a list in a column that it declared as a text.
    #[test]
    fn lists_of_the_platform_are_not_json_text() {
        let PlatformTable(table) = PlatformTable::new("rows", "row", "Rows.", &COLUMNS, &[]);
        let list = json!(["1.10"]);
        assert_eq!(table.json_text("name", &list), None);
        assert_eq!(table.json_text("nowhere", &list), None);
        assert_eq!(table.json_text("context", &json!({"a": 1})), None);
        assert_eq!(table.json_text("context", &list), Some("1.10"));
    }
}
