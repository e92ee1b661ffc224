//! Records how claims ended: many in one transaction, none given up while its lease lasts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::{DateTime, Utc};
use storage::webhooks::{Settled, Settlement, WebhookStore};
use tokio::sync::{mpsc, oneshot};

/// Settlements in one transaction.
const AT_ONCE: usize = 512;
/// Settlements that may wait; further workers wait with theirs.
const WAITING: usize = 4096;
/// The first and the longest wait after a failure.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

#[derive(Debug)]
struct Waiting {
    settlement: Settlement,
    lease_until: DateTime<Utc>,
    done: oneshot::Sender<Option<Settled>>,
}

/// Where workers hand in their settlements.
#[derive(Debug, Clone)]
pub(crate) struct Settle {
    queue: mpsc::Sender<Waiting>,
    failing: Arc<AtomicBool>,
}

impl Settle {
    /// Starts the task that records; it ends when the last handle is gone.
    pub(crate) fn start(
        store: Arc<dyn WebhookStore>,
        now: impl Fn() -> DateTime<Utc> + Send + 'static,
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

    /// Records one; `None` when the store failed for as long as the lease lasted.
    pub(crate) async fn settle(
        &self,
        settlement: Settlement,
        lease_until: DateTime<Utc>,
    ) -> Option<Settled> {
        let (done, answer) = oneshot::channel();
        self.queue
            .send(Waiting {
                settlement,
                lease_until,
                done,
            })
            .await
            .ok()?;
        answer.await.ok()?
    }
}

async fn run(
    store: Arc<dyn WebhookStore>,
    mut queue: mpsc::Receiver<Waiting>,
    failing: Arc<AtomicBool>,
    now: impl Fn() -> DateTime<Utc> + Send,
) {
    let mut batch = Vec::with_capacity(AT_ONCE);
    let mut backoff = BACKOFF.0;
    loop {
        if batch.is_empty() && queue.recv_many(&mut batch, AT_ONCE).await == 0 {
            return;
        }
        let settlements = batch
            .iter()
            .map(|w: &Waiting| w.settlement.clone())
            .collect();
        match store.settle(settlements, now()).await {
            Ok(settled) => {
                failing.store(false, Ordering::Relaxed);
                backoff = BACKOFF.0;
                for (waiting, settled) in batch.drain(..).zip(settled) {
                    let _ = waiting.done.send(Some(settled));
                }
            }
            Err(error) => {
                failing.store(true, Ordering::Relaxed);
                metrics::counter!("gatepost_settle_failures_total").increment(1);
                tracing::warn!(%error, waiting = batch.len(), "outcomes cannot be recorded; trying again");
                tokio::time::sleep(backoff).await;
                backoff = (backoff * 2).min(BACKOFF.1);
                // A lease that is over belongs to others now; the delivery comes back by itself.
                let now = now();
                batch.retain(|waiting| waiting.lease_until > now);
                if batch.is_empty() {
                    failing.store(false, Ordering::Relaxed);
                }
                let room = AT_ONCE.saturating_sub(batch.len());
                while batch.len() < AT_ONCE && room > 0 {
                    let Ok(more) = queue.try_recv() else { break };
                    batch.push(more);
                }
            }
        }
    }
}
