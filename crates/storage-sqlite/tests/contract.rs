//! The storage contract, clause by clause.
#![allow(
    clippy::unwrap_used,
    reason = "a test ends where something is not as it must be"
)]

use std::sync::Arc;

use storage::KeyStore;
use storage_sqlite::{SqliteConfig, SqliteStore};
use storage_testkit::Webhooks;

/// In a folder that stays until the build's files are removed: the store outlives this call.
async fn store() -> Arc<SqliteStore> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.keep().join("gatepost.db");
    Arc::new(SqliteStore::open(SqliteConfig::file(path)).await.unwrap())
}

async fn keys() -> Arc<dyn KeyStore> {
    store().await
}

async fn webhooks() -> Webhooks {
    Webhooks::of(store().await)
}

mod key_clauses {
    storage_testkit::key_store_conformance!(super::keys);
}

mod queue_clauses {
    storage_testkit::queue_conformance!(super::webhooks);
}
