//! Edits that were made on what has changed since are refused.

use deadpool_postgres::Transaction;
use gatepost_storage::ErrorKind;

use crate::error::Failure;

/// Why an update found no row with that revision.
pub(super) async fn missing_or_stale(
    tx: &Transaction<'_>,
    sql: &str,
    id: i64,
    what: &'static str,
) -> Failure {
    match tx.query_opt(sql, &[&id]).await {
        Ok(None) => Failure::not_found(what),
        Ok(Some(_)) => Failure::new(ErrorKind::Stale, what),
        Err(error) => error.into(),
    }
}
