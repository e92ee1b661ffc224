//! How the engine is doing.

use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Utc};

use crate::engine::Engine;
use crate::error::EngineError;

/// Attempts that the error rate is made of.
const WINDOW: u32 = 1000;

/// A snapshot for a status page or an alarm.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Health {
    /// Deliveries waiting in the store, those of paused webhooks included.
    pub queued: u64,
    /// Deliveries under a lease, in all processes.
    pub running: u64,
    /// The oldest due time among waiting deliveries of active webhooks.
    pub oldest_due: Option<DateTime<Utc>>,
    /// Occurrences in the outbox.
    pub outbox: u64,
    /// Requests that this process has in flight.
    pub in_flight: usize,
    /// Failures among this process' recent attempts, 0 to 1.
    pub error_rate: f64,
    /// Whether outcomes can be recorded at present.
    pub recording: bool,
}

/// Successes and failures of late: halved now and then, so that the past fades.
#[derive(Debug, Default)]
pub(crate) struct Tally(Mutex<(u32, u32)>);

impl Tally {
    pub(crate) fn count(&self, success: bool) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.0 + counts.1 >= WINDOW {
            *counts = (counts.0 / 2, counts.1 / 2);
        }
        if success {
            counts.0 += 1;
        } else {
            counts.1 += 1;
        }
    }

    fn error_rate(&self) -> f64 {
        let (good, bad) = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if bad == 0 {
            0.0
        } else {
            f64::from(bad) / f64::from(good + bad)
        }
    }
}

impl Engine {
    /// A snapshot; asks the store.
    ///
    /// # Errors
    /// When the store fails: then nothing is well.
    pub async fn health(&self) -> Result<Health, EngineError> {
        let inner = &self.inner;
        let stats = inner.store.queue_stats(inner.now()).await?;
        Ok(Health {
            queued: stats.queued,
            running: stats.running,
            oldest_due: stats.oldest_due,
            outbox: stats.outbox,
            in_flight: inner.slots.in_flight(),
            error_rate: inner.tally.error_rate(),
            recording: !inner.settle.is_failing(),
        })
    }
}
