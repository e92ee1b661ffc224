//! The store over the adapter in memory keeps the contract.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_kv::{KvStore, MemoryKv};
use gatepost_storage::{AuditStore, KeyStore, OwnerStore as _};
use gatepost_testkit::{Harness, Webhooks};

fn open() -> Arc<KvStore> {
    Arc::new(KvStore::open(MemoryKv::default()).unwrap())
}

async fn keys() -> Arc<dyn KeyStore> {
    open()
}

async fn webhooks() -> Webhooks {
    Webhooks::of(open())
}

/// A log of changes in a store that can be restored.
struct Log(Arc<KvStore>);

#[async_trait]
impl Harness<Arc<dyn AuditStore>> for Log {
    async fn fresh(&self) -> Arc<dyn AuditStore> {
        self.0.clone()
    }

    async fn restored(
        &self,
        store: Arc<dyn AuditStore>,
        now: DateTime<Utc>,
    ) -> Option<Arc<dyn AuditStore>> {
        self.0.restored(now).await.unwrap();
        Some(store)
    }
}

mod audit_clauses {
    gatepost_testkit::audit_store_conformance!(super::Log(super::open()), not durable);
}

mod key_clauses {
    gatepost_testkit::key_store_conformance!(super::keys, not durable);
}

mod webhook_clauses {
    gatepost_testkit::webhook_store_conformance!(super::webhooks, not durable);
}
