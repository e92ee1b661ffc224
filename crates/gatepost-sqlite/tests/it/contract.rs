//! The storage contract, test by test, and random calls compared with the reference store.
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::seal::{SealingKey, SealingKeys};
use gatepost_storage::{AuditStore, KeyStore, OwnerStore as _};
use gatepost_testkit::{Harness, Webhooks, model};

/// A file in a folder that is deleted with the test.
struct Place {
    folder: tempfile::TempDir,
    open: Mutex<Option<Arc<SqliteStore>>>,
}

fn place() -> Place {
    Place {
        folder: tempfile::tempdir().unwrap(),
        open: Mutex::default(),
    }
}

impl Place {
    fn path(&self) -> PathBuf {
        self.folder.path().join("gatepost.db")
    }

    async fn open(&self) -> Arc<SqliteStore> {
        let sealing = SealingKeys::new(SealingKey::new(1, [7; 32]));
        let config = SqliteConfig::file(self.path()).with_sealing(sealing);
        let store = Arc::new(SqliteStore::open(config).await.unwrap());
        *self.open.lock().unwrap() = Some(store.clone());
        store
    }

    async fn close(&self) {
        let store = self.open.lock().unwrap().take();
        store.unwrap().close().await;
    }

    /// Returns the bytes of the file and its log.
    fn bytes(&self) -> Vec<u8> {
        let mut all = Vec::new();
        for entry in std::fs::read_dir(self.folder.path()).unwrap() {
            all.extend(std::fs::read(entry.unwrap().path()).unwrap());
        }
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
        Some(self.bytes())
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
    model::check_key_store(100, place);
}

#[test]
fn random_webhook_calls_match_reference_store() {
    model::check_webhook_store(250, place);
}
