//! The store: a pool, this process as a node, and the batchers of writes.

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use gatepost_storage::columns::SealedAttempt;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{Enqueue, Enqueued, Settled, Settlement};

use crate::batch::{Batcher, EnqueueWork, SettleWork, Work as _};
use crate::claim_cursors::Fronts;
use crate::config::PostgresConfig;
use crate::db::{Db, Fence};
use crate::error::{Answer, Result};
use crate::migrate;
use crate::node::Node;
use crate::notify::{Notifier, channel};

/// A store in PostgreSQL. Cheap to clone: all clones share one pool and one listening connection.
///
/// Implements [`KeyStore`](gatepost_storage::KeyStore), the four traits of
/// [`WebhookStore`](gatepost_storage::WebhookStore), and
/// [`AuditStore`](gatepost_storage::AuditStore). All handles opened on one database and schema, in
/// any process, see the same data.
#[derive(Clone)]
pub struct PostgresStore {
    db: Db,
    node: Arc<Node>,
    notifier: Arc<Notifier>,
    sealing: Arc<SealingKeys>,
    ddl: bool,
    fronts: Arc<Fronts>,
    enqueue: Arc<Batcher<EnqueueWork>>,
    settle: Arc<Batcher<SettleWork>>,
}

impl PostgresStore {
    /// Connects, brings the schema up to date, and joins the nodes that are notified of revoked
    /// keys. Must be called on a tokio runtime; the store's background tasks live there until
    /// the last clone is dropped.
    ///
    /// # Errors
    /// `Unavailable` when there is no connection; `Invalid` for a wrong configuration;
    /// `Unsupported` for a server older than PostgreSQL 13 or a database written by a newer
    /// version.
    pub async fn connect(config: PostgresConfig) -> Answer<Self> {
        let schema = config.schema_name()?.to_owned();
        config.direct_driver()?;
        let db = Db::new(&config)?;
        if config.sealing.is_none() {
            tracing::warn!("no sealing key was given: secrets of webhooks are stored in plaintext");
        }
        let direct = Db::new(&config.direct())?;
        let migrated = migrate::migrate(&direct, &schema, &channel(&schema)).await;
        direct.close();
        migrated?;
        if config.pooled {
            db.check_pooler().await?;
        }
        let fence = Fence::new(migrate::known());
        let db = db.fenced(&fence);
        let node = Node::join(&config, fence).await?;
        let notifier = Notifier::start(db.clone(), &schema, Arc::clone(node.ear()));
        Ok(Self {
            enqueue: Arc::new(Batcher::start(EnqueueWork::new(db.clone()))),
            settle: Arc::new(Batcher::start(SettleWork::new(db.clone()))),
            sealing: Arc::clone(&config.sealing),
            ddl: config.ddl,
            fronts: Arc::default(),
            notifier: Arc::new(notifier),
            node: Arc::new(node),
            db,
        })
    }

    /// Stops the background tasks and closes the pool. Later calls are `Unavailable`, on every
    /// clone.
    pub async fn close(&self) {
        self.node.leave(&self.db).await;
        self.db.close();
    }

    pub(crate) fn db(&self) -> &Db {
        &self.db
    }

    /// Returns this process as a node.
    pub(crate) fn node(&self) -> &Node {
        &self.node
    }

    pub(crate) fn notifier(&self) -> &Notifier {
        &self.notifier
    }

    /// Returns the claim cursors of busy queues.
    pub(crate) fn fronts(&self) -> &Fronts {
        &self.fronts
    }

    /// Returns whether the store may create and drop partitions.
    pub(crate) fn may_define(&self) -> bool {
        self.ddl
    }

    /// Returns the keys that seal the secrets of webhooks.
    pub(crate) fn sealing(&self) -> &SealingKeys {
        &self.sealing
    }

    /// Enqueues, in the given order within a realm, and decides each item separately. A single item
    /// shares a statement with others that wait at the same time.
    pub(crate) async fn enqueue_in_order(
        &self,
        batches: Vec<Enqueue>,
        now: DateTime<Utc>,
    ) -> Vec<Result<Enqueued>> {
        let mut items: Vec<_> = batches.into_iter().map(|batch| (batch, now)).collect();
        match items.pop() {
            Some(one) if items.is_empty() => vec![self.enqueue.submit(one).await],
            last => {
                items.extend(last);
                self.enqueue.work().waiting(items).await
            }
        }
    }

    /// Settles, in one statement with others that wait at the same time.
    pub(crate) async fn settle_batched(
        &self,
        settlements: Vec<Settlement>,
    ) -> Result<Vec<Settled>> {
        // Sealed here and not in the batch, which one task stores for all.
        let sealed = SealedAttempt::seal_all(settlements, self.sealing())?;
        self.settle.submit(sealed).await
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}
