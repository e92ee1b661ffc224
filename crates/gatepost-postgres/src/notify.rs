//! Notifies other processes that work arrived: separately, coalesced, after the commit.
//!
//! A transaction that notifies takes a lock on the whole server at its commit; so no emit and no
//! settlement does it, but a separate task, at most once in each `PAUSE`.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::db::Db;

/// The least time between two notifications.
const PAUSE: Duration = Duration::from_millis(25);

/// What a notification of arrived work holds; one of a changed key holds its generation.
pub(crate) const WORK: &str = "work";

pub(crate) struct Notifier {
    pending: Arc<Notify>,
    task: AbortHandle,
}

impl Notifier {
    pub(crate) fn start(db: Db, schema: &str) -> Self {
        let pending = Arc::new(Notify::new());
        let channel = channel(schema);
        let wake = Arc::clone(&pending);
        let task = tokio::spawn(async move {
            loop {
                wake.notified().await;
                // A notification that is lost costs others one poll, nothing more.
                if let Err(failure) = db
                    .execute("SELECT pg_notify($1, $2)", &[&channel, &WORK])
                    .await
                {
                    tracing::debug!(
                        cause = failure.cause(),
                        "other processes were not notified of new work"
                    );
                }
                tokio::time::sleep(PAUSE).await;
            }
        });
        Self {
            pending,
            task: task.abort_handle(),
        }
    }

    /// Others should look at the queue. Returns at once.
    pub(crate) fn work_arrived(&self) {
        self.pending.notify_one();
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
