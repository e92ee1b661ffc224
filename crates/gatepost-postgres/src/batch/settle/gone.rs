//! Whether something is gone that settlements have nothing to do with.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How long the careful form of the common statement is used after the short one was in vain.
const REMEMBERED: Duration = Duration::from_secs(60);

/// The short form of the common statement stores nothing while anything in the store is gone.
/// Where that is what kept something from being stored, more of the kind is to be expected.
#[derive(Default)]
pub(super) struct GoneElsewhere(Mutex<Option<Instant>>);

impl GoneElsewhere {
    pub(super) fn is_likely(&self) -> bool {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.is_some_and(|at| at.elapsed() < REMEMBERED)
    }

    /// Something was refused of which nothing is gone or stale.
    pub(super) fn seen(&self) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *seen = Some(Instant::now());
    }
}
