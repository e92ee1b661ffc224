//! What the platform may want to be notified of.

use std::fmt;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use webhook_model::{OwnerId, WebhookId};

use crate::guard::guarded;

/// Callbacks that may run at the same time; further notices are given later while they hang.
const AT_ONCE: usize = 4;
/// Notices that may wait for a place, of those that have no other chance; more are dropped.
const WAITING: usize = 1_000;

/// Something that happened to a webhook or an owner.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Notice {
    /// The target responded with `410 Gone`. At most once an hour for each webhook; once a minute
    /// where it was changed in between, as by being enabled again.
    Gone {
        /// The webhook.
        webhook: WebhookId,
    },
    /// Attempts have done nothing but fail for the time set in the
    /// [`DisablePolicy`](crate::DisablePolicy), or for 5 days.
    Failing {
        /// The webhook.
        webhook: WebhookId,
    },
    /// The engine has disabled the webhook, by the platform's policy.
    Disabled {
        /// The webhook.
        webhook: WebhookId,
    },
    /// Deliveries of an owner were counted instead of stored, because the owner had as many waiting
    /// as allowed, or one occurrence ran too many of the owner's tasks. At most one notice a
    /// minute for each owner.
    Dropped {
        /// The owner.
        owner: OwnerId,
        /// How many since the notice before.
        count: u64,
    },
}

/// Receives notices. Called on a thread where it may block; a callback that panics is logged, one
/// that hangs holds up no delivery. While four are under way, further notices wait: for one of them
/// to end (1,000 at most, more are lost), for the next attempt that would give them, or for their
/// owner's next minute. What waits when the process ends is lost.
pub trait Observer: fmt::Debug + Send + Sync + 'static {
    /// Something happened.
    fn notice(&self, notice: Notice);
}

/// Nobody listens: the default.
#[derive(Debug)]
pub(crate) struct Nobody;

impl Observer for Nobody {
    fn notice(&self, _notice: Notice) {}
}

#[derive(Clone, Debug)]
pub(crate) struct Observers {
    observer: Arc<dyn Observer>,
    room: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

impl Observers {
    pub(crate) fn new(observer: Arc<dyn Observer>) -> Self {
        Self {
            observer,
            room: Arc::new(Semaphore::new(AT_ONCE)),
            waiting: Arc::new(Semaphore::new(WAITING)),
        }
    }

    /// Whether there was a place for it: what found none is to be given another time.
    pub(crate) fn notify(&self, notice: Notice) -> bool {
        guarded(|| tracing::info!(?notice, "webhook notice"));
        let Ok(permit) = self.room.clone().try_acquire_owned() else {
            guarded(|| tracing::error!("the platform's observer hangs; a notice is put off"));
            return false;
        };
        self.call(notice, permit);
        true
    }

    /// As [`notify`](Self::notify), for what is given by nothing that comes later: it waits for a
    /// place, unless very many do.
    pub(crate) async fn notify_once(&self, notice: Notice) {
        guarded(|| tracing::info!(?notice, "webhook notice"));
        let Ok(_waits) = self.waiting.try_acquire() else {
            guarded(|| tracing::error!("the platform's observer hangs; dropping a notice"));
            return;
        };
        if let Ok(permit) = self.room.clone().acquire_owned().await {
            self.call(notice, permit);
        }
    }

    /// Calls the platform on a thread of its own, which has that place.
    fn call(&self, notice: Notice, permit: OwnedSemaphorePermit) {
        let observer = self.observer.clone();
        tokio::task::spawn_blocking(move || {
            let _permit = permit;
            if guarded(|| observer.notice(notice)).is_none() {
                guarded(|| tracing::error!("the platform's observer panicked"));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    impl Observers {
        /// Until no callback runs.
        pub(crate) async fn idle(&self) {
            let all = u32::try_from(AT_ONCE).unwrap();
            drop(self.room.acquire_many(all).await.unwrap());
        }
    }

    /// Passes notices on; panics when nobody listens any more.
    #[derive(Debug)]
    struct PassesOn(mpsc::Sender<Notice>);

    impl Observer for PassesOn {
        fn notice(&self, notice: Notice) {
            self.0.send(notice).unwrap();
        }
    }

    #[tokio::test]
    async fn a_callback_that_panics_leaves_room_for_the_next() {
        let (passed_on, notices) = mpsc::channel();
        let observers = Observers::new(Arc::new(PassesOn(passed_on)));
        let webhook = WebhookId(1);
        observers.notify(Notice::Gone { webhook });
        assert_eq!(notices.recv().unwrap(), Notice::Gone { webhook });
        drop(notices);
        for _ in 0..2 * AT_ONCE {
            observers.notify(Notice::Failing { webhook });
            observers.idle().await;
        }
        assert_eq!(observers.room.available_permits(), AT_ONCE);
    }
}
