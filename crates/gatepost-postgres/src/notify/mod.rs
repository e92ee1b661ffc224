//! Notifies other processes that work arrived: separately, coalesced, after the commit.
//!
//! A transaction that notifies takes a lock on the whole server at its commit; so no emit and no
//! settlement does it, but a separate task: the first at once, then at most one in each `PAUSE`.

mod ear;
mod news;

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
    news: Mutex<Untold>,
    some: Notify,
}

#[derive(Default)]
struct Untold {
    others: News,
    /// What of it this process receives too.
    own: News,
}

impl Notifier {
    /// Notifies others, and by this ear its own process.
    pub(crate) fn start(db: Db, schema: &str, ear: Arc<Ear>) -> Self {
        let pending = Arc::new(Pending::default());
        let (channel, told) = (channel(schema), Arc::clone(&pending));
        let task = tokio::spawn(async move {
            // A panic (of the platform's subscriber, say) costs one notification.
            while AssertUnwindSafe(send(&db, &channel, &ear, &told))
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

    /// The same where the caller knows, as whoever enqueues does.
    pub(crate) fn lanes_to_others(&self, lanes: impl IntoIterator<Item = Lane>) {
        let news = News::lanes(lanes);
        if !news.is_empty() {
            self.pending.lock().others.add(news);
            self.pending.some.notify_one();
        }
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
        let mut untold = self.pending.lock();
        untold.own.add(news.clone());
        untold.others.add(news);
        drop(untold);
        self.pending.some.notify_one();
    }
}

impl Pending {
    fn lock(&self) -> MutexGuard<'_, Untold> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn send(db: &Db, channel: &str, ear: &Ear, pending: &Pending) {
    loop {
        pending.some.notified().await;
        let Untold { others, own } = std::mem::take(&mut *pending.lock());
        ear.hear(own);
        if others.is_empty() {
            continue;
        }
        // A notification that is lost costs others one poll, or one walk over the lanes.
        let sent = db
            .execute(
                "SELECT pg_notify($1, $2)",
                &[&channel as Param<'_>, &others.payload(ear.process)],
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
