//! Receives the outcomes of deliveries and changes of webhooks from the other parts.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use gatepost_storage::Row;
use gatepost_storage::webhooks::{Cause, RejectReason};
use webhook_model::{OwnerId, Webhook, WebhookId};

use super::registry::Book;
use super::trouble::{Told, Trouble};
use crate::config::OperationalEvents;

/// The result of a recorded attempt.
#[derive(Clone, Debug)]
pub(crate) enum Tried {
    Received,
    /// Another attempt follows.
    Failed(String),
    /// It was the last one.
    GivenUp(String),
}

/// The webhooks in trouble; bounded, and only those of this process. Without
/// [`OperationalEvents::webhooks`] it stays empty.
#[derive(Debug, Default)]
pub(crate) struct Troubles {
    own: OperationalEvents,
    book: Mutex<Book>,
    /// The number of troubles: while there are none, a success needs no lock.
    known: AtomicUsize,
}

impl Troubles {
    pub(crate) fn new(own: OperationalEvents) -> Self {
        Self {
            own,
            ..Self::default()
        }
    }

    /// Whether troubles are reported to owners.
    pub(crate) fn are_told(&self) -> bool {
        self.own.webhooks
    }

    /// Whether an operational event made a delivery, so that its outcome is not reported.
    pub(crate) fn made(&self, cause: Option<&Cause>) -> bool {
        cause.is_some_and(|cause| self.own.include(&cause.event_type))
    }

    /// Notes a recorded attempt.
    pub(crate) fn note(
        &self,
        webhook: WebhookId,
        owner: OwnerId,
        tried: &Tried,
        at: DateTime<Utc>,
    ) {
        let nothing_known = self.known.load(Ordering::Relaxed) == 0;
        if !self.are_told() || (nothing_known && matches!(tried, Tried::Received)) {
            return;
        }
        let mut book = self.lock();
        match tried {
            Tried::Received => {
                book.change(webhook, |trouble| trouble.received(at));
            }
            Tried::Failed(reason) => {
                book.begin(webhook, owner, |trouble| trouble.failed(reason, false, at));
            }
            Tried::GivenUp(reason) => {
                book.begin(webhook, owner, |trouble| trouble.failed(reason, true, at));
            }
        }
        self.count(&book);
    }

    /// Notes that a webhook was disabled.
    pub(crate) fn disabled(&self, row: &Row<WebhookId, Webhook>, reason: &'static str) {
        let revision = row.revision;
        self.begin(row.id, row.owner, |trouble| {
            trouble.disabled = Some((revision, reason));
        });
    }

    /// Notes that deliveries of it were not stored.
    pub(crate) fn rejected(
        &self,
        webhook: WebhookId,
        owner: OwnerId,
        reason: RejectReason,
        count: u64,
    ) {
        self.begin(webhook, owner, |trouble| trouble.rejected(reason, count));
    }

    /// Restores a webhook that was reported as failing before this process began.
    pub(crate) fn recall(&self, webhook: WebhookId, owner: OwnerId, told: Told) {
        self.begin(webhook, owner, |trouble| trouble.told = Some(told));
    }

    /// Returns one that must be checked, with its current state.
    pub(crate) fn next(&self, now: DateTime<Utc>) -> Option<(WebhookId, Trouble)> {
        let mut book = self.lock();
        let next = book.next(now);
        self.count(&book);
        next
    }

    /// Ends the check of a webhook.
    pub(crate) fn looked_at(&self, webhook: WebhookId) {
        self.change(webhook, |trouble| trouble.held = DateTime::UNIX_EPOCH);
    }

    /// Changes the state of a webhook after a notice.
    pub(crate) fn change(&self, webhook: WebhookId, change: impl FnOnce(&mut Trouble)) {
        let mut book = self.lock();
        book.change(webhook, change);
        self.count(&book);
    }

    /// Forgets a webhook that is deleted, or cannot be read.
    pub(crate) fn forget(&self, webhook: WebhookId) {
        let mut book = self.lock();
        book.forget(webhook);
        self.count(&book);
    }

    fn begin(&self, webhook: WebhookId, owner: OwnerId, change: impl FnOnce(&mut Trouble)) {
        if self.are_told() {
            let mut book = self.lock();
            book.begin(webhook, owner, change);
            self.count(&book);
        }
    }

    fn count(&self, book: &Book) {
        self.known.store(book.len(), Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
