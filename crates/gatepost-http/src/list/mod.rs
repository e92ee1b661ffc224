//! Lists: reads in pages, filters, sorts, truncates, and writes each row as it is read.
//!
//! However large the table and its rows are, a request holds one page of rows, and of the response
//! no more than its maximum size.

mod best;
mod order;
mod projection;
mod sieve;
mod written;

use std::borrow::Cow;

use gatepost_manage::Actor;
use gatepost_storage::Order;
use serde_json::Value;

use self::best::Best;
use self::order::as_read;
use self::projection::{Projection, needed_columns, shown_columns};
use self::sieve::Sieve;
use self::written::Written;
use crate::error::{ApiError, Result};
use crate::json_pieces::JsonPieces;
use crate::query::ListQuery;
use crate::query::fields::{Column, Field, Fields};
use crate::resource::{Hints, Resource, Scan, Scanned, Wanted};
use crate::schema::{KEY, Name, RowMap, Table};
use crate::state::Shared;
use crate::turn::Turn;

/// The size of the first page of a filtered list: it may contain all results.
const FIRST: u32 = 16;
/// The cost of reading a row, expressed in bytes.
const READ: usize = 4 * 1024;

/// Returns the requested rows as JSON.
pub(crate) async fn list(
    resource: &dyn Resource,
    caller: &Actor,
    mut query: ListQuery,
    shared: &Shared,
) -> Result<JsonPieces> {
    let table = resource.table();
    check(table, &query, shared.limits.rows)?;
    if let Some(filter) = &mut query.filter {
        filter.read_over(table);
    }
    query.sort.settle();
    let query = &query;
    let walk = Walk {
        resource,
        caller,
        query,
        shared,
        hints: Hints(query.filter.as_ref()),
        needed: needed_columns(table, query),
        order: as_read(table, &query.sort),
    };
    match walk.order {
        Some(order) => walk.in_order(order).await,
        None => walk.sorted().await,
    }
}

/// Returns one row as JSON, with all columns if `fields` is not given.
pub(crate) async fn one(
    resource: &dyn Resource,
    caller: &Actor,
    row: &RowMap,
    fields: &Fields,
) -> Result<JsonPieces> {
    let mut projection = Projection::new(resource, caller, fields, true);
    let shown = projection.project(row).await?;
    Ok(written::one(shown).await)
}

/// Returns the requested columns of a row that is not in a table.
pub(crate) fn pick<'r>(row: &'r RowMap, fields: &Fields) -> Cow<'r, RowMap> {
    let Fields::These(fields) = fields else {
        return Cow::Borrowed(row);
    };
    let mut out = RowMap::default();
    for field in fields {
        match field {
            Field::Every => return Cow::Borrowed(row),
            Field::One {
                what: Column::Plain(column),
                name,
            } => {
                if let Some(value) = row.get(column) {
                    out.set(name.clone().into(), value.clone());
                }
            }
            Field::One { .. } => {}
        }
    }
    Cow::Owned(out)
}

