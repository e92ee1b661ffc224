//! Makes a list: scan in pages, filter, sort, cut, project.

use std::collections::HashMap;
use std::time::Duration;

use gatepost_manage::Actor;
use gatepost_storage::Order;
use serde_json::Value;
use tokio::time::Instant;

use crate::error::ApiError;
use crate::query::ListQuery;
use crate::query::fields::{Column, Field, Fields};
use crate::query::filter::Filter;
use crate::resource::{Hints, Resource, Scan};
use crate::schema::{KEY, RowMap, Table};

/// Rows read from the store at a time.
const PAGE: u32 = 500;
/// How long the rows of one request may be filtered: only patterns (`rx`) ever come near it.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long before others have their turn.
const TURN: Duration = Duration::from_millis(5);

/// The rows that a request asks for, projected.
///
/// Holds no more than `most` rows at a time, however large the table: with a limit only the best so
/// far are kept, without one a longer list is refused.
pub(crate) async fn list(
    resource: &dyn Resource,
    caller: &Actor,
    query: &ListQuery,
    most: usize,
) -> Result<Vec<RowMap>, ApiError> {
    check(resource.table(), query)?;
    let rows = select(resource, caller, query, most).await?;
    let mut projection = Projection::new(resource, caller);
    let mut projected = Vec::with_capacity(rows.len());
    for row in rows {
        projected.push(projection.project(&row, &query.fields, false).await?);
    }
    Ok(projected)
}

/// One row, projected; all columns where `fields` are not given.
pub(crate) async fn one(
    resource: &dyn Resource,
    caller: &Actor,
    row: &RowMap,
    fields: &Fields,
) -> Result<RowMap, ApiError> {
    Projection::new(resource, caller)
        .project(row, fields, true)
        .await
}

fn check(table: &Table, query: &ListQuery) -> Result<(), ApiError> {
    let filtered = query.filter.iter().flat_map(|filter| filter.fields());
    let sorted = query.sort.0.iter().map(|by| by.column.as_str());
    match filtered.chain(sorted).find(|name| !table.knows(name)) {
        Some(_) => Err(ApiError::invalid_argument()),
        None => Ok(()),
    }
}

async fn select(
    resource: &dyn Resource,
    caller: &Actor,
    query: &ListQuery,
    most: usize,
) -> Result<Vec<RowMap>, ApiError> {
    let hints = Hints(query.filter.as_ref());
    let wanted = query.limit.map(|limit| limit.saturating_add(query.offset));
    if wanted.is_some_and(|n| n > most) {
        return Err(ApiError::field(
            "limit",
            format!("limit and offset must not exceed {most} rows together"),
        ));
    }
    let (order, in_order) = walk(query);
    let costly = names_costly(resource.table(), query);
    let mut rows: Vec<RowMap> = Vec::new();
    let mut sift = Sieve::default();
    let mut after = None;
    loop {
        let page = resource
            .scan(
                caller,
                Scan {
                    equal: &hints,
                    after,
                    order,
                    limit: PAGE,
                    costly,
                },
            )
            .await?;
        match &query.filter {
            None => rows.extend(page.rows),
            Some(filter) => sift.sift(filter, page.rows, &mut rows).await?,
        }
        match wanted {
            Some(n) if in_order && rows.len() >= n => break,
            Some(n) if rows.len() > n.saturating_mul(2).max(PAGE as usize) => {
                sort(&mut rows, query);
                rows.truncate(n);
            }
            None if rows.len() > most => {
                return Err(ApiError::field(
                    "limit",
                    format!(
                        "the response has more than {most} rows: narrow the filter, or page with limit and offset"
                    ),
                ));
            }
            _ => {}
        }
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    if !in_order {
        sort(&mut rows, query);
    }
    rows.truncate(wanted.unwrap_or(usize::MAX));
    rows.drain(..query.offset.min(rows.len()));
    Ok(rows)
}

/// Time spent on one request's filter.
#[derive(Debug, Default)]
struct Sieve {
    spent: Duration,
    since_yield: Duration,
}

impl Sieve {
    /// Keeps the rows that pass. Lets other requests have their turn, and gives up on what takes
    /// too long.
    async fn sift(
        &mut self,
        filter: &Filter,
        page: Vec<RowMap>,
        kept: &mut Vec<RowMap>,
    ) -> Result<(), ApiError> {
        for row in page {
            let began = Instant::now();
            let passes = filter.passes(&|column| row.get(column));
            let took = began.elapsed();
            self.spent += took;
            self.since_yield += took;
            if passes {
                kept.push(row);
            }
            if self.spent > PATIENCE {
                return Err(ApiError::field(
                    "filter",
                    "takes too long: narrow it, or match with simpler patterns",
                ));
            }
            if self.since_yield > TURN {
                self.since_yield = Duration::ZERO;
                tokio::task::yield_now().await;
            }
        }
        Ok(())
    }
}

/// Whether a column that costs a lookup for each row is asked for.
fn names_costly(table: &Table, query: &ListQuery) -> bool {
    let Fields::These(fields) = &query.fields else {
        return false;
    };
    let asked = fields.iter().any(|field| match field {
        Field::Every => true,
        Field::One { what, .. } => {
            matches!(what, Column::Plain(name) if table.costly.contains(&name.as_str()))
        }
    });
    let filtered = query
        .filter
        .iter()
        .flat_map(|filter| filter.fields())
        .any(|name| table.costly.contains(&name));
    asked || filtered
}

/// The direction of the scan, and whether it already is the order that was asked for. Rows are
/// numbered as they are created, so `created` sorts as `$key` does.
fn walk(query: &ListQuery) -> (Order, bool) {
    match query.sort.0.first() {
        None => (Order::Ascending, true),
        Some(by) if by.column == KEY || by.column == "created" => (
            if by.descending {
                Order::Descending
            } else {
                Order::Ascending
            },
            true,
        ),
        Some(_) => (Order::Ascending, false),
    }
}

fn sort(rows: &mut [RowMap], query: &ListQuery) {
    rows.sort_by(|a, b| {
        query
            .sort
            .compare(|column| a.get(column), |column| b.get(column))
    });
}

/// Picks columns, and remembers joins: many rows refer to the same few.
struct Projection<'a> {
    resource: &'a dyn Resource,
    caller: &'a Actor,
    joined: HashMap<(String, String, String), Option<Value>>,
}

impl<'a> Projection<'a> {
    fn new(resource: &'a dyn Resource, caller: &'a Actor) -> Self {
        Self {
            resource,
            caller,
            joined: HashMap::new(),
        }
    }

    async fn project(
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
