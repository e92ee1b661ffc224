//! The storage contract, test by test, and random calls compared with the reference store.
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_storage::seal::{SealingKey, SealingKeys};
use gatepost_storage::{AuditStore, KeyStore, OwnerStore as _};
use gatepost_testkit::{Harness, Webhooks, model};
use tokio_postgres::NoTls;

use crate::postgres::{self, FreshSchema};

/// A separate schema.
pub(crate) struct Place {
    at: FreshSchema,
    config: PostgresConfig,
    open: Mutex<Option<Arc<PostgresStore>>>,
}

fn place() -> Place {
    place_at(postgres::fresh())
}

pub(crate) fn place_at(at: FreshSchema) -> Place {
    let config = PostgresConfig::url(&at.url).with_max_connections(6);
    place_of(at, config)
}

pub(crate) fn place_of(at: FreshSchema, config: PostgresConfig) -> Place {
    Place {
        config: config.with_schema(&at.schema),
        at,
        open: Mutex::default(),
    }
}

impl Place {
    async fn open(&self) -> Arc<PostgresStore> {
        let sealing = SealingKeys::new(SealingKey::new(1, [7; 32]));
        let config = self.config.clone().with_sealing(sealing);
        let store = Arc::new(PostgresStore::connect(config).await.unwrap());
        *self.open.lock().unwrap() = Some(store.clone());
        store
    }

    async fn close(&self) {
        let store = self.open.lock().unwrap().take();
        store.unwrap().close().await;
    }

    /// Returns every row of every table, as text.
    async fn rows(&self) -> String {
        let (client, connection) = tokio_postgres::connect(&self.at.url, NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        let tables = "select tablename::text from pg_tables where schemaname = $1";
        let mut all = String::new();
        for table in client.query(tables, &[&self.at.schema]).await.unwrap() {
            let table: String = table.get(0);
            let rows = format!("select t::text from {}.{table} t", self.at.schema);
            for row in client.query(&rows, &[]).await.unwrap() {
                writeln!(all, "{table} {}", row.get::<_, String>(0)).unwrap();
            }
        }
        drop(client);
        connection.await.unwrap().unwrap();
        all
    }
}

#[async_trait]
impl Harness<Arc<dyn KeyStore>> for Place {
    async fn fresh(&self) -> Arc<dyn KeyStore> {
        self.open().await
    }

    async fn reopen(&self, store: Arc<dyn KeyStore>) -> Option<Arc<dyn KeyStore>> {
        drop(store);
        self.close().await;
        Some(self.open().await)
    }
}

#[async_trait]
impl Harness<Arc<dyn AuditStore>> for Place {
    async fn fresh(&self) -> Arc<dyn AuditStore> {
        self.open().await
    }

    async fn reopen(&self, store: Arc<dyn AuditStore>) -> Option<Arc<dyn AuditStore>> {
        drop(store);
        self.close().await;
        Some(self.open().await)
    }

    async fn restored(
        &self,
        store: Arc<dyn AuditStore>,
        now: DateTime<Utc>,
    ) -> Option<Arc<dyn AuditStore>> {
        drop(store);
        self.close().await;
        let store = self.open().await;
        store.restored(now).await.unwrap();
        Some(store)
    }
}

#[async_trait]
impl Harness<Webhooks> for Place {
    async fn fresh(&self) -> Webhooks {
        Webhooks::of(self.open().await)
    }

    async fn reopen(&self, store: Webhooks) -> Option<Webhooks> {
        drop(store);
        self.close().await;
        Some(Webhooks::of(self.open().await))
    }

    async fn dump(&self, _: &Webhooks) -> Option<Vec<u8>> {
        Some(self.rows().await.into_bytes())
    }
}

mod keys {
    gatepost_testkit::key_store_conformance!(super::place());
}

mod audit {
    gatepost_testkit::audit_store_conformance!(super::place());
}

mod webhooks {
    gatepost_testkit::webhook_store_conformance!(super::place());
}

#[test]
fn random_key_calls_match_reference_store() {
    model::check_key_store(40, place);
}

#[test]
fn random_webhook_calls_match_reference_store() {
    model::check_webhook_store(120, place);
}