/// Returns rows that are in no table as JSON, numbered by `$key`.
pub(crate) async fn numbered<T: Sync, const N: usize>(
    rows: &[T],
    columns: impl Fn(&T) -> [(&'static str, Value); N],
    fields: &Fields,
    shared: &Shared,
) -> Result<JsonPieces> {
    let mut written = Written::new(shared.limits.response);
    for (at, row) in rows.iter().enumerate() {
        let number = (KEY, Value::from(at + 1));
        let row = std::iter::once(number).chain(columns(row)).collect();
        written.whole(&pick(&row, fields)).await?;
    }
    Ok(written.end())
}

fn check(table: &Table, query: &ListQuery, most: usize) -> Result<()> {
    let filtered = query.filter.iter().flat_map(|filter| filter.fields());
    let sorted = query.sort.0.iter().map(|by| by.column.as_str());
    if filtered.chain(sorted).any(|name| !table.knows(name)) {
        return Err(ApiError::invalid_argument());
    }
    match query.wanted() {
        Some(rows) if rows > most => {
            let rule = format!("limit and offset must not exceed {most} rows together");
            Err(ApiError::field("limit", rule))
        }
        _ => Ok(()),
    }
}

fn too_many_rows(most: usize) -> ApiError {
    let rule = format!(
        "the response has more than {most} rows: narrow the filter, or page with limit and offset"
    );
    ApiError::field("limit", rule)
}

/// The scan of one request through a table.
struct Walk<'a> {
    resource: &'a dyn Resource,
    caller: &'a Actor,
    query: &'a ListQuery,
    shared: &'a Shared,
    hints: Hints<'a>,
    needed: Wanted,
    /// The read order, if it is the requested order.
    order: Option<Order>,
}

impl Walk<'_> {
    /// Writes rows as they are read.
    async fn in_order(&self, order: Order) -> Result<JsonPieces> {
        let mut written = Written::new(self.shared.limits.response);
        let mut projection = self.projection();
        let mut sieve = Sieve::new(&self.shared.aside, self.caller.principal().owner);
        let mut pages = Pages::first(order, self.page_to_begin_with());
        let (mut passed, mut turn) = (0, Turn::default());
        loop {
            let page = self.page(&pages, passed).await?;
            for row in page.rows {
                turn.spend(READ).await;
                if !self.passes(&mut sieve, &row).await? {
                    continue;
                }
                passed += 1;
                self.check_rows(passed)?;
                if passed > self.query.offset {
                    written.shown(projection.project(&row).await?).await?;
                }
                if self.query.wanted() == Some(passed) {
                    return Ok(written.end());
                }
            }
            match page.next {
                Some(next) => pages.turn(next, self.most_of_a_page()),
                None => return Ok(written.end()),
            }
        }
    }

    /// Reads all rows, keeps the first ones, and writes them at the end.
    async fn sorted(&self) -> Result<JsonPieces> {
        let table = self.resource.table();
        let most = self.query.wanted().unwrap_or(self.shared.limits.rows + 1);
        let mut best = Best::new(&self.query.sort, self.shown(table));
        let mut sieve = Sieve::new(&self.shared.aside, self.caller.principal().owner);
        let mut pages = Pages::first(Order::Ascending, self.most_of_a_page());
        let mut turn = Turn::default();
        loop {
            let page = self.page(&pages, 0).await?;
            for row in page.rows {
                turn.spend(READ).await;
                if self.passes(&mut sieve, &row).await? {
                    best.take(row, most);
                    self.check_rows(best.len())?;
                    if self.is_too_much(&best) {
                        return Err(self.too_much(best).await);
                    }
                }
            }
            match page.next {
                Some(next) => pages.turn(next, self.most_of_a_page()),
                None => return self.write(best).await,
            }
        }
    }

    async fn write(&self, mut best: Best) -> Result<JsonPieces> {
        let mut written = Written::new(self.shared.limits.response);
        let (mut projection, mut turn) = (self.projection(), Turn::default());
        for _ in 0..self.query.offset {
            turn.spend(READ).await;
            drop(best.next());
        }
        while let Some(row) = best.next() {
            turn.spend(READ).await;
            written.shown(projection.project(&row).await?).await?;
        }
        Ok(written.end())
    }

    fn projection(&self) -> Projection<'_> {
        Projection::new(self.resource, self.caller, &self.query.fields, false)
    }

    fn shown(&self, table: &Table) -> Vec<Name> {
        match shown_columns(table, &self.query.fields) {
            Wanted::These(columns) => columns.into_iter().map(Name::from).collect(),
            Wanted::Every => {
                let all = table.all_readable().map(|column| column.name);
                std::iter::once(KEY).chain(all).map(Name::from).collect()
            }
        }
    }

    async fn passes(&self, sieve: &mut Sieve<'_>, row: &RowMap) -> Result<bool> {
        match &self.query.filter {
            Some(filter) => sieve.passes(filter, row).await,
            None => Ok(true),
        }
    }

    /// Returns the next page. Rows that are skipped by the offset are read without large columns.
    async fn page(&self, pages: &Pages, passed: usize) -> Result<Scanned> {
        let counted = match (&self.query.filter, self.order) {
            (None, Some(_)) => self.query.offset.saturating_sub(passed),
            _ => 0,
        };
        let wanted = self.query.wanted().map(|wanted| wanted - passed);
        let left = match (counted, &self.query.filter, self.order) {
            (1.., ..) => rows(counted),
            (0, None, Some(_)) => wanted.map_or(u32::MAX, rows),
            _ => u32::MAX,
        };
        let key_alone = Wanted::These([KEY.to_owned()].into());
        let scan = Scan {
            equal: &self.hints,
            after: pages.after,
            order: pages.order,
            limit: pages.size.min(left),
            columns: if counted > 0 {
                &key_alone
            } else {
                &self.needed
            },
        };
        self.resource.scan(self.caller, scan).await
    }

    fn most_of_a_page(&self) -> u32 {
        self.resource.table().page
    }

    /// Returns the size of the first page. For filtered lists the number of rows to read is
    /// unknown, so it is small.
    fn page_to_begin_with(&self) -> u32 {
        match (&self.query.filter, self.query.wanted()) {
            (Some(_), Some(wanted)) => rows(wanted).max(FIRST).min(self.most_of_a_page()),
            _ => self.most_of_a_page(),
        }
    }

    fn check_rows(&self, rows: usize) -> Result<()> {
        let most = self.shared.limits.rows;
        if rows > most {
            return Err(too_many_rows(most));
        }
        Ok(())
    }

    /// Returns whether the kept rows take too much memory: at most a quarter more than a response,
    /// since rows take more in memory than as text. The first of them may be written in full,
    /// whatever its size, while the others are still kept.
    fn is_too_much(&self, best: &Best) -> bool {
        let most = self.shared.limits.response;
        best.len() > 1 && best.bytes() > most.saturating_add(most / 4)
    }

    /// Returns the refusal of a response that is too large, with the number of rows that would fit.
    async fn too_much(&self, best: Best) -> ApiError {
        let kept = best.len() - 1;
        let fit = kept.saturating_sub(self.query.offset).max(1);
        let written = self.write(best).await;
        written.err().unwrap_or(ApiError::response_too_large(fit))
    }
}

/// The position of a scan.
struct Pages {
    after: Option<i64>,
    order: Order,
    size: u32,
}

impl Pages {
    fn first(order: Order, size: u32) -> Self {
        Self {
            after: None,
            order,
            size,
        }
    }

    /// Continues after this row, with a page twice as large.
    fn turn(&mut self, after: i64, most: u32) {
        self.after = Some(after);
        self.size = self.size.saturating_mul(2).min(most);
    }
}

fn rows(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
