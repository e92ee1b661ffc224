//! The shop: its own table, its own connection, its own transactions.

use std::error::Error;
use std::sync::Arc;

use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::WebhookStore;
use tokio_postgres::NoTls;

use crate::SELLER;

type Failure = Box<dyn Error + Send + Sync>;

/// The PostgreSQL schema of Gatepost's tables; the name is the platform's choice.
const SCHEMA: &str = "gatepost_example_outbox";

/// The platform's connection to its database.
pub(crate) enum Shop {
    /// A SQLite file in a folder that is removed at the end.
    File {
        connection: rusqlite::Connection,
        _folder: tempfile::TempDir,
    },
    /// A PostgreSQL server.
    Server(tokio_postgres::Client),
}

impl Shop {
    /// Opens Gatepost's store, then the platform's own connection to the same database.
    pub(crate) async fn open(
        url: Option<String>,
    ) -> Result<(Self, Arc<dyn WebhookStore>), Failure> {
        let orders = "CREATE TABLE orders (number BIGINT NOT NULL, total TEXT NOT NULL)";
        let Some(url) = url else {
            let folder = tempfile::tempdir()?;
            let path = folder.path().join("shop.db");
            let store = SqliteStore::open(SqliteConfig::file(&path)).await?;
            let connection = rusqlite::Connection::open(&path)?;
            connection.execute(orders, [])?;
            let shop = Self::File {
                connection,
                _folder: folder,
            };
            return Ok((shop, Arc::new(store)));
        };
        let store = PostgresStore::connect(PostgresConfig::url(&url).with_schema(SCHEMA)).await?;
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await?;
        tokio::spawn(connection);
        client
            .batch_execute(&format!("SET search_path = {SCHEMA}; {orders}"))
            .await?;
        Ok((Self::Server(client), Arc::new(store)))
    }

    /// Stores an order and the occurrence for its seller, in one transaction; commits it or rolls
    /// it back.
    pub(crate) async fn order(
        &mut self,
        number: i64,
        id: Option<&str>,
        commit: bool,
    ) -> Result<(), Failure> {
        let total = format!("{number}0 EUR");
        let (name, seller) = (number.to_string(), SELLER.to_string());
        match self {
            Self::File { connection, .. } => {
                let tx = connection.transaction()?;
                tx.execute("INSERT INTO orders VALUES (?1, ?2)", (number, &total))?;
                tx.execute(
                    "INSERT INTO gatepost_occurrence (event_type, event, object_id, object_name, tags, variables, occurrence_id, tenant)
                     VALUES ('orders', 'placed', ?1, ?1, '[1]', json_object('TOTAL', ?2), ?3, ?4)",
                    (&name, &total, id, &seller),
                )?;
                if commit { tx.commit()? } else { tx.rollback()? }
            }
            Self::Server(client) => {
                let tx = client.transaction().await?;
                tx.execute("INSERT INTO orders VALUES ($1, $2)", &[&number, &total])
                    .await?;
                tx.execute(
                    "INSERT INTO gatepost_occurrence (event_type, event, object_id, object_name, tags, variables, occurrence_id, tenant)
                     VALUES ('orders', 'placed', $1, $1, '[1]', json_build_object('TOTAL', $2::text), $3, $4)",
                    &[&name, &total, &id, &seller],
                )
                .await?;
                if commit {
                    tx.commit().await?;
                } else {
                    tx.rollback().await?;
                }
            }
        }
        Ok(())
    }

    /// Returns the number of orders.
    pub(crate) async fn orders(&self) -> Result<i64, Failure> {
        let count = "SELECT count(*) FROM orders";
        Ok(match self {
            Self::File { connection, .. } => connection.query_row(count, [], |row| row.get(0))?,
            Self::Server(client) => client.query_one(count, &[]).await?.get(0),
        })
    }

    /// Drops the schema, if there is a server.
    pub(crate) async fn close(self) -> Result<(), Failure> {
        if let Self::Server(client) = self {
            client
                .batch_execute(&format!("DROP SCHEMA {SCHEMA} CASCADE"))
                .await?;
        }
        Ok(())
    }
}
