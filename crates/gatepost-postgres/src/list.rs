//! Lists: conditions as they are asked for, cut into pages by row number.

use std::fmt::Write as _;

use gatepost_storage::{Order, Page};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::db::{Db, Param};
use crate::error::Result;

/// Every list is planned for its own values: who has few rows reads few, whatever others have.
const BEGIN: &str = "BEGIN READ ONLY; SET LOCAL plan_cache_mode = force_custom_plan";

/// A `SELECT` that grows by a condition for each filter that is set, so that the planner sees
/// only those and picks their index.
pub(crate) struct List {
    sql: String,
    params: Vec<Box<dyn ToSql + Send + Sync>>,
}

impl List {
    /// `select` begins with the columns of `r`, the listed table, and ends in a condition.
    pub(crate) fn of(select: &str) -> Self {
        Self {
            sql: format!("SELECT {select}"),
            params: Vec::new(),
        }
    }

    /// `condition` ends where the parameter belongs: `r.owner =`.
    pub(crate) fn filter<T: ToSql + Send + Sync + 'static>(
        mut self,
        condition: &str,
        value: Option<T>,
    ) -> Self {
        if let Some(value) = value {
            self.params.push(Box::new(value));
            let _ = write!(self.sql, " AND {condition} (${})", self.params.len());
        }
        self
    }

    /// One page of what can be read: goes on behind a row that cannot until the page is full.
    pub(crate) async fn readable<I: Copy, T>(
        self,
        db: &Db,
        page: &Page<I>,
        number: impl Fn(I) -> i64,
        read: impl Fn(&Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut after = page.after.map(number);
        let mut read_rows = Vec::new();
        loop {
            let room = page.limit as usize - read_rows.len();
            let rows = self.rows(db, page.order, after, room).await?;
            let full = rows.len() == room;
            for row in &rows {
                after = Some(row.try_get("id")?);
                match read(row) {
                    Err(failure) if failure.is_corrupt() => {}
                    other => read_rows.push(other?),
                }
            }
            if !full || read_rows.len() >= page.limit as usize {
                return Ok(read_rows);
            }
        }
    }

    /// One page, all of which has to be readable.
    pub(crate) async fn page<I: Copy>(
        self,
        db: &Db,
        page: &Page<I>,
        number: impl Fn(I) -> i64,
    ) -> Result<Vec<Row>> {
        let after = page.after.map(number);
        self.rows(db, page.order, after, page.limit as usize).await
    }

    async fn rows(
        &self,
        db: &Db,
        order: Order,
        after: Option<i64>,
        limit: usize,
    ) -> Result<Vec<Row>> {
        let (beyond, direction) = match order {
            Order::Ascending => ("r.id >", "ASC"),
            Order::Descending => ("r.id <", "DESC"),
        };
        let mut sql = self.sql.clone();
        let mut params: Vec<Param<'_>> = self.params.iter().map(|p| &**p as Param<'_>).collect();
        if let Some(after) = &after {
            params.push(after);
            let _ = write!(sql, " AND {beyond} ${}", params.len());
        }
        let _ = write!(sql, " ORDER BY r.id {direction} LIMIT {limit}");
        db.read(BEGIN, &sql, &params).await
    }
}
