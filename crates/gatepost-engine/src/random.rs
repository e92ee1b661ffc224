//! Random numbers: message ids, `${RANDOM}`, jitter.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::MessageId;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// The engine's random numbers: message ids, `${RANDOM}`, jitter.
pub(crate) struct Random(Mutex<StdRng>);

impl Random {
    /// Creates a generator that is seeded by the operating system.
    pub(crate) fn from_system() -> Self {
        Self(Mutex::new(StdRng::from_rng(&mut rand::rng())))
    }

    /// Creates a generator with repeatable numbers; for tests.
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(Mutex::new(StdRng::seed_from_u64(seed)))
    }

    pub(crate) fn with<R>(&self, draw: impl FnOnce(&mut StdRng) -> R) -> R {
        draw(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns a fresh message id.
    pub(crate) fn message_id(&self, now: DateTime<Utc>) -> MessageId {
        MessageId::new(now, self.bits())
    }

    /// Returns a fresh message id of a test.
    pub(crate) fn test_id(&self, now: DateTime<Utc>) -> MessageId {
        MessageId::of_test(now, self.bits())
    }

    fn bits(&self) -> u128 {
        self.with(|rng| u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64()))
    }
}

impl fmt::Debug for Random {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Random")
    }
}
