//! A store to test.

use gatepost_postgres::{PostgresConfig, PostgresStore};

use crate::postgres;

/// A store in a schema of its own, and how to open it again.
pub(crate) async fn fresh() -> (PostgresStore, PostgresConfig) {
    let fresh = postgres::fresh();
    let config = PostgresConfig::url(&fresh.url)
        .with_schema(&fresh.schema)
        .with_max_connections(6);
    (
        PostgresStore::connect(config.clone()).await.unwrap(),
        config,
    )
}
