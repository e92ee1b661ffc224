//! The number of allocations that the engine makes for one emit of one matching task, and for its
//! delivery until it is sent and recorded. Allocations by other threads are not counted, such as
//! SQLite's writer.
//!
//! `cargo bench -p benches --bench allocations`
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a measurement, not a library"
)]

#[path = "../crates/gatepost-engine/tests/allocations/counted.rs"]
mod counted;

use std::sync::Arc;

use benches::{Better, keep};
use gatepost_kv::MemoryStore;
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::webhooks::WebhookStore;
use webhook_model::Activity;

use self::counted::{Allocations, Counted};

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let config = SqliteConfig::file(folder.path().join("gatepost.db"));
    let opening = tokio::runtime::Runtime::new().unwrap();
    let sqlite = opening.block_on(SqliteStore::open(config)).unwrap();
    emit("SQLite", Arc::new(sqlite));
    let emit = emit("memory", Arc::new(MemoryStore::new()));
    let sent = Counted::new(Arc::new(MemoryStore::new()), Activity::Active).sent();
    let (count, bytes) = (sent.count - emit.count, sent.bytes - emit.bytes);
    println!("memory: sent and recorded besides: {count} allocations, {bytes} bytes");
    keep("sent and recorded", &[count as f64], Better::Less);
}

fn emit(name: &str, store: Arc<dyn WebhookStore>) -> Allocations {
    let emit = Counted::new(store, Activity::Paused).emit();
    let Allocations { count, bytes } = emit;
    println!("{name}: an emit of one task: {count} allocations, {bytes} bytes");
    keep(&format!("{name}: an emit"), &[count as f64], Better::Less);
    emit
}
