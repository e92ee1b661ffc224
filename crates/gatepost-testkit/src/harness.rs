//! The environment of a store under test.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::WebhookStore;
use gatepost_storage::webhooks::{DeliveryLog, OutboxStore, QueueStore, RecordId, RecordStore};

/// The four traits of one webhook store, as separate objects so that a test may replace one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Webhooks {
    /// Webhooks, tasks and events.
    pub records: Arc<dyn RecordStore>,
    /// The queue.
    pub queue: Arc<dyn QueueStore>,
    /// The delivery log.
    pub log: Arc<dyn DeliveryLog>,
    /// The outbox.
    pub outbox: Arc<dyn OutboxStore>,
}

impl Webhooks {
    /// Returns the traits of this store.
    #[must_use]
    pub fn of<S: WebhookStore>(store: Arc<S>) -> Self {
        Self {
            records: store.clone(),
            queue: store.clone(),
            log: store.clone(),
            outbox: store,
        }
    }
}

/// The location of one store: a file, a schema, a prefix of keys. Each contract test is given its
/// own harness.
///
/// `S` is `Arc<dyn KeyStore>`, `Arc<dyn AuditStore>` or [`Webhooks`].
/// An `async fn` without arguments that makes a store
/// is the harness of a store that is not durable.
#[async_trait]
pub trait Harness<S: Send + 'static>: Send + Sync + 'static {
    /// Returns an empty store, separate from all others. Called first, and once.
    async fn fresh(&self) -> S;

    /// Drops all handles, then opens the durable data again. `None` by default: nothing is
    /// durable.
    async fn reopen(&self, store: S) -> Option<S> {
        drop(store);
        None
    }

    /// Calls [`restored`](gatepost_storage::OwnerStore::restored) of the store that holds this
    /// audit log, and returns the log. An `Arc<dyn AuditStore>` has no such call itself. `None` by
    /// default: the log is in no such store.
    async fn restored(&self, store: S, now: DateTime<Utc>) -> Option<S> {
        let _ = (store, now);
        None
    }

    /// Overwrites a record of its store so that it can no longer be read, as a newer version or a
    /// lost sealing key would leave it. Returns whether it could; `false` by default.
    async fn spoil(&self, record: RecordId) -> bool {
        let _ = record;
        false
    }

    /// Returns everything that the store wrote, as it is on the disk: files with their logs, or
    /// tables as text. `None` by default: it writes nothing.
    async fn dump(&self, store: &S) -> Option<Vec<u8>> {
        let _ = store;
        None
    }
}

#[async_trait]
impl<S, F, Fut> Harness<S> for F
where
    S: Send + 'static,
    F: Fn() -> Fut + Send + Sync + 'static,
    Fut: Future<Output = S> + Send,
{
    async fn fresh(&self) -> S {
        self().await
    }
}
