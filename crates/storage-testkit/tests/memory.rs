//! The reference store keeps the contract.

use std::sync::Arc;

use storage::{KeyStore, MemoryStore};
use storage_testkit::Webhooks;

async fn keys() -> Arc<dyn KeyStore> {
    Arc::new(MemoryStore::new())
}

async fn webhooks() -> Webhooks {
    Webhooks::of(Arc::new(MemoryStore::new()))
}

mod key_clauses {
    storage_testkit::key_store_conformance!(super::keys);
}

mod queue_clauses {
    storage_testkit::queue_conformance!(super::webhooks);
}
