//! What takes long is done beside the requests: a few at a time, and one of each user, so that a
//! user who asks for much of it waits for himself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::Semaphore;
use webhook_model::OwnerId;

use crate::apart::apart;
use crate::error::ApiError;

/// Users who have their turn at a time.
const AT_ONCE: usize = 2;

/// Whose turn it is.
#[derive(Debug)]
pub(crate) struct Aside {
    room: Arc<Semaphore>,
    /// Those who have their turn or wait for it.
    users: Mutex<HashMap<OwnerId, Weak<Semaphore>>>,
}

impl Default for Aside {
    fn default() -> Self {
        Self {
            room: Arc::new(Semaphore::new(AT_ONCE)),
            users: Mutex::default(),
        }
    }
}

impl Aside {
    /// Does the work for this user. The turn lasts to the end of the work, though the request may
    /// be gone by then.
    ///
    /// # Errors
    /// Those of the work; 500 if it panics.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        user: OwnerId,
        work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let own = self.own(user).acquire_owned().await;
        let room = self.room.clone().acquire_owned().await;
        apart(move || {
            let result = work();
            drop((own, room));
            result
        })
        .await
    }

    /// The one place of a user.
    fn own(&self, user: OwnerId) -> Arc<Semaphore> {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = users.get(&user).and_then(Weak::upgrade) {
            return own;
        }
        users.retain(|_, own| own.strong_count() > 0);
        let own = Arc::new(Semaphore::new(1));
        users.insert(user, Arc::downgrade(&own));
        own
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use tokio::task::JoinSet;

    use super::*;

    const HIM: OwnerId = OwnerId(1);

    #[tokio::test]
    async fn others_do_not_wait_for_one_who_asks_for_much() {
        let aside = Arc::new(Aside::default());
        let (end, ended) = channel::<()>();
        let ended = Arc::new(Mutex::new(ended));
        let mut his = JoinSet::new();
        for _ in 0..50 {
            let (aside, ended) = (aside.clone(), ended.clone());
            let work = move || ended.lock().unwrap().recv().or(Ok(()));
            his.spawn(async move { aside.run(HIM, work).await });
        }
        tokio::task::yield_now().await;
        for other in 2..20 {
            let done = aside.run(OwnerId(other), move || Ok(other)).await;
            assert_eq!(done, Ok(other));
        }
        drop(end);
        for done in his.join_all().await {
            assert_eq!(done, Ok(()));
        }
        assert_eq!(aside.run(HIM, || Ok(1)).await, Ok(1));
        assert_eq!(aside.users.lock().unwrap().len(), 1);
    }
}
