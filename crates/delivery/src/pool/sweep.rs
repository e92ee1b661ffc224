//! Closes what lies idle too long, so that no descriptor is held for nothing.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError, Weak};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::{Pool, Shelves};

/// Sweeps every half idle time until the pool is empty or gone.
pub(super) fn start(pool: Weak<Pool>, idle_for: Duration) {
    let pause = (idle_for / 2).max(Duration::from_millis(50));
    tokio::spawn(async move {
        loop {
            sleep(pause).await;
            let Some(pool) = pool.upgrade() else { return };
            if !pool.sweep() {
                pool.sweeping.store(false, Relaxed);
                return;
            }
        }
    });
}

impl Pool {
    /// Sweeps once; says whether anything is left.
    fn sweep(&self) -> bool {
        let now = Instant::now();
        let verified = sweep_level(&self.verified, self.limits.idle_for, now);
        let insecure = sweep_level(&self.insecure, self.limits.idle_for, now);
        verified || insecure
    }
}

fn sweep_level(shelves: &Shelves, idle_for: Duration, now: Instant) -> bool {
    let mut shelves = shelves.write().unwrap_or_else(PoisonError::into_inner);
    // A shelf that an attempt holds stays: its connection may be about to come back.
    shelves.retain(|_, shelf| shelf.sweep(idle_for, now) || Arc::strong_count(shelf) > 1);
    !shelves.is_empty()
}
