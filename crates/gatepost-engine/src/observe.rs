//! What the host may want to hear of.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tokio::sync::Semaphore;
use webhook_model::WebhookId;

/// Callbacks that may run at the same time; further notices are dropped while they hang.
const AT_ONCE: usize = 4;

/// Something that happened to a webhook.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Notice {
    /// The target answered `410 Gone`.
    Gone {
        /// The webhook.
        webhook: WebhookId,
    },
    /// The target has answered nothing but failures for the time that the host set.
    Failing {
        /// The webhook.
        webhook: WebhookId,
    },
    /// The engine has disabled the webhook, by the host's policy.
    Disabled {
        /// The webhook.
        webhook: WebhookId,
    },
}

/// Hears of notices. Called on a thread where it may block; a callback that panics is logged, one
/// that hangs holds up no delivery.
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
}

impl Observers {
    pub(crate) fn new(observer: Arc<dyn Observer>) -> Self {
        Self {
            observer,
            room: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    pub(crate) fn tell(&self, notice: Notice) {
        tracing::info!(?notice, "webhook notice");
        let Ok(permit) = self.room.clone().try_acquire_owned() else {
            tracing::error!("the host's observer hangs; a notice was dropped");
            return;
        };
        let observer = self.observer.clone();
        tokio::task::spawn_blocking(move || {
            let _permit = permit;
            if catch_unwind(AssertUnwindSafe(|| observer.notice(notice))).is_err() {
                tracing::error!("the host's observer panicked");
            }
        });
    }
}
