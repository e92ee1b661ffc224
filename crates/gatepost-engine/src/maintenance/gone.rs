//! What was deleted is only marked; here it is removed, a little at a time.

use std::sync::Arc;
use std::time::Duration;

use gatepost_storage::StoreError;
use tokio::time::Instant;

use super::chores::{BREATH, Maintenance};
use crate::guard::guarded;

const LEASE: &str = "remove what is gone";
/// How long the lease lasts, and after which part of that it is extended.
const LEASED: Duration = Duration::from_secs(60);
const EXTENDED: Duration = Duration::from_secs(30);
/// How often is looked for something to remove.
const LOOK: Duration = Duration::from_secs(5);
/// Removing may take a tenth of the time: it rests as many times longer than it worked.
const REST: u32 = 9;
/// A bite that took longer was too large for those who want to write. A store in a file cuts it
/// into shorter transactions of its own.
const LONG: Duration = Duration::from_millis(20);
/// After one that took less, the next is larger.
const SHORT: Duration = Duration::from_millis(10);
const SMALLEST: u32 = 50;
const LARGEST: u32 = 2_000;

/// How many rows are removed at a time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Bite(u32);

impl Maintenance {
    /// Removes what is gone, one process at a time, until the engine stops.
    pub(crate) async fn remove_gone(self: Arc<Self>) {
        let (mut bite, mut leased) = (Bite(SMALLEST), None::<Instant>);
        while self.core.lifecycle.is_running() {
            if leased.is_none_or(|at| at.elapsed() >= EXTENDED) {
                leased = self.core.has_lease(LEASE, LEASED).await.then(Instant::now);
            }
            let pause = match leased {
                Some(_) => self.remove_bite(&mut bite).await,
                None => LEASED,
            };
            self.core.lifecycle.rest(pause).await;
        }
    }

    /// Returns how long to rest.
    async fn remove_bite(&self, bite: &mut Bite) -> Duration {
        let (limit, began) = (bite.0, Instant::now());
        let removed = self.removed(limit).await;
        let took = began.elapsed();
        *bite = bite.after(took);
        let rest = (took * REST).max(BREATH);
        match removed {
            Ok(removed) if removed >= u64::from(limit) => rest,
            Ok(_) => rest.max(LOOK),
            Err(error) => {
                guarded(|| tracing::warn!(%error, "could not remove what is gone"));
                rest.max(LOOK)
            }
        }
    }

    async fn removed(&self, limit: u32) -> Result<u64, StoreError> {
        self.core
            .store
            .remove_gone(limit, self.core.clock.now()?)
            .await
    }
}

impl Bite {
    fn after(self, took: Duration) -> Self {
        let next = if took > LONG {
            self.0 / 2
        } else if took < SHORT {
            self.0.saturating_mul(2)
        } else {
            self.0
        };
        Self(next.clamp(SMALLEST, LARGEST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bites_shrink_while_they_take_long_and_grow_while_they_do_not() {
        let bite = Bite(SMALLEST);
        assert_eq!(bite.after(SHORT), bite);
        assert_eq!(bite.after(LONG), bite);
        let grown = (0..20).fold(bite, |bite, _| bite.after(Duration::ZERO));
        assert_eq!(grown, Bite(LARGEST));
        let shrunk = (0..20).fold(grown, |bite, _| bite.after(LONG * 2));
        assert_eq!(shrunk, Bite(SMALLEST));
    }
}
