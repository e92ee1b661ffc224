//! A limit on concurrent questions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gatepost_ids::Realm;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::guard::PATIENCE;

/// Questions under way.
const ALL: usize = 64;
/// The limit for one realm: if the platform hangs for one tenant, the others are still answered.
const OF_ONE_PLACE: usize = 16;

/// Cheap to clone; clones share their state.
#[derive(Clone, Debug)]
pub(super) struct KeyedLimiter {
    all: Arc<Semaphore>,
    /// Has at most as many entries as there are realms with a question that is under way or waits.
    of: Arc<Mutex<HashMap<Realm, Arc<Semaphore>>>>,
}

impl KeyedLimiter {
    pub(super) fn new() -> Self {
        Self {
            all: Arc::new(Semaphore::new(ALL)),
            of: Arc::default(),
        }
    }

    /// Enters a question; waits for its turn, for at most [`PATIENCE`]. Questions of one realm wait
    /// behind each other before they wait behind others.
    pub(super) async fn enter(&self, place: Realm) -> Option<Admitted> {
        let mut entered = self.come(place);
        let (of, all) = (entered.semaphore.clone(), self.all.clone());
        let permits = async {
            Some([
                of.acquire_owned().await.ok()?,
                all.acquire_owned().await.ok()?,
            ])
        };
        entered.permits = Some(timeout(PATIENCE, permits).await.ok()??);
        Some(entered)
    }

    /// As [`enter`](Self::enter); does not wait.
    pub(super) fn try_enter(&self, place: Realm) -> Option<Admitted> {
        let mut entered = self.come(place);
        let of = entered.semaphore.clone().try_acquire_owned().ok()?;
        entered.permits = Some([of, self.all.clone().try_acquire_owned().ok()?]);
        Some(entered)
    }

    fn come(&self, place: Realm) -> Admitted {
        let mut of = self.lock();
        let new = || Arc::new(Semaphore::new(OF_ONE_PLACE));
        Admitted {
            semaphore: of.entry(place).or_insert_with(new).clone(),
            permits: None,
            limiter: self.clone(),
            place,
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Realm, Arc<Semaphore>>> {
        self.of.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question that waits or is under way, until it is dropped.
#[derive(Debug)]
pub(super) struct Admitted {
    limiter: KeyedLimiter,
    place: Realm,
    semaphore: Arc<Semaphore>,
    permits: Option<[OwnedSemaphorePermit; 2]>,
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.permits = None;
        let mut of = self.limiter.lock();
        // The map's reference, and this one.
        if Arc::strong_count(&self.semaphore) == 2 {
            of.remove(&self.place);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gatepost_ids::TenantId;

    use super::*;

    fn place(tenant: u128) -> Realm {
        Realm::Tenant(TenantId(tenant))
    }

    #[test]
    fn realm_gets_at_most_quarter_leaving_no_entry() {
        let limiter = KeyedLimiter::new();
        let fill = |tenant| -> Vec<_> {
            (0..100_000)
                .map_while(|_| limiter.try_enter(place(tenant)))
                .collect()
        };
        let mut under_way: Vec<_> = (0..5).map(fill).collect();
        let counts: Vec<_> = under_way.iter().map(Vec::len).collect();
        assert_eq!(counts, [16, 16, 16, 16, 0]);
        under_way.remove(0);
        assert_eq!(fill(4).len(), 16);
        under_way.clear();
        assert_eq!(limiter.all.available_permits(), 64);
        assert!(limiter.lock().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn full_realm_delays_no_other_and_times_out() {
        let limiter = KeyedLimiter::new();
        let under_way: Vec<_> = (0..16).map_while(|_| limiter.try_enter(place(1))).collect();
        let waiting: Vec<_> = (0..1_000)
            .map(|_| {
                let limiter = limiter.clone();
                tokio::spawn(async move { limiter.enter(place(1)).await.is_some() })
            })
            .collect();
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(limiter.enter(place(2)).await.is_some());
        drop(under_way);
        let mut entered = 0;
        for waiting in waiting {
            entered += usize::from(waiting.await.unwrap());
        }
        assert_eq!(entered, 1_000);
        let _under_way: Vec<_> = (0..16).map_while(|_| limiter.try_enter(place(1))).collect();
        let began = tokio::time::Instant::now();
        assert!(limiter.enter(place(1)).await.is_none());
        assert_eq!(began.elapsed(), PATIENCE);
        drop(_under_way);
        assert!(limiter.lock().is_empty());
    }
}
