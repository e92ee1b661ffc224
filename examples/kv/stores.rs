//! The contract tests of the store over each adapter, as an integrator would run them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_kv::{Kv, KvError, KvStore};
use gatepost_storage::seal::{SealingKey, SealingKeys};
use gatepost_storage::{AuditStore, KeyStore, OwnerStore as _};
use gatepost_testkit::{Harness, Webhooks};
use tempfile::TempDir;

use crate::fjall::FjallKv;
use crate::mariadb::{MariaKv, server};
use crate::redb::RedbKv;

/// How often opening is tried while the earlier store has not closed the database yet.
const ATTEMPTS: u32 = 500;
const PAUSE: Duration = Duration::from_millis(10);

/// A folder that is removed after the test, and the function that opens a database in it.
struct Place<K> {
    folder: TempDir,
    open: fn(&Path) -> Result<K, KvError>,
    dump: fn(&Path) -> Vec<u8>,
}

impl<K: Kv> Place<K> {
    fn new(open: fn(&Path) -> Result<K, KvError>, dump: fn(&Path) -> Vec<u8>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder, open, dump }
    }

    async fn open(&self) -> Arc<KvStore> {
        let mut attempts = 0;
        let kv = loop {
            match (self.open)(self.folder.path()) {
                Err(error) if attempts == ATTEMPTS => panic!("{error}"),
                Err(_) => attempts += 1,
                Ok(kv) => break kv,
            }
            tokio::time::sleep(PAUSE).await;
        };
        let sealing = SealingKeys::new(SealingKey::new(1, [7; 32]));
        Arc::new(KvStore::open_sealed(kv, sealing).unwrap())
    }
}

#[async_trait]
impl<K: Kv> Harness<Arc<dyn KeyStore>> for Place<K> {
    async fn fresh(&self) -> Arc<dyn KeyStore> {
        self.open().await
    }

    async fn reopen(&self, store: Arc<dyn KeyStore>) -> Option<Arc<dyn KeyStore>> {
        drop(store);
        Some(self.open().await)
    }
}

#[async_trait]
impl<K: Kv> Harness<Arc<dyn AuditStore>> for Place<K> {
    async fn fresh(&self) -> Arc<dyn AuditStore> {
        self.open().await
    }

    async fn reopen(&self, store: Arc<dyn AuditStore>) -> Option<Arc<dyn AuditStore>> {
        drop(store);
        Some(self.open().await)
    }

    async fn restored(
        &self,
        store: Arc<dyn AuditStore>,
        now: DateTime<Utc>,
    ) -> Option<Arc<dyn AuditStore>> {
        drop(store);
        let store = self.open().await;
        store.restored(now).await.unwrap();
        Some(store)
    }
}

#[async_trait]
impl<K: Kv> Harness<Webhooks> for Place<K> {
    async fn fresh(&self) -> Webhooks {
        Webhooks::of(self.open().await)
    }

    async fn reopen(&self, store: Webhooks) -> Option<Webhooks> {
        drop(store);
        Some(Webhooks::of(self.open().await))
    }

    async fn dump(&self, _: &Webhooks) -> Option<Vec<u8>> {
        Some((self.dump)(self.folder.path()))
    }
}

/// All files of a folder.
fn files(folder: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        bytes.extend(if path.is_dir() {
            files(&path)
        } else {
            std::fs::read(&path).unwrap()
        });
    }
    bytes
}

/// Runs all contract tests of the three traits over one adapter.
macro_rules! contract_tests {
    ($name:ident, $open:expr, $dump:expr) => {
        mod $name {
            use super::*;

            fn place() -> Place<impl Kv> {
                Place::new($open, $dump)
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
        }
    };
}

contract_tests!(redb, |folder| RedbKv::open(&folder.join("kv.redb")), files);
contract_tests!(fjall, |folder| FjallKv::open(&folder.join("kv")), files);
contract_tests!(
    mariadb,
    |folder| MariaKv::open(&server::database_of(folder)),
    server::rows_of
);
