//! Rates per owner and minute, in this process.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gatepost_ids::{MinuteRate, OwnerId};
use tokio::time::Instant;

const MINUTE: Duration = Duration::from_secs(60);
/// Owners who did something in the last minute. If there are more, they are not limited.
const MOST: usize = 65_536;
/// The interval at which full buckets are removed.
const SWEEP: Duration = Duration::from_secs(1);

/// A token bucket for each owner.
#[derive(Debug)]
pub(in crate::access) struct Rates(Mutex<Buckets>);

#[derive(Debug)]
struct Buckets {
    full_at: HashMap<OwnerId, Instant>,
    swept: Instant,
}

impl Rates {
    pub(in crate::access) fn new() -> Self {
        Self(Mutex::new(Buckets {
            full_at: HashMap::new(),
            swept: Instant::now(),
        }))
    }

    /// Uses a number of the allowance of a minute. A number above the allowance needs all of it,
    /// and the time for the rest must be waited for afterwards: over a longer time the rate holds
    /// whatever the numbers are.
    ///
    /// # Errors
    /// The time to wait before another try.
    pub(in crate::access) fn take(
        &self,
        owner: OwnerId,
        count: u32,
        in_a_minute: u32,
    ) -> Result<(), Duration> {
        if count == 0 || in_a_minute == u32::MAX {
            return Ok(());
        }
        let rate = rate(in_a_minute).ok_or(MINUTE)?;
        let now = Instant::now();
        let mut buckets = self.lock();
        let drawn = rate.draw(buckets.not_full_for(owner, now), count);
        let not_full_for = Duration::from_nanos(drawn.map_err(Duration::from_nanos)?);
        buckets.put(owner, now + not_full_for, now);
        Ok(())
    }

    /// Gives back a number that was taken but not used.
    pub(in crate::access) fn give_back(&self, owner: OwnerId, count: u32, in_a_minute: u32) {
        if let Some(rate) = rate(in_a_minute)
            && let Some(full_at) = self.lock().full_at.get_mut(&owner)
        {
            let unused = Duration::from_nanos(rate.each()).saturating_mul(count);
            *full_at = full_at.checked_sub(unused).unwrap_or(*full_at);
        }
    }

    /// Returns how much of the allowance of a minute is used at present.
    pub(in crate::access) fn used(&self, owner: OwnerId, in_a_minute: u32) -> u32 {
        let used = rate(in_a_minute).map(|rate| {
            let not_full_for = self.lock().not_full_for(owner, Instant::now());
            not_full_for.div_ceil(rate.each())
        });
        u32::try_from(used.unwrap_or_default()).unwrap_or(u32::MAX)
    }

    fn lock(&self) -> MutexGuard<'_, Buckets> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The rate. `None`: nothing is allowed.
fn rate(in_a_minute: u32) -> Option<MinuteRate> {
    NonZeroU32::new(in_a_minute).map(MinuteRate::new)
}

impl Buckets {
    /// The time until the bucket is full, in nanoseconds.
    fn not_full_for(&self, owner: OwnerId, now: Instant) -> u64 {
        let full_at = self.full_at.get(&owner);
        let left = full_at.map(|full_at| full_at.saturating_duration_since(now).as_nanos());
        u64::try_from(left.unwrap_or_default()).unwrap_or(u64::MAX)
    }

    fn put(&mut self, owner: OwnerId, full_at: Instant, now: Instant) {
        if self.full_at.len() >= MOST && now - self.swept >= SWEEP {
            self.full_at.retain(|_, full_at| *full_at > now);
            self.swept = now;
        }
        if self.full_at.len() < MOST || self.full_at.contains_key(&owner) {
            self.full_at.insert(owner, full_at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: OwnerId = OwnerId(1);

    #[tokio::test(start_paused = true)]
    async fn rate_allows_full_minute_then_refills_over_time() {
        let rates = Rates::new();
        let one = || rates.take(OWNER, 1, 60);
        assert!((0..60).all(|_| one().is_ok()));
        assert_eq!((rates.used(OWNER, 60), rates.used(OwnerId(2), 60)), (60, 0));
        assert_eq!(one(), Err(Duration::from_secs(1)));
        assert_eq!(rates.take(OWNER, 10, 60), Err(Duration::from_secs(10)));
        assert_eq!(rates.take(OwnerId(2), 60, 60), Ok(()), "another owner");
        tokio::time::advance(Duration::from_secs(2)).await;
        assert!(one().is_ok() && one().is_ok() && one().is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn take_above_rate_delays_next_until_paid_back() {
        let rates = Rates::new();
        assert_eq!(rates.take(OWNER, 180, 60), Ok(()));
        assert_eq!(rates.take(OWNER, 1, 60), Err(Duration::from_secs(121)));
        tokio::time::advance(Duration::from_secs(121)).await;
        assert_eq!(rates.take(OWNER, 1, 60), Ok(()));
        assert!(
            rates.take(OWNER, 180, 60).is_err(),
            "the allowance is not whole"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn zero_rate_allows_nothing_and_maximum_is_unlimited() {
        let rates = Rates::new();
        assert_eq!(rates.take(OWNER, 1, 0), Err(MINUTE));
        assert_eq!(rates.take(OWNER, 0, 0), Ok(()));
        assert_eq!(rates.take(OWNER, u32::MAX, u32::MAX), Ok(()));
        assert_eq!(rates.take(OWNER, u32::MAX, u32::MAX), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn rates_of_many_owners_are_bounded_and_swept() {
        let rates = Rates::new();
        let all = |rates: &Rates| {
            for n in 0..100_000 {
                let _ = rates.take(OwnerId(n), 60, 60);
            }
        };
        all(&rates);
        let count = || rates.0.lock().unwrap().full_at.len();
        assert_eq!(count(), MOST);
        assert!(
            rates.take(OwnerId(0), 1, 60).is_err(),
            "control: it was counted"
        );
        tokio::time::advance(2 * MINUTE).await;
        assert_eq!(rates.take(OwnerId(u128::MAX), 1, 60), Ok(()));
        assert_eq!(count(), 1);
    }
}
