//! Notices to the platform.

use std::fmt;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use webhook_model::{OwnerId, WebhookId};

use crate::guard::guarded;

/// The maximum number of concurrent callbacks; further notices are delayed while they hang.
const AT_ONCE: usize = 4;
/// The maximum number of waiting notices that are given only once; further ones are dropped.
const WAITING: usize = 1_000;

/// Something that happened to a webhook or an owner.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Notice {
    /// The target responded with `410 Gone`. At most once an hour for each webhook; once a minute
    /// if it was changed in between, as by being enabled again.
    Gone {
        /// The webhook.
        webhook: WebhookId,
    },
    /// All attempts have failed for the time set in the [`DisablePolicy`](crate::DisablePolicy), or
    /// for 5 days.
    Failing {
        /// The webhook.
        webhook: WebhookId,
    },
    /// The engine has disabled the webhook, by the platform's policy.
    Disabled {
        /// The webhook.
        webhook: WebhookId,
    },
    /// Deliveries of an owner were counted instead of stored, because the owner had as many pending
    /// deliveries as allowed, or one occurrence ran too many of the owner's tasks. At most one
    /// notice a minute for each owner.
    Rejected {
        /// The owner.
        owner: OwnerId,
        /// The number since the previous notice.
        count: u64,
    },
}

/// Receives notices. The engine calls it on a thread that may block. A callback that panics is
/// logged; one that hangs delays no delivery. While four are running, further notices wait: for one
/// of them to end (1,000 at most, more are lost), for the next attempt that causes them, or for
/// their owner's next minute. Notices that wait when the process ends are lost.
pub trait Observer: fmt::Debug + Send + Sync + 'static {
    /// Receives one notice.
    fn notice(&self, notice: Notice);
}

/// An observer that ignores all notices: the default.
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

    /// Gives the notice if a callback may run now. Returns whether it did: if not, the caller must
    /// try again later.
    pub(crate) fn notify(&self, notice: Notice) -> bool {
        guarded(|| tracing::info!(?notice, "webhook notice"));
        let Ok(permit) = self.room.clone().try_acquire_owned() else {
            guarded(|| tracing::error!("the platform's observer hangs; a notice is put off"));
            return false;
        };
        self.call(notice, permit);
        true
    }

    /// As [`notify`](Self::notify), for a notice that no later event causes again: it waits for its
    /// turn, unless the queue is full.
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

    /// Calls the observer on a separate thread, which holds the permit.
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
        /// Waits until no callback runs.
        pub(crate) async fn idle(&self) {
            let all = u32::try_from(AT_ONCE).unwrap();
            drop(self.room.acquire_many(all).await.unwrap());
        }
    }

    /// Passes notices on; panics if the receiver was dropped.
    #[derive(Debug)]
    struct PassesOn(mpsc::Sender<Notice>);

    impl Observer for PassesOn {
        fn notice(&self, notice: Notice) {
            self.0.send(notice).unwrap();
        }
    }

    #[tokio::test]
    async fn panicking_callback_frees_its_permit() {
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
