//! Notifies other processes of new work: in a separate task, coalesced, after the commit.
//!
//! A transaction that notifies takes a lock on the whole server at its commit. So no emit and no
//! settlement notifies; a separate task does, the first time immediately, then at most once in each
//! `PAUSE`.

mod content;
mod inbox;

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use gatepost_storage::webhooks::WebhookQueue;
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use webhook_model::WebhookId;

pub(crate) use self::content::News;
pub(crate) use self::inbox::Ear;
use crate::db::{Db, Param};

/// The minimum time between two notifications.
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
    /// The part that this process receives, too.
    own: News,
}

impl Notifier {
    /// Starts the task that notifies other processes, and its own process through `ear`.
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

    /// Notifies all processes that something waits in these queues. Returns immediately, like all
    /// of these methods.
    pub(crate) fn queues(&self, queues: impl IntoIterator<Item = WebhookQueue>) {
        self.tell(News::queues(queues));
    }

    /// Notifies only the other processes: a caller that enqueues knows it already.
    pub(crate) fn queues_to_others(&self, queues: impl IntoIterator<Item = WebhookQueue>) {
        let news = News::queues(queues);
        if !news.is_empty() {
            self.pending.lock().others.add(news);
            self.pending.some.notify_one();
        }
    }

    /// Notifies all processes that something became due in unknown queues.
    pub(crate) fn due(&self) {
        self.tell(News::due());
    }

    /// Notifies all processes that deliveries of this webhook with an old due time may be
    /// claimable.
    pub(crate) fn webhook(&self, webhook: WebhookId) {
        self.tell(News::webhook(webhook));
    }

    /// Notifies all processes that deliveries with an old due time may be claimable.
    pub(crate) fn anything(&self) {
        self.tell(News::anything());
    }

    /// Notifies all processes that the outbox has a row.
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
        // A lost notification costs the other processes one poll, or one scan of the queues.
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

/// Returns the channel of a schema.
pub(crate) fn channel(schema: &str) -> String {
    format!("gatepost_{schema}")
}
