//! How often an owner may do something in a minute.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gatepost_ids::OwnerId;
use tokio::time::Instant;

const MINUTE: Duration = Duration::from_secs(60);
/// Owners who did something in the last minute.
const MOST: usize = 65_536;
/// How often those who may do as much as ever are looked for.
const SWEEP: Duration = Duration::from_secs(1);

/// When each owner's allowance is whole again: each use moves that by its share of a minute.
#[derive(Debug)]
pub(in crate::judge) struct Rates(Mutex<Whole>);

#[derive(Debug)]
struct Whole {
    again: HashMap<OwnerId, Instant>,
    swept: Instant,
}

impl Rates {
    pub(in crate::judge) fn new() -> Self {
        Self(Mutex::new(Whole {
            again: HashMap::new(),
            swept: Instant::now(),
        }))
    }

    /// Uses a number of what is allowed in a minute. More than all of it at once needs the whole
    /// allowance, and the time that it takes is waited for afterwards: over a longer time the rate
    /// holds whatever the numbers are.
    ///
    /// # Errors
    /// After which time it may be tried again.
    pub(in crate::judge) fn take(
        &self,
        owner: OwnerId,
        count: u32,
        in_a_minute: u32,
    ) -> Result<(), Duration> {
        if count == 0 || in_a_minute == u32::MAX {
            return Ok(());
        }
        let Some(share) = MINUTE.checked_div(in_a_minute) else {
            return Err(MINUTE);
        };
        let now = Instant::now();
        let mut whole = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let owed = whole.owed(owner, now);
        let needed = owed + share.saturating_mul(count.min(in_a_minute));
        if needed > MINUTE {
            return Err(needed - MINUTE);
        }
        whole.put(owner, now, owed.saturating_add(share.saturating_mul(count)));
        Ok(())
    }

    /// What was taken of what is allowed in a minute was not used.
    pub(in crate::judge) fn give_back(&self, owner: OwnerId, count: u32, in_a_minute: u32) {
        let Some(share) = MINUTE.checked_div(in_a_minute) else {
            return;
        };
        let mut whole = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(again) = whole.again.get_mut(&owner) {
            let before = again.checked_sub(share.saturating_mul(count));
            *again = before.unwrap_or(*again);
        }
    }

    /// How much of what is allowed in a minute is used now.
    pub(in crate::judge) fn used(&self, owner: OwnerId, in_a_minute: u32) -> u32 {
        let Some(share) = MINUTE
            .checked_div(in_a_minute)
            .filter(|share| !share.is_zero())
        else {
            return 0;
        };
        let whole = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let uses = whole
            .owed(owner, Instant::now())
            .as_nanos()
            .div_ceil(share.as_nanos());
        u32::try_from(uses).unwrap_or(u32::MAX)
    }
}

impl Whole {
    fn owed(&self, owner: OwnerId, now: Instant) -> Duration {
        let again = self.again.get(&owner);
        again.map_or(Duration::ZERO, |again| again.saturating_duration_since(now))
    }

    fn put(&mut self, owner: OwnerId, now: Instant, owed: Duration) {
        if self.again.len() >= MOST && now - self.swept >= SWEEP {
            self.again.retain(|_, again| *again > now);
            self.swept = now;
        }
        // Where more owners than that are at it, the last of them are not counted.
        if (self.again.len() < MOST || self.again.contains_key(&owner))
            && let Some(again) = now.checked_add(owed)
        {
            self.again.insert(owner, again);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: OwnerId = OwnerId(1);

    #[tokio::test(start_paused = true)]
    async fn so_much_in_a_minute_then_as_much_as_time_gives_back() {
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
    async fn more_than_a_minute_allows_is_paid_back_before_anything_else() {
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
    async fn nothing_allowed_is_nothing_and_no_limit_is_none() {
        let rates = Rates::new();
        assert_eq!(rates.take(OWNER, 1, 0), Err(MINUTE));
        assert_eq!(rates.take(OWNER, 0, 0), Ok(()));
        assert_eq!(rates.take(OWNER, u32::MAX, u32::MAX), Ok(()));
        assert_eq!(rates.take(OWNER, u32::MAX, u32::MAX), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_hundred_thousand_owners_take_no_more_than_their_room_and_make_it_again() {
        let rates = Rates::new();
        let all = |rates: &Rates| {
            for n in 0..100_000 {
                let _ = rates.take(OwnerId(n), 60, 60);
            }
        };
        all(&rates);
        let count = || rates.0.lock().unwrap().again.len();
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
