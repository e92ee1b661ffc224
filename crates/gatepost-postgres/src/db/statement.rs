//! Statements as a connection runs them, each in a transaction whose settings are said.

use std::pin::pin;
use std::sync::Arc;

use futures_util::TryStreamExt as _;
use futures_util::future::join_all;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row, Statement};

use super::haste::Haste;
use super::hidden::Hidden;
use crate::error::{Failure, Result};

pub(crate) type Param<'a> = &'a (dyn ToSql + Sync);

/// A statement that a connection can run at once.
pub(crate) enum Ready {
    /// Prepared on this connection.
    Named(Statement),
    /// For whichever server a pooler gives it to: the text and the types of its parameters.
    Unnamed(Arc<str>, Arc<[Type]>),
}

/// What a statement returned.
pub(crate) struct Returned {
    pub(crate) rows: Vec<Row>,
    /// How many rows it changed or returned.
    pub(crate) count: u64,
}

impl Ready {
    /// Sent at the first poll.
    pub(crate) async fn run(&self, client: &Client, params: &[Param<'_>]) -> Result<Returned> {
        let params = params.iter().copied().map(Hidden);
        let stream = match self {
            Self::Named(statement) => client.query_raw(statement, params).await?,
            Self::Unnamed(text, types) => {
                let typed = params.zip(types.iter().cloned());
                client.query_typed_raw(text, typed).await?
            }
        };
        let mut stream = pin!(stream);
        let mut rows = Vec::new();
        while let Some(row) = stream.try_next().await? {
            rows.push(row);
        }
        let count = stream.rows_affected().unwrap_or_default();
        Ok(Returned { rows, count })
    }
}

/// Where a transaction begins: how much time its session has, and simple statements.
pub(crate) type Begin<'a> = (&'a Haste, &'a str);

/// Runs a body in one transaction and one round trip: beginning, body and end are sent at once, so
/// that the server alone decides how long its locks are held.
///
/// Sent at the first poll, or as soon as it has [begun](Haste): a future that is dropped leaves a
/// whole transaction or none, if the body is sent at its first poll.
pub(crate) async fn within<T>(
    client: &Client,
    (haste, begin): Begin<'_>,
    body: impl Future<Output = Result<T>>,
) -> Result<T> {
    let left = haste.begin(client, begin).await;
    let left = left.map_err(Failure::before_anything)?;
    let begun = async {
        match left {
            Some(begin) => client.batch_execute(begin).await,
            None => Ok(()),
        }
    };
    let (begun, returned, ended) = tokio::join!(
        biased;
        begun,
        body,
        client.batch_execute("COMMIT")
    );
    begun?;
    let returned = returned?;
    ended?;
    Ok(returned)
}

/// Runs statements [within] one transaction.
pub(crate) async fn together(
    client: &Client,
    begin: Begin<'_>,
    statements: &[(&Ready, &[Param<'_>])],
) -> Result<Vec<Returned>> {
    let bodies = statements
        .iter()
        .map(|(ready, params)| ready.run(client, params));
    let all = async { join_all(bodies).await.into_iter().collect() };
    within(client, begin, all).await
}

/// Prepares a statement [within] a transaction: a session may be set to so little time that not
/// even this fits into it.
pub(crate) async fn prepared(client: &Client, begin: Begin<'_>, text: &str) -> Result<Statement> {
    let prepared = within(client, begin, async { Ok(client.prepare(text).await?) });
    prepared.await.map_err(Failure::before_anything)
}
