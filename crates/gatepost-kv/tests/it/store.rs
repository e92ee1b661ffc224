//! The store over the adapter in memory keeps the contract.

use std::sync::Arc;

use gatepost_kv::{KvStore, MemoryKv};
use gatepost_storage::{AuditStore, KeyStore};

async fn audit() -> Arc<dyn AuditStore> {
    Arc::new(KvStore::open(MemoryKv::default()).unwrap())
}

mod audit_clauses {
    gatepost_testkit::audit_store_conformance!(super::audit, not durable);
}

async fn keys() -> Arc<dyn KeyStore> {
    Arc::new(KvStore::open(MemoryKv::default()).unwrap())
}

mod key_clauses {
    gatepost_testkit::key_store_conformance!(super::keys, not durable);
}
