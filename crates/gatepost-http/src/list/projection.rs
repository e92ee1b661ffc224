//! The columns, joins and counts of a row that were asked for.

use std::collections::HashMap;

use gatepost_manage::Actor;
use serde_json::Value;

use crate::error::ApiError;
use crate::query::fields::{Column, Field, Fields};
use crate::resource::Resource;
use crate::schema::{KEY, RowMap};

/// Picks columns, and remembers joins: many rows refer to the same few.
pub(super) struct Projection<'a> {
    resource: &'a dyn Resource,
    caller: &'a Actor,
    joined: HashMap<(String, String, String), Option<Value>>,
}

impl<'a> Projection<'a> {
    pub(super) fn new(resource: &'a dyn Resource, caller: &'a Actor) -> Self {
        Self {
            resource,
            caller,
            joined: HashMap::new(),
        }
    }

    pub(super) async fn project(
        &mut self,
        row: &RowMap,
        fields: &Fields,
        whole: bool,
    ) -> Result<RowMap, ApiError> {
        let table = self.resource.table();
        let mut out = RowMap::new();
        let copy = |out: &mut RowMap, from: &str, to: &str| {
            if let Some(value) = row.get(from) {
                out.insert(to.to_owned(), value.clone());
            }
        };
        let Fields::These(fields) = fields else {
            copy(&mut out, KEY, KEY);
            for column in table.all_readable().filter(|column| whole || column.short) {
                copy(&mut out, column.name, column.name);
            }
            return Ok(out);
        };
        for field in fields {
            match field {
                Field::Every => {
                    copy(&mut out, KEY, KEY);
                    for column in table.all_readable() {
                        copy(&mut out, column.name, column.name);
                    }
                }
                Field::One {
                    what: Column::Plain(column),
                    name,
                } => {
                    if table.knows(column) {
                        copy(&mut out, column, name);
                    }
                }
                Field::One {
                    what: Column::Count(counted),
                    name,
                } => {
                    if table.counts.contains(&counted.as_str()) {
                        out.insert(
                            name.clone(),
                            self.resource.count(self.caller, row, counted).await?.into(),
                        );
                    }
                }
                Field::One {
                    what: Column::Join { through, column },
                    name,
                } => {
                    if table.joins.contains(&(through.as_str(), column.as_str()))
                        && let Some(value) = self.join(row, through, column).await?
                    {
                        out.insert(name.clone(), value);
                    }
                }
            }
        }
        Ok(out)
    }

    async fn join(
        &mut self,
        row: &RowMap,
        through: &str,
        column: &str,
    ) -> Result<Option<Value>, ApiError> {
        let Some(reference) = row.get(through).filter(|r| !r.is_null()) else {
            return Ok(None);
        };
        let key = (through.to_owned(), reference.to_string(), column.to_owned());
        if let Some(known) = self.joined.get(&key) {
            return Ok(known.clone());
        }
        let value = self
            .resource
            .join(self.caller, row, through, column)
            .await?;
        self.joined.insert(key, value.clone());
        Ok(value)
    }
}
