//! Long work of requests: a few at a time, and one for each user, so that users with much of it
//! only delay themselves.

use std::sync::Arc;

use gatepost_manage::Turns;
use tokio::sync::Semaphore;
use webhook_model::OwnerId;

use crate::apart::apart;
use crate::error::Result;

/// The number of users whose work runs at the same time.
const AT_ONCE: usize = 2;

/// The queue of long work.
#[derive(Debug)]
pub(crate) struct Aside {
    users: Turns,
    /// The permits for users at the head of their queues.
    room: Arc<Semaphore>,
}

impl Default for Aside {
    fn default() -> Self {
        Self {
            users: Turns::default(),
            room: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }
}

impl Aside {
    /// Runs the work for this user. Its permit lasts to the end of the work, even if the request
    /// was dropped.
    ///
    /// # Errors
    /// 429 if too many calls of the user wait, or one waits too long; the errors of the work; 500
    /// if it panics.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        user: OwnerId,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let own = self.users.turn(user).await?;
        let room = self.room.clone().acquire_owned().await;
        apart(move || {
            let result = work();
            drop((own, room));
            result
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use gatepost_manage::ManageError;
    use tokio::task::JoinSet;

    use super::*;

    const HIM: OwnerId = OwnerId(1);

    #[tokio::test]
    async fn heavy_user_in_blocking_pool_delays_no_other() {
        let aside = Arc::new(Aside::default());
        let (end, ended) = channel::<()>();
        let ended = Arc::new(Mutex::new(ended));
        let mut his = JoinSet::new();
        // One runs, and the maximum number waits.
        for _ in 0..33 {
            let (aside, ended) = (aside.clone(), ended.clone());
            let work = move || ended.lock().unwrap().recv().or(Ok(()));
            his.spawn(async move { aside.run(HIM, work).await });
        }
        tokio::task::yield_now().await;
        for other in 2..20 {
            let done = aside.run(OwnerId(other), move || Ok(other)).await;
            assert_eq!(done, Ok(other));
        }
        // A further call is refused.
        let refused = aside.run(HIM, || Ok(())).await;
        let retry_after = Duration::from_secs(5);
        assert_eq!(refused, Err(ManageError::TooFast { retry_after }.into()));
        drop(end);
        for done in his.join_all().await {
            assert_eq!(done, Ok(()));
        }
        assert_eq!(aside.run(HIM, || Ok(1)).await, Ok(1));
    }
}
