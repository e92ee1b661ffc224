//! Statements on a connection, each in a transaction.

use std::pin::pin;

use futures_util::TryStreamExt as _;
use futures_util::future::join_all;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

use super::hidden::Hidden;
use crate::error::{Failure, Result};

pub(crate) type Param<'a> = &'a (dyn ToSql + Sync);

/// The result of a statement.
pub(crate) struct Returned {
    pub(crate) rows: Vec<Row>,
    /// The number of rows that it changed or returned.
    pub(crate) count: u64,
}

/// Runs a statement, which is sent at the first poll.
pub(super) async fn run(
    client: &Client,
    statement: &Statement,
    params: &[Param<'_>],
) -> Result<Returned> {
    let params = params.iter().copied().map(Hidden);
    let mut stream = pin!(client.query_raw(statement, params).await?);
    let mut rows = Vec::new();
    while let Some(row) = stream.try_next().await? {
        rows.push(row);
    }
    let count = stream.rows_affected().unwrap_or_default();
    Ok(Returned { rows, count })
}

/// Runs a body in one transaction and one round trip: beginning, body and end are sent together, so
/// only the server determines how long its locks are held.
///
/// Sent at the first poll: if the future is dropped, the server runs the whole transaction or
/// nothing, provided that the body is sent at its first poll.
pub(crate) async fn within<T>(
    client: &Client,
    begin: &str,
    body: impl Future<Output = Result<T>>,
) -> Result<T> {
    let (begun, returned, ended) = tokio::join!(
        biased;
        client.batch_execute(begin),
        body,
        client.batch_execute("COMMIT")
    );
    begun?;
    let returned = returned?;
    ended?;
    Ok(returned)
}

/// Runs statements [within] one transaction; a single statement without its own `BEGIN` is a
/// transaction by itself.
pub(crate) async fn together(
    client: &Client,
    begin: &str,
    statements: &[(&Statement, &[Param<'_>])],
) -> Result<Vec<Returned>> {
    if let ("BEGIN", [(statement, params)]) = (begin, statements) {
        return Ok(vec![run(client, statement, params).await?]);
    }
    let bodies = statements
        .iter()
        .map(|(statement, params)| run(client, statement, params));
    let all = async { join_all(bodies).await.into_iter().collect() };
    within(client, begin, all).await
}

/// Prepares a statement [within] a transaction: the session of a pooler may have too short a
/// timeout even for this.
pub(crate) async fn prepared(client: &Client, begin: &str, text: &str) -> Result<Statement> {
    let prepared = within(client, begin, async { Ok(client.prepare(text).await?) });
    prepared.await.map_err(Failure::before_anything)
}
