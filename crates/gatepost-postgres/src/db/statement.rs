//! Statements as a connection runs them, each in a transaction whose settings are said.

use std::pin::pin;
use std::sync::Arc;

use futures_util::TryStreamExt as _;
use futures_util::future::join_all;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row, Statement};

use super::haste::Haste;
use crate::error::Result;

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
        let params = params.iter().copied();
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

/// Runs statements in one transaction and one round trip: all are sent at once, so that the server
/// alone decides how long its locks are held. `begin` is simple statements.
///
/// Sent at the first poll, or as soon as it has [begun](Haste): a future that is dropped leaves a
/// whole transaction or none.
pub(crate) async fn together(
    client: &Client,
    (haste, begin): (&Haste, &str),
    statements: &[(&Ready, &[Param<'_>])],
) -> Result<Vec<Returned>> {
    let bodies = statements
        .iter()
        .map(|(ready, params)| ready.run(client, params));
    let begin = haste.begin(client, begin).await?;
    let begun = async {
        match begin {
            Some(begin) => client.batch_execute(begin).await,
            None => Ok(()),
        }
    };
    let (begun, bodies, ended) = tokio::join!(
        biased;
        begun,
        join_all(bodies),
        client.batch_execute("COMMIT")
    );
    begun?;
    let returned = bodies.into_iter().collect::<Result<_>>()?;
    ended?;
    Ok(returned)
}
