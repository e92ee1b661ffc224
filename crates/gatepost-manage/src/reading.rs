//! Whose turn it is to read a list: a user who asks for many at once waits for himself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use gatepost_keys::OwnerId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Lists that are read for one user at a time: fewer than a store has room for.
const AT_ONCE: usize = 1;

/// Those who read, or wait for their turn.
#[derive(Debug, Default)]
pub(crate) struct Reading(Mutex<HashMap<OwnerId, Weak<Semaphore>>>);

impl Reading {
    /// Returns when it is this user's turn, which lasts for as long as what is returned is kept.
    pub(crate) async fn turn(&self, user: OwnerId) -> Option<OwnedSemaphorePermit> {
        self.of(user).acquire_owned().await.ok()
    }

    fn of(&self, user: OwnerId) -> Arc<Semaphore> {
        let mut users = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = users.get(&user).and_then(Weak::upgrade) {
            return own;
        }
        users.retain(|_, own| own.strong_count() > 0);
        let own = Arc::new(Semaphore::new(AT_ONCE));
        users.insert(user, Arc::downgrade(&own));
        own
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    const HIM: OwnerId = OwnerId(1);

    #[tokio::test(start_paused = true)]
    async fn who_reads_many_lists_at_once_waits_for_himself_alone() {
        let reading = Reading::default();
        let first = reading.turn(HIM).await;
        let mut second = pin!(reading.turn(HIM));
        let waited = timeout(Duration::from_secs(1), second.as_mut()).await;
        assert!(waited.is_err(), "he waits");
        for other in 2..100 {
            let theirs = timeout(Duration::ZERO, reading.turn(OwnerId(other))).await;
            assert!(theirs.unwrap().is_some(), "nobody waits for him");
        }
        drop(first);
        assert!(second.await.is_some());
        assert!(reading.0.lock().unwrap().len() <= 2, "users are forgotten");
    }
}
