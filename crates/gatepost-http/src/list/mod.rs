//! Makes a list: scan in pages, filter, sort, cut, project.

mod projection;
mod sieve;

use gatepost_manage::Actor;
use gatepost_storage::Order;
use projection::Projection;
use sieve::Sieve;

use crate::error::ApiError;
use crate::query::ListQuery;
use crate::query::fields::{Column, Field, Fields};
use crate::resource::{Hints, Resource, Scan};
use crate::schema::{KEY, RowMap, Table};

/// Rows read from the store at a time.
const PAGE: u32 = 500;

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

/// The columns that were asked for, of a row that is in no table.
pub(crate) fn pick(row: &RowMap, fields: &Fields) -> RowMap {
    let Fields::These(fields) = fields else {
        return row.clone();
    };
    let mut out = RowMap::new();
    for field in fields {
        match field {
            Field::Every => out.extend(row.clone()),
            Field::One {
                what: Column::Plain(column),
                name,
            } => out.extend(row.get(column).map(|value| (name.clone(), value.clone()))),
            Field::One { .. } => {}
        }
    }
    out
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
