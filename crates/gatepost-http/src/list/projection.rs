//! The columns, joins and counts of a row that were asked for.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use gatepost_manage::Actor;
use serde_json::Value;

use crate::error::ApiError;
use crate::granted::may_read;
use crate::query::ListQuery;
use crate::query::fields::{Column, Field, Fields};
use crate::resource::{Resource, Wanted};
use crate::schema::{KEY, RowMap, Table};

/// Joins that are remembered at a time.
const REMEMBERED: usize = 4_096;

/// A row as it is shown: the names in the response, in order, and the values.
pub(super) type Shown<'r> = BTreeMap<&'r str, Cow<'r, Value>>;

/// Picks columns, and remembers joins: many rows refer to the same few. Of tables that the caller's
/// key may not read, nothing is joined or counted.
pub(super) struct Projection<'a> {
    resource: &'a dyn Resource,
    caller: &'a Actor,
    fields: &'a Fields,
    /// Whether a row without `fields` is shown with all columns.
    whole: bool,
    joined: HashMap<(&'a str, &'a str, String), Option<Value>>,
}

impl<'a> Projection<'a> {
    pub(super) fn new(
        resource: &'a dyn Resource,
        caller: &'a Actor,
        fields: &'a Fields,
        whole: bool,
    ) -> Self {
        Self {
            resource,
            caller,
            fields,
            whole,
            joined: HashMap::new(),
        }
    }

    pub(super) async fn project<'r>(&mut self, row: &'r RowMap) -> Result<Shown<'r>, ApiError>
    where
        'a: 'r,
    {
        let table = self.resource.table();
        let mut shown = Shown::new();
        let Fields::These(fields) = self.fields else {
            copy(&mut shown, row, KEY, KEY);
            let whole = self.whole;
            for column in table.all_readable().filter(|column| whole || column.short) {
                copy(&mut shown, row, column.name, column.name);
            }
            return Ok(shown);
        };
        for field in fields {
            match field {
                Field::Every => {
                    copy(&mut shown, row, KEY, KEY);
                    for column in table.all_readable() {
                        copy(&mut shown, row, column.name, column.name);
                    }
                }
                Field::One { what, name } => self.add(&mut shown, row, what, name).await?,
            }
        }
        Ok(shown)
    }

    async fn add<'r>(
        &mut self,
        shown: &mut Shown<'r>,
        row: &'r RowMap,
        what: &'a Column,
        name: &'a str,
    ) -> Result<(), ApiError>
    where
        'a: 'r,
    {
        let table = self.resource.table();
        match what {
            Column::Plain(column) if table.knows(column) => copy(shown, row, column, name),
            Column::Count(counted) => {
                let mut counts = table.counts.iter();
                let Some((_, of)) = counts.find(|(name, _)| name == counted) else {
                    return Ok(());
                };
                if may_read(self.caller, of) {
                    let count = self.resource.count(self.caller, row, counted).await?;
                    shown.insert(name, Cow::Owned(count.into()));
                }
            }
            Column::Join { through, column }
                if table.joins.contains(&(through.as_str(), column.as_str())) =>
            {
                if let Some(value) = self.join(row, through, column).await? {
                    shown.insert(name, Cow::Owned(value));
                }
            }
            Column::Plain(_) | Column::Join { .. } => {}
        }
        Ok(())
    }

    async fn join(
        &mut self,
        row: &RowMap,
        through: &'a str,
        column: &'a str,
    ) -> Result<Option<Value>, ApiError> {
        let Some(reference) = row.get(through).filter(|r| !r.is_null()) else {
            return Ok(None);
        };
        let table = self.resource.table().referred(through, reference);
        if !table.is_some_and(|table| may_read(self.caller, table)) {
            return Ok(None);
        }
        let key = (through, column, reference.to_string());
        if let Some(known) = self.joined.get(&key) {
            return Ok(known.clone());
        }
        let value = self
            .resource
            .join(self.caller, row, through, column)
            .await?;
        if self.joined.len() == REMEMBERED {
            self.joined.clear();
        }
        self.joined.insert(key, value.clone());
        Ok(value)
    }
}

fn copy<'r>(shown: &mut Shown<'r>, row: &'r RowMap, from: &str, to: &'r str) {
    if let Some(value) = row.get(from) {
        shown.insert(to, Cow::Borrowed(value));
    }
}

/// The columns of a row from which the response is made.
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

/// The columns of a row that are needed: to show it, to filter and to sort.
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
