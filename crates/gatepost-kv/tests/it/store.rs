//! The store over the adapter in memory keeps the contract.

use std::sync::Arc;

use gatepost_kv::{KvStore, MemoryKv};
use gatepost_storage::{AuditStore, KeyStore, MemoryStore};
use gatepost_testkit::Webhooks;

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

async fn webhooks() -> Webhooks {
    let store = Arc::new(KvStore::open(MemoryKv::default()).unwrap());
    let other = Arc::new(MemoryStore::new());
    let mut webhooks = Webhooks::of(other);
    webhooks.records = store;
    webhooks
}

mod record_clauses {
    gatepost_testkit::for_each_record_clause! {
        [gatepost_testkit::conformance_tests] webhook_clauses, super::webhooks;
    }
}
