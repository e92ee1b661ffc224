#![doc = include_str!("../README.md")]
#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a clause panics where a store breaks the contract"
)]

mod fixtures;
pub mod keys;
mod list;
pub mod queue;

use std::pin::Pin;
use std::sync::Arc;

use storage::webhooks::{DeliveryLog, QueueStore, RecordStore};
use storage::{KeyStore, WebhookStore};

/// What a clause does, to be awaited; it panics where the contract is broken.
pub type Run = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A clause of the contract and its name.
pub type Clause<S> = (&'static str, fn(S) -> Run);

/// The traits of one webhook store, each on its own so that a test may replace one.
#[derive(Debug, Clone)]
pub struct Webhooks {
    /// Webhooks, tasks and events.
    pub records: Arc<dyn RecordStore>,
    /// The queue.
    pub queue: Arc<dyn QueueStore>,
    /// The delivery log.
    pub log: Arc<dyn DeliveryLog>,
}

impl Webhooks {
    /// The traits of this store.
    #[must_use]
    pub fn of<S: WebhookStore>(store: Arc<S>) -> Self {
        Self {
            records: store.clone(),
            queue: store.clone(),
            log: store,
        }
    }
}

/// All clauses about keys.
#[must_use]
pub fn key_clauses() -> Vec<Clause<Arc<dyn KeyStore>>> {
    for_each_key_clause!([table] keys)
}

/// All clauses about the queue.
#[must_use]
pub fn queue_clauses() -> Vec<Clause<Webhooks>> {
    for_each_queue_clause!([table] queue)
}

/// Runs to the end on a runtime of its own with several threads.
pub fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

macro_rules! table {
    ([$room:ident] $($clause:ident)*) => {
        vec![$((stringify!($clause), |store| Box::pin($room::$clause(store)))),*]
    };
}
use table;
