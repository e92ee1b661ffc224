#![doc = include_str!("../README.md")]

mod batch;
mod config;
mod db;
mod error;
mod keys;
mod list;
mod log;
mod migrate;
mod node;
mod notify;
mod outbox;
mod queue;
mod records;
mod tls;

use std::fmt;
use std::sync::Arc;

use gatepost_storage::StoreError;
use gatepost_storage::seal::SealingKeys;

use crate::batch::Batcher;
pub use crate::config::PostgresConfig;
use crate::db::Db;
use crate::node::Node;
use crate::notify::Notifier;
use crate::queue::enqueue::EnqueueWork;
use crate::queue::settle::SettleWork;

/// A store in PostgreSQL. Cheap to clone: all clones share one pool and one listening connection.
///
/// Implements [`KeyStore`](gatepost_storage::KeyStore) and the four traits of
/// [`WebhookStore`](gatepost_storage::WebhookStore). Every handle that was opened on one database
/// and schema, in whichever process, sees the same data.
#[derive(Clone)]
pub struct PostgresStore {
    inner: Arc<Inner>,
}

struct Inner {
    db: Db,
    node: Node,
    notifier: Notifier,
    sealing: Arc<SealingKeys>,
    enqueue: Batcher<EnqueueWork>,
    settle: Batcher<SettleWork>,
}

impl PostgresStore {
    /// Connects, brings the schema up to date, and joins the nodes that are told of revoked keys.
    /// Must be called on a tokio runtime; the store's background tasks live there until the last
    /// clone is dropped.
    ///
    /// # Errors
    /// `Unavailable` when there is no connection; `Invalid` for a configuration that cannot be;
    /// `Unsupported` for a server older than PostgreSQL 13 or a database written by a newer
    /// version.
    pub async fn connect(config: PostgresConfig) -> Result<Self, StoreError> {
        let schema = config.schema_name()?.to_owned();
        let db = Db::new(&config)?;
        if config.sealing.is_none() {
            tracing::warn!("no sealing key was given: secrets of webhooks are stored in clear");
        }
        migrate::migrate(&db, &schema).await?;
        let notifier = Notifier::start(db.clone(), &schema);
        let node = Node::join(&config, &schema).await?;
        let inner = Inner {
            enqueue: Batcher::start(EnqueueWork::new(db.clone())),
            settle: Batcher::start(SettleWork::new(db.clone())),
            sealing: Arc::clone(&config.sealing),
            notifier,
            node,
            db,
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// Ends the background tasks and closes the pool. Calls made afterwards are `Unavailable`, on
    /// every clone.
    pub async fn close(&self) {
        self.inner.node.leave(&self.inner.db).await;
        self.inner.db.close();
    }

    fn db(&self) -> &Db {
        &self.inner.db
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore")
            .field("generation", &self.inner.node.generation())
            .finish_non_exhaustive()
    }
}
