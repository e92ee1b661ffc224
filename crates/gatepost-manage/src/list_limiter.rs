//! A limit of concurrent lists: users with many requests only delay themselves.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use gatepost_keys::OwnerId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::error::ManageError;

/// The maximum number of waiting calls of one user; more are refused.
const WAITING: usize = 32;
/// The maximum time that a call waits: longer than a few lists that each take as long as a store
/// allows.
const PATIENCE: Duration = Duration::from_secs(30);
/// The time after which a refused call may be retried: most waiting calls have run by then.
const SOON: Duration = Duration::from_secs(5);

/// A limit for long operations, such as lists: each user may run one at a time, and waits only for
/// the user's own calls. It counts within this process. An idle user takes no memory.
#[derive(Debug, Default)]
pub struct Turns(Mutex<HashMap<OwnerId, Weak<Semaphore>>>);

/// The permit of a user; dropping it lets the next call run.
#[derive(Debug)]
#[must_use = "the turn ends when this is dropped"]
pub struct Turn {
    _own: OwnedSemaphorePermit,
}

impl Turns {
    /// Waits until this user may run a call: first come, first served. Must be called within a
    /// tokio runtime.
    ///
    /// # Errors
    /// [`ManageError::TooFast`]: 32 calls of this user wait already, or this one has waited for
    /// 30 seconds.
    pub async fn turn(&self, user: OwnerId) -> Result<Turn, ManageError> {
        let too_fast = || ManageError::TooFast { retry_after: SOON };
        let place = self.place(user).ok_or_else(too_fast)?;
        let own = timeout(PATIENCE, place.acquire_owned()).await;
        let own = own.ok().and_then(Result::ok).ok_or_else(too_fast)?;
        Ok(Turn { _own: own })
    }

    /// Returns the semaphore of a user; `None` if the maximum number of calls waits for it.
    fn place(&self, user: OwnerId) -> Option<Arc<Semaphore>> {
        let mut users = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = users.get(&user).and_then(Weak::upgrade) {
            // One of the others holds the permit, the rest wait: each holds a reference.
            let others = Arc::strong_count(&place) - 1;
            return (others <= WAITING).then_some(place);
        }
        users.retain(|_, place| place.strong_count() > 0);
        let place = Arc::new(Semaphore::new(1));
        users.insert(user, Arc::downgrade(&place));
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use tokio::time::Instant;

    use super::*;

    const HIM: OwnerId = OwnerId(1);

    fn is_refused(turn: &Result<Turn, ManageError>) -> bool {
        matches!(turn, Err(ManageError::TooFast { retry_after }) if *retry_after == SOON)
    }

    /// Returns whether the call still waits after it was polled.
    async fn waits(turn: impl Future<Output = Result<Turn, ManageError>>) -> bool {
        timeout(Duration::ZERO, turn).await.is_err()
    }

    #[tokio::test(start_paused = true)]
    async fn list_limiter_delays_only_busy_user_then_forgets() {
        let turns = Turns::default();
        let first = turns.turn(HIM).await.unwrap();
        let mut second = pin!(turns.turn(HIM));
        assert!(waits(second.as_mut()).await);
        for other in 2..100 {
            let theirs = timeout(Duration::ZERO, turns.turn(OwnerId(other))).await;
            assert!(theirs.unwrap().is_ok(), "nobody waits for him");
        }
        drop(first);
        let second = second.await.unwrap();
        assert!(turns.0.lock().unwrap().len() <= 2, "users are forgotten");
        drop(second);
        drop(turns.turn(OwnerId(2)).await.unwrap());
        assert_eq!(turns.0.lock().unwrap().len(), 1, "user 2, too");
    }

    #[tokio::test(start_paused = true)]
    async fn lists_of_a_user_wait_then_are_refused() {
        let turns = Turns::default();
        let first = turns.turn(HIM).await.unwrap();
        let mut waiting: Vec<_> = (0..WAITING).map(|_| Box::pin(turns.turn(HIM))).collect();
        for one in &mut waiting {
            assert!(waits(one.as_mut()).await);
        }
        assert!(is_refused(&turns.turn(HIM).await));
        assert!(turns.turn(OwnerId(2)).await.is_ok(), "others are not");
        drop(waiting.pop());
        let mut last = pin!(turns.turn(HIM));
        assert!(waits(last.as_mut()).await, "one may wait");
        assert!(is_refused(&turns.turn(HIM).await));
        drop(first);
        for one in waiting {
            assert!(one.await.is_ok(), "each has its turn");
        }
        assert!(last.await.is_ok());
        assert!(turns.turn(HIM).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_longer_than_half_a_minute() {
        let turns = Turns::default();
        let first = turns.turn(HIM).await.unwrap();
        let began = Instant::now();
        assert!(is_refused(&turns.turn(HIM).await));
        let waited = began.elapsed();
        let a_little_more = PATIENCE + Duration::from_secs(1);
        assert!((PATIENCE..a_little_more).contains(&waited), "{waited:?}");
        drop(first);
        assert!(turns.turn(HIM).await.is_ok(), "not counted any more");
    }
}
