//! The task that stores waiting entries and removes old ones.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use gatepost_storage::audit::{AuditEntry, AuditRemoval};

use super::shared::Shared;
use crate::completion::caught;

/// The number of entries stored in one commit.
const BATCH: usize = 256;
/// The number of entries removed in one commit.
pub(super) const BITE: u32 = 1_000;
/// The pause after a failure of the store.
const PAUSE: Duration = Duration::from_secs(1);
/// The interval between searches for old entries.
const TRIM_EVERY: TimeDelta = TimeDelta::hours(1);

/// Runs until nothing is left to do; the next entry starts it again.
pub(super) async fn run(log: Arc<Shared>) {
    loop {
        let batch = log.buffer().first(BATCH);
        if !batch.is_empty() && !store(&log, &batch).await {
            tokio::time::sleep(PAUSE).await;
            continue;
        }
        let more = trim(&log).await;
        if !more && log.buffer().rest() {
            return;
        }
    }
}

/// Stores entries. Returns whether they are finished: stored, or refused permanently.
async fn store(log: &Shared, batch: &[AuditEntry]) -> bool {
    let stored = caught(log.store.append_audit(batch, log.kept_of_owner)).await;
    match stored {
        Some(Ok(())) => {}
        Some(Err(error)) if !error.is_transient() => {
            tracing::error!(%error, "the audit log refused entries");
            log.lose(batch.len() as u64);
        }
        failed => {
            let error = failed.and_then(Result::err);
            tracing::warn!(?error, "the audit log is not available");
            return false;
        }
    }
    let done = log.buffer().remove(batch.len());
    log.done.send_replace(done);
    true
}

/// Removes some old entries, once an hour. Returns whether there are more.
async fn trim(log: &Shared) -> bool {
    let now = log.clock.now();
    let last = log.buffer().trimmed;
    if last.is_some_and(|last| now.signed_duration_since(last).abs() < TRIM_EVERY) {
        return false;
    }
    let old = AuditRemoval::Before(log.kept_from());
    let removed = caught(log.store.remove_audit(old, BITE)).await;
    if let Some(Ok(removed)) = removed
        && removed >= u64::from(BITE)
    {
        return true;
    }
    log.buffer().trimmed = Some(now);
    false
}
