//! A store to test, and the database behind it.

use gatepost_postgres::{PostgresConfig, PostgresStore};
use tokio_postgres::{Client, NoTls};

use crate::postgres::{self, FreshSchema};

/// A store in a schema of its own, and how to open it again.
pub(crate) async fn fresh() -> (PostgresStore, PostgresConfig) {
    let (store, config, _) = fresh_at().await;
    (store, config)
}

/// The same, and where it is.
pub(crate) async fn fresh_at() -> (PostgresStore, PostgresConfig, FreshSchema) {
    let fresh = postgres::fresh();
    let config = PostgresConfig::url(&fresh.url)
        .with_schema(&fresh.schema)
        .with_max_connections(6);
    let store = PostgresStore::connect(config.clone()).await.unwrap();
    (store, config, fresh)
}

/// A connection of nobody's, in that schema.
pub(crate) async fn raw(at: &FreshSchema) -> Client {
    let (client, connection) = tokio_postgres::connect(&at.url, NoTls).await.unwrap();
    tokio::spawn(connection);
    let set = format!("SET search_path = {}", at.schema);
    client.batch_execute(&set).await.unwrap();
    client
}

/// How many rows a table has.
pub(crate) async fn rows(client: &Client, table: &str) -> i64 {
    let count = format!("SELECT count(*) FROM {table}");
    client.query_one(&count, &[]).await.unwrap().get(0)
}
