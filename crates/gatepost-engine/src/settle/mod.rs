//! Records how claims ended: many in one transaction, none given up while the store is only away.

use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Settled, Settlement, WebhookStore};
use gatepost_storage::{ErrorKind, StoreError};
use tokio::sync::{mpsc, oneshot};

/// Settlements in one transaction.
const AT_ONCE: usize = 512;
/// Settlements that may wait; further workers wait with theirs.
const WAITING: usize = 4096;
/// The first and the longest wait after a failure.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));
/// A settlement that the store refuses for what it says is tried so often.
const REFUSALS: u32 = 3;

#[derive(Debug)]
struct Waiting {
    settlement: Settlement,
    refusals: u32,
    done: oneshot::Sender<Settled>,
}

/// Where workers hand in their settlements.
#[derive(Clone, Debug)]
pub(crate) struct Settle {
    queue: mpsc::Sender<Waiting>,
    failing: Arc<AtomicBool>,
}

impl Settle {
    /// Starts the task that records; it ends when the last handle is gone.
    pub(crate) fn start(
        store: Arc<dyn WebhookStore>,
        now: impl Fn() -> DateTime<Utc> + Send + Sync + 'static,
    ) -> Self {
        let (queue, waiting) = mpsc::channel(WAITING);
        let failing = Arc::new(AtomicBool::new(false));
        tokio::spawn(run(store, waiting, failing.clone(), now));
        Self { queue, failing }
    }

    /// Whether the store does not record at present: nothing new should be sent.
    pub(crate) fn is_failing(&self) -> bool {
        self.failing.load(Ordering::Relaxed)
    }

    /// Records one, however long the store is away: a lease that is over still settles as long as
    /// nobody else has the delivery, and is answered `Stale` if somebody has. `None` when the
    /// store refuses what it says.
    pub(crate) async fn settle(&self, settlement: Settlement) -> Option<Settled> {
        let (done, answer) = oneshot::channel();
        let waiting = Waiting {
            settlement,
            refusals: 0,
            done,
        };
        self.queue.send(waiting).await.ok()?;
        answer.await.ok()
    }
}

async fn run(
    store: Arc<dyn WebhookStore>,
    mut queue: mpsc::Receiver<Waiting>,
    failing: Arc<AtomicBool>,
    now: impl Fn() -> DateTime<Utc> + Send + Sync,
) {
    let mut batch = Vec::with_capacity(AT_ONCE);
    let mut backoff = BACKOFF.0;
    loop {
        if batch.is_empty() && queue.recv_many(&mut batch, AT_ONCE).await == 0 {
            return;
        }
        match record(&store, &batch, now()).await {
            Ok(settled) => answer(batch.drain(..), settled),
            Err(error) => {
                failing.store(true, Ordering::Relaxed);
                metrics::counter!("gatepost_settle_failures_total").increment(1);
                tracing::warn!(%error, waiting = batch.len(), "outcomes cannot be recorded; trying again");
                if !error.is_transient() {
                    batch = one_by_one(&store, batch, &now).await;
                }
            }
        }
        if batch.is_empty() {
            failing.store(false, Ordering::Relaxed);
            backoff = BACKOFF.0;
            continue;
        }
        tokio::time::sleep(backoff).await;
        backoff = (backoff * 2).min(BACKOFF.1);
        while batch.len() < AT_ONCE
            && let Ok(more) = queue.try_recv()
        {
            batch.push(more);
        }
    }
}

/// One that cannot be stored must not hold up the others. Answers those that are to be tried again.
async fn one_by_one(
    store: &Arc<dyn WebhookStore>,
    batch: Vec<Waiting>,
    now: &(impl Fn() -> DateTime<Utc> + Sync),
) -> Vec<Waiting> {
    let mut left = Vec::with_capacity(AT_ONCE);
    for mut waiting in batch {
        match record(store, slice::from_ref(&waiting), now()).await {
            Ok(settled) => answer([waiting], settled),
            Err(error) => {
                waiting.refusals += u32::from(!error.is_transient());
                if waiting.refusals < REFUSALS {
                    left.push(waiting);
                } else {
                    let id = waiting.settlement.claim.delivery.0;
                    tracing::error!(id, %error, "the store refuses an outcome");
                }
            }
        }
    }
    left
}

/// In a task of its own, so that a store that panics costs this call and not all later ones.
async fn record(
    store: &Arc<dyn WebhookStore>,
    batch: &[Waiting],
    now: DateTime<Utc>,
) -> Result<Vec<Settled>, StoreError> {
    let settlements: Vec<_> = batch.iter().map(|w| w.settlement.clone()).collect();
    let store = store.clone();
    tokio::spawn(async move { store.settle(settlements, now).await })
        .await
        .unwrap_or_else(|panic| {
            Err(StoreError::new(ErrorKind::Corrupt, "the store panicked").with_source(panic))
        })
}

fn answer(batch: impl IntoIterator<Item = Waiting>, settled: Vec<Settled>) {
    for (waiting, settled) in batch.into_iter().zip(settled) {
        let _ = waiting.done.send(settled);
    }
}
