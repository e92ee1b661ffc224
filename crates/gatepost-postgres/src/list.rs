//! Lists: conditions as they are asked for, cut into pages by row number.

use std::fmt::Write as _;

use gatepost_storage::{Order, Page};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::db::{Db, Param};
use crate::error::Result;

/// A `SELECT` that grows by a condition for each filter that is set, so that the planner sees
/// only those and picks their index.
pub(crate) struct List {
    sql: String,
    params: Vec<Box<dyn ToSql + Send + Sync>>,
}

impl List {
    /// `columns_and_table` is `id, … FROM table`.
    pub(crate) fn of(columns_and_table: &str) -> Self {
        Self {
            sql: format!("SELECT {columns_and_table} WHERE true"),
            params: Vec::new(),
        }
    }

    /// `condition` ends where the parameter belongs: `owner =`.
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

    pub(crate) async fn page<I: Copy>(
        self,
        db: &Db,
        page: &Page<I>,
        number: impl Fn(I) -> i64,
    ) -> Result<Vec<Row>> {
        let (beyond, direction) = match page.order {
            Order::Ascending => ("id >", "ASC"),
            Order::Descending => ("id <", "DESC"),
        };
        let mut list = self.filter(beyond, page.after.map(number));
        let _ = write!(list.sql, " ORDER BY id {direction} LIMIT {}", page.limit);
        let params: Vec<Param<'_>> = list.params.iter().map(|p| &**p as Param<'_>).collect();
        // Not cached: each call is planned for its own values, and a shape is seldom asked for
        // twice in a row.
        let client = db.client().await?;
        let statement = client.prepare(&list.sql).await?;
        Ok(client.query(&statement, &params).await?)
    }
}
