//! The part that records settlements. It may be restarted at any time: waiting settlements stay
//! with it until they are recorded.

use std::pin::pin;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gatepost_storage::webhooks::{Settled, Settlement, WebhookStore};
use gatepost_storage::{ErrorKind, StoreError};
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::time::Instant;

use super::load::Load;
use crate::clock::EngineClock;
use crate::guard::guarded;
use crate::meter;

/// Settlements in one transaction.
const AT_ONCE: usize = 512;
/// The number up to which settlements are gathered at a high rate, and the maximum time: one
/// transaction for 64 costs each of them half of what it costs for 16.
const GATHERED: (usize, Duration) = (64, Duration::from_millis(10));
/// The minimum time between two recordings that an urgent settlement may cause at a high rate:
/// otherwise a user with many webhooks in order would have those of all users recorded a few at a
/// time.
const APART: Duration = Duration::from_millis(2);
/// The first and the longest wait after a failure.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));
/// The time after which a call is expected to fail: until it returns, no new delivery is sent.
const LATE: Duration = Duration::from_secs(2);
/// How often a settlement is tried whose content the store refuses.
const REFUSALS: u32 = 3;

/// A settlement, and the worker that waits for it.
#[derive(Debug)]
pub(super) struct PendingOutcome {
    settlement: Settlement,
    /// Others wait for it to be recorded.
    urgent: bool,
    refusals: u32,
    done: oneshot::Sender<Settled>,
}

impl PendingOutcome {
    pub(super) fn new(
        settlement: Settlement,
        urgent: bool,
        done: oneshot::Sender<Settled>,
    ) -> Self {
        Self {
            settlement,
            urgent,
            refusals: 0,
            done,
        }
    }
}

/// Settlements that are not recorded yet.
#[derive(Debug)]
struct Backlog {
    queue: mpsc::Receiver<PendingOutcome>,
    batch: Vec<PendingOutcome>,
}

#[derive(Debug)]
pub(crate) struct SettlementWriter {
    store: Arc<dyn WebhookStore>,
    clock: Arc<EngineClock>,
    backlog: Mutex<Backlog>,
    failing: Arc<AtomicBool>,
}

/// A writer that panicked records nothing until it is restarted.
struct FailsOnPanic<'a>(&'a AtomicBool);

impl Drop for FailsOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Gathers settlements that arrive within a moment. An urgent one ends that, but not before
/// `urgent_from`.
async fn gather(
    queue: &mut mpsc::Receiver<PendingOutcome>,
    batch: &mut Vec<PendingOutcome>,
    urgent_from: Instant,
) {
    let longest = Instant::now() + GATHERED.1;
    while batch.len() < GATHERED.0 {
        let is_urgent = batch.iter().any(|waiting| waiting.urgent);
        let until = if is_urgent {
            longest.min(urgent_from)
        } else {
            longest
        };
        let room = AT_ONCE - batch.len();
        match tokio::time::timeout_at(until, queue.recv_many(batch, room)).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
    }
}

impl SettlementWriter {
    pub(super) fn new(
        store: Arc<dyn WebhookStore>,
        clock: Arc<EngineClock>,
        queue: mpsc::Receiver<PendingOutcome>,
        failing: Arc<AtomicBool>,
    ) -> Self {
        let batch = Vec::with_capacity(AT_ONCE);
        Self {
            store,
            clock,
            backlog: Mutex::new(Backlog { queue, batch }),
            failing,
        }
    }

    /// Runs until the last `Settler` is dropped.
    pub(crate) async fn run(self: Arc<Self>) {
        let mut backlog = self.backlog.lock().await;
        let Backlog { queue, batch } = &mut *backlog;
        let _fails = FailsOnPanic(&self.failing);
        let (mut backoff, mut load) = (BACKOFF.0, Load::new(GATHERED.1));
        let mut began = Instant::now();
        loop {
            if batch.is_empty() {
                self.failing.store(false, Ordering::Relaxed);
                backoff = BACKOFF.0;
                let come = queue.recv_many(batch, AT_ONCE).await;
                if come == 0 {
                    return;
                }
                if load.is_high() {
                    gather(queue, batch, began + APART).await;
                }
                load.add(batch.len());
                began = Instant::now();
            }
            self.record_all(batch).await;
            if batch.is_empty() {
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

    /// Records the batch, and leaves in it those that must be tried again.
    async fn record_all(&self, batch: &mut Vec<PendingOutcome>) {
        match self.record(batch).await {
            Ok(settled) => batch
                .drain(..)
                .zip(settled)
                .for_each(|(waiting, settled)| tell(waiting, settled)),
            Err(error) => {
                self.failing.store(true, Ordering::Relaxed);
                meter::settle_failure();
                let waiting = batch.len();
                guarded(|| tracing::warn!(%error, waiting, "cannot record outcomes; trying again"));
                if !error.is_transient() {
                    self.record_one_by_one(batch).await;
                }
            }
        }
    }

    /// Records them separately, so that one that cannot be stored does not delay the others.
    async fn record_one_by_one(&self, batch: &mut Vec<PendingOutcome>) {
        let mut at = 0;
        while let Some(waiting) = batch.get_mut(at) {
            match self.record(slice::from_ref(waiting)).await {
                Ok(settled) => {
                    let waiting = batch.remove(at);
                    if let Some(settled) = settled.first() {
                        tell(waiting, *settled);
                    }
                }
                Err(error) => {
                    waiting.refusals += u32::from(!error.is_transient());
                    if waiting.refusals < REFUSALS {
                        at += 1;
                        continue;
                    }
                    let id = batch.remove(at).settlement.claim.delivery.0;
                    guarded(|| tracing::error!(id, %error, "the store refuses an outcome"));
                }
            }
        }
    }

    /// Records the batch, and reports that recording fails while the store is slow.
    async fn record(&self, batch: &[PendingOutcome]) -> Result<Vec<Settled>, StoreError> {
        let mut recorded = pin!(self.record_whenever(batch));
        if let Ok(in_time) = tokio::time::timeout(LATE, &mut recorded).await {
            return in_time;
        }
        self.failing.store(true, Ordering::Relaxed);
        let waiting = batch.len();
        guarded(|| tracing::warn!(waiting, "recording outcomes takes long"));
        recorded.await
    }

    /// Records in a separate task, so that a store that panics affects only this call.
    async fn record_whenever(&self, batch: &[PendingOutcome]) -> Result<Vec<Settled>, StoreError> {
        let now = self.clock.now()?;
        let settlements: Vec<_> = batch.iter().map(|w| w.settlement.clone()).collect();
        let store = self.store.clone();
        tokio::spawn(async move { store.settle(settlements, now).await })
            .await
            .unwrap_or_else(|panic| {
                Err(StoreError::new(ErrorKind::Corrupt, "the store panicked").with_source(panic))
            })
    }
}

/// Notifies the worker, if it still waits.
fn tell(waiting: PendingOutcome, settled: Settled) {
    let _ = waiting.done.send(settled);
}
