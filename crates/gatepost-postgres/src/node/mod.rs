//! This process as one of several nodes that share the database: it is notified of changed keys and
//! of new work, and its lease shows that it is active.
//!
//! # Why a deleted key is refused everywhere immediately
//! A node answers [`KeyStore::key_generation`](gatepost_storage::KeyStore::key_generation) only for
//! [`VALID`] after the *start* of its last beat. A beat first renews the node's lease in the
//! database (`LEASE`, longer than `VALID`), then, in a later statement, reads the generation. The
//! node that deletes a key commits, notifies, and waits until no node with a running lease acts on
//! an older generation ([`wait_for_all`](Node::wait_for_all)). So a node that it waited for has
//! acknowledged the generation; a node that it did not see had no lease, and its next beat reads
//! the new generation before it answers anything. The wait ends [`LEASE`] after the commit at the
//! latest, whatever happened to the connections: by then each node has read the generation or
//! answers `None`.
//!
//! Durations are measured by the monotonic clock of the process and by the clock of the server.
//! `VALID` is shorter than `LEASE` by the maximum difference of the two within two seconds. No
//! point in time is compared between them.

mod generation;
mod heartbeat;
mod lease;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gatepost_storage::keys::{KeyChanges, KeyGeneration, KeyShard};
use gatepost_storage::{RecentChanges, StoreError};
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, sleep_until};

use self::generation::Generation;
use self::lease::{LEASE, Shared};
use crate::config::PostgresConfig;
use crate::db::{Db, Fence};
use crate::error::Result;
use crate::notify::{Ear, channel};

/// A shard that was moved, and its generation in the database.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moved {
    pub(crate) shard: KeyShard,
    pub(crate) generation: i64,
}

pub(crate) struct Node {
    shared: Arc<Shared>,
    channel: String,
    task: AbortHandle,
}

impl Node {
    /// Joins and beats once; a task then keeps the node active.
    pub(crate) async fn join(
        config: &PostgresConfig,
        fence: Fence,
    ) -> std::result::Result<Self, StoreError> {
        let shared = Arc::new(Shared {
            generation: Generation::new(),
            recent: Mutex::new(RecentChanges::new()),
            ear: Arc::default(),
            fence,
        });
        let channel = channel(config.schema_name()?);
        let connector = heartbeat::Connector::new(config, channel.clone())?;
        let first = connector.connect(&shared).await?;
        let task = tokio::spawn(heartbeat::keep_alive(connector, first, Arc::clone(&shared)));
        Ok(Self {
            shared,
            channel,
            task: task.abort_handle(),
        })
    }

    /// Returns the generation of a shard that this node acts on, while its lease allows that.
    pub(crate) fn generation(&self, shard: KeyShard) -> Option<KeyGeneration> {
        self.shared.generation.get(shard).map(KeyGeneration)
    }

    /// Returns the changes in a shard if a beat has read them already. Returns nothing if this
    /// process itself has made a change that no beat has read.
    pub(crate) fn recent(&self, shard: KeyShard, since: KeyGeneration) -> Option<KeyChanges> {
        let recent = self.shared.recent.lock();
        let changes = recent
            .unwrap_or_else(PoisonError::into_inner)
            .since(shard, since)?;
        // Read last: changes that were made during the lookup may be missing.
        self.generation(shard)?;
        let newest = self.number(self.shared.generation.newest());
        (newest <= changes.generation.0).then_some(changes)
    }

    /// Returns the number that this process uses for a generation of the database.
    pub(crate) fn number(&self, generation: i64) -> i64 {
        self.shared.generation.number(generation)
    }

    /// Returns the generation of the database for a number given out earlier; `None` if the channel
    /// was lost in between.
    pub(crate) fn since(&self, number: i64) -> Option<i64> {
        self.shared.generation.since(number)
    }

    /// Waits, after this process has changed keys and moved these shards, until no node acts on an
    /// older generation. Returns immediately if there is no other node, in milliseconds if all
    /// listen, and after [`LEASE`] at the latest.
    pub(crate) async fn wait_for_all(&self, db: &Db, moved: &[Moved]) {
        let settled = Instant::now() + LEASE;
        for Moved { shard, generation } in moved {
            self.shared.generation.heard(*shard, *generation);
        }
        let Some(generation) = moved.iter().map(|moved| moved.generation).max() else {
            return;
        };
        let Some(node) = self.shared.generation.node() else {
            // Without a connection the active nodes are unknown.
            return sleep_until(settled).await;
        };
        match lagging(db, node, generation).await {
            Ok(false) => return,
            Ok(true) => {
                // If the notification is lost, the next beat of each node reads the generation.
                let _ = db
                    .execute(
                        "SELECT pg_notify($1, $2)",
                        &[&self.channel, &generation.to_string()],
                    )
                    .await;
            }
            Err(_) => return sleep_until(settled).await,
        }
        let mut pause = Duration::from_millis(1);
        while Instant::now() < settled {
            sleep(pause).await;
            pause = (pause * 2).min(Duration::from_millis(50));
            if matches!(
                tokio::time::timeout_at(settled, lagging(db, node, generation)).await,
                Ok(Ok(false))
            ) {
                return;
            }
        }
    }

    /// Returns the receiver of notifications from other processes.
    pub(crate) fn ear(&self) -> &Arc<Ear> {
        &self.shared.ear
    }

    /// Gives up the lease, so that no other node waits for this one.
    pub(crate) async fn leave(&self, db: &Db) {
        self.task.abort();
        self.shared.generation.lost();
        if let Some(node) = self.shared.generation.node() {
            // If it fails, the lease expires.
            let _ = db
                .execute("DELETE FROM :schema.gatepost_node WHERE id = $1", &[&node])
                .await;
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.task.abort();
        self.shared.generation.lost();
    }
}

async fn lagging(db: &Db, node: i64, generation: i64) -> Result<bool> {
    let sql = sql!("node/lagging");
    db.is(sql, &[&node, &generation]).await
}
