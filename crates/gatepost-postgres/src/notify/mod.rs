//! Notifies other processes that work arrived: separately, coalesced, after the commit.
//!
//! A transaction that notifies takes a lock on the whole server at its commit; so no emit and no
//! settlement does it, but a separate task: the first at once, then at most one in each `PAUSE`.

mod ear;
mod news;

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use gatepost_storage::webhooks::Lane;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use webhook_model::WebhookId;

pub(crate) use self::ear::Ear;
pub(crate) use self::news::News;
use crate::db::{Db, Param};

/// The least time between two notifications.
const PAUSE: Duration = Duration::from_millis(250);

pub(crate) struct Notifier {
    pending: Arc<Pending>,
    task: AbortHandle,
}

#[derive(Default)]
struct Pending {
    news: Mutex<News>,
    some: Notify,
}

impl Notifier {
    pub(crate) fn start(db: Db, schema: &str) -> Self {
        let pending = Arc::new(Pending::default());
        let (channel, told) = (channel(schema), Arc::clone(&pending));
        let task = tokio::spawn(async move {
            // A panic (of the platform's subscriber, say) costs one notification.
            while AssertUnwindSafe(send(&db, &channel, &told))
                .catch_unwind()
                .await
                .is_err()
            {
                tokio::time::sleep(PAUSE).await;
            }
        });
        Self {
            pending,
            task: task.abort_handle(),
        }
    }

    /// Something waits in these lanes. Returns at once, as all of these do.
    pub(crate) fn lanes(&self, lanes: impl IntoIterator<Item = Lane>) {
        self.tell(News::lanes(lanes));
    }

    /// Something became due, in lanes that nobody has named.
    pub(crate) fn due(&self) {
        self.tell(News::due());
    }

    /// Something may be claimable of this webhook that was due long ago.
    pub(crate) fn webhook(&self, webhook: WebhookId) {
        self.tell(News::webhook(webhook));
    }

    /// Something may be claimable that was due long ago.
    pub(crate) fn anything(&self) {
        self.tell(News::anything());
    }

    /// The outbox has a row.
    pub(crate) fn outbox(&self) {
        self.tell(News::outbox());
    }

    fn tell(&self, news: News) {
        if news.is_empty() {
            return;
        }
        self.pending.lock().add(news);
        self.pending.some.notify_one();
    }
}

impl Pending {
    fn lock(&self) -> std::sync::MutexGuard<'_, News> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is said now. What is left of it is said with the next.
    fn take(&self) -> News {
        let mut news = self.lock();
        let said = news.take_payload();
        if !news.is_empty() {
            self.some.notify_one();
        }
        said
    }
}

async fn send(db: &Db, channel: &str, pending: &Pending) {
    loop {
        pending.some.notified().await;
        let news = pending.take();
        if news.is_empty() {
            continue;
        }
        // A notification that is lost costs others one poll, or one walk over the lanes.
        let sent = db
            .execute(
                "SELECT pg_notify($1, $2)",
                &[&channel as Param<'_>, &news.to_string()],
            )
            .await;
        if let Err(failure) = sent {
            tracing::debug!(
                cause = failure.cause(),
                "other processes were not notified of new work"
            );
        }
        tokio::time::sleep(PAUSE).await;
    }
}

impl Drop for Notifier {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The channel of a schema.
pub(crate) fn channel(schema: &str) -> String {
    format!("gatepost_{schema}")
}
