//! Lists: a statement with the requested conditions, divided into pages by row number.

use std::fmt::Write as _;

use gatepost_storage::codec::Field;
use gatepost_storage::{Bodies, Order, Page, Scope};
use tokio::task::yield_now;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::column::scope_ids;
use crate::db::{Db, Param};
use crate::error::Result;

/// The number of bytes that are read before the task yields: about a millisecond of work.
const TURN: usize = 128 * 1024;
/// Every list is planned for its own values: a list of an owner with few rows reads few rows,
/// however many the others have.
const BEGIN: &str = "BEGIN READ ONLY; SET LOCAL plan_cache_mode = force_custom_plan";

/// A `SELECT` with one condition for each filter that is set, so the planner sees only those and
/// picks their index.
pub(crate) struct List {
    sql: String,
    params: Vec<Box<dyn ToSql + Send + Sync>>,
    /// The columns of `r` that may be large.
    bodies: &'static [&'static Field],
}

impl List {
    /// Takes a `SELECT` list that begins with the columns of `r`, the listed table, and ends in a
    /// condition.
    pub(crate) fn of(select: &str) -> Self {
        Self {
            sql: format!("SELECT {select}"),
            params: Vec::new(),
            bodies: &[],
        }
    }

    /// Lists the rows of a scope; `o` is the row of the owner.
    pub(crate) fn scoped(select: &str, scope: Scope) -> Self {
        let (owner, tenant) = scope_ids(scope);
        Self::of(select)
            .filter("r.owner =", owner)
            .filter("o.tenant =", tenant)
    }

    /// Names the columns that may be large.
    pub(crate) fn bodies(self, bodies: &'static [&'static Field]) -> Self {
        Self { bodies, ..self }
    }

    /// Adds a condition, which ends where the parameter follows: `r.owner =`.
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

    /// Returns one page of readable rows. It skips unreadable rows and reads further until the page
    /// is full.
    pub(crate) async fn readable<I: Copy, T>(
        self,
        db: &Db,
        page: &Page<I>,
        number: impl Fn(I) -> i64,
        read: impl Fn(&Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut after = page.after.map(number);
        let (mut read_rows, mut since) = (Vec::new(), 0);
        loop {
            let room = page.limit as usize - read_rows.len();
            let next = Page {
                after,
                order: page.order,
                limit: u32::try_from(room).unwrap_or(u32::MAX),
                bodies: page.bodies,
            };
            let rows = self.rows(db, &next).await?;
            let full = match page.bodies {
                Bodies::UpTo(_) => !rows.is_empty(),
                Bodies::All | Bodies::Omitted => rows.len() == room,
            };
            for row in rows {
                // A list of large rows takes as long as many requests.
                since += row.raw_size_bytes();
                if since >= TURN {
                    since = 0;
                    yield_now().await;
                }
                after = Some(row.try_get("id")?);
                match read(&row) {
                    Err(failure) if failure.is_corrupt() => {}
                    other => read_rows.push(other?),
                }
            }
            let is_enough = match page.bodies {
                Bodies::UpTo(_) => !read_rows.is_empty(),
                Bodies::All | Bodies::Omitted => read_rows.len() >= page.limit as usize,
            };
            if !full || is_enough {
                return Ok(read_rows);
            }
        }
    }

    /// Returns one page, in which every row must be readable.
    pub(crate) async fn page<I: Copy>(
        self,
        db: &Db,
        page: &Page<I>,
        number: impl Fn(I) -> i64,
    ) -> Result<Vec<Row>> {
        self.rows(db, &page.numbered(number)).await
    }

    async fn rows(&self, db: &Db, page: &Page<i64>) -> Result<Vec<Row>> {
        let (beyond, direction) = match page.order {
            Order::Ascending => ("r.id >", "ASC"),
            Order::Descending => ("r.id <", "DESC"),
        };
        let (limit, after) = (page.limit, page.after);
        let mut sql = self.selected(page.bodies);
        let mut params: Vec<Param<'_>> = self.params.iter().map(|p| &**p as Param<'_>).collect();
        if let Some(after) = &after {
            params.push(after);
            let _ = write!(sql, " AND {beyond} ${}", params.len());
        }
        let _ = write!(sql, " ORDER BY r.id {direction} LIMIT {limit}");
        if let Bodies::UpTo(bytes) = page.bodies
            && !self.bodies.is_empty()
        {
            sql = self.cut(&sql, bytes, direction);
        }
        db.read(BEGIN, &sql, &params).await
    }

    /// Returns the `SELECT`, with the replacements of bodies that are not requested.
    fn selected(&self, asked: Bodies) -> String {
        if asked.are_read() {
            return self.sql.clone();
        }
        let without = |sql: String, body: &&Field| {
            let (name, omitted) = (body.name, body.omitted.unwrap_or_default());
            let empty = format!("'{omitted}'::bytea AS {name}");
            sql.replacen(&format!("r.{name}"), &empty, 1)
        };
        self.bodies.iter().fold(self.sql.clone(), without)
    }

    /// Ends a page with the row that fills it. The content of a body is not fetched to measure it.
    fn cut(&self, page: &str, bytes: u64, direction: &str) -> String {
        let size = |body: &&Field| format!("octet_length(p.{})::bigint", body.name);
        let sizes: Vec<_> = self.bodies.iter().map(size).collect();
        format!(
            "SELECT * FROM (SELECT p.*, sum({}) OVER (ORDER BY p.id {direction} \
             ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS held FROM ({page}) p) q \
             WHERE q.held IS NULL OR q.held < {bytes} ORDER BY q.id {direction}",
            sizes.join(" + ")
        )
    }
}
