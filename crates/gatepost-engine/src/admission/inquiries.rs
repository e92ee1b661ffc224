//! What the store is to be asked about lanes.

use std::collections::BTreeSet;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use webhook_model::WebhookId;

/// Webhooks that are asked about one by one; of more, all lanes are walked over.
const WEBHOOKS: usize = 1_000;

/// What the store is to be asked now.
#[derive(Debug, Default)]
pub(crate) struct Inquiry {
    /// What has become due since the last look.
    pub look: bool,
    /// Lanes of these webhooks that have something, whenever it became due.
    pub webhooks: BTreeSet<WebhookId>,
}

#[derive(Debug)]
struct Wanted {
    inquiry: Inquiry,
    /// All lanes are to be walked over.
    sweep: bool,
}

/// Collects reasons to ask, from all parts.
#[derive(Debug)]
pub(crate) struct Inquiries {
    wanted: Mutex<Wanted>,
    inquiry: Notify,
    sweep: Notify,
}

impl Inquiries {
    /// Everything is to be asked first.
    pub(super) fn new() -> Self {
        let inquiry = Inquiry {
            look: true,
            ..Inquiry::default()
        };
        let wanted = Wanted {
            inquiry,
            sweep: true,
        };
        Self {
            wanted: Mutex::new(wanted),
            inquiry: Notify::new(),
            sweep: Notify::new(),
        }
    }

    /// Something became due a moment ago.
    pub(crate) fn look(&self) {
        self.lock().inquiry.look = true;
        self.inquiry.notify_one();
    }

    /// This webhook may have something, whenever it became due.
    pub(crate) fn ask(&self, webhook: WebhookId) {
        let mut wanted = self.lock();
        let webhooks = &mut wanted.inquiry.webhooks;
        if webhooks.len() < WEBHOOKS || webhooks.contains(&webhook) {
            webhooks.insert(webhook);
            drop(wanted);
            self.inquiry.notify_one();
        } else {
            drop(wanted);
            self.sweep();
        }
    }

    /// Any webhook may.
    pub(crate) fn sweep(&self) {
        self.lock().sweep = true;
        self.sweep.notify_one();
    }

    /// What is wanted, once.
    pub(crate) fn take(&self) -> Inquiry {
        mem::take(&mut self.lock().inquiry)
    }

    /// It could not be asked.
    pub(crate) fn put_back(&self, inquiry: Inquiry) {
        if inquiry.look {
            self.look();
        }
        inquiry.webhooks.into_iter().for_each(|id| self.ask(id));
    }

    /// Whether a sweep is wanted, once.
    pub(crate) fn take_sweep(&self) -> bool {
        mem::take(&mut self.lock().sweep)
    }

    /// Ready when [`take`](Self::take) may have something.
    pub(crate) async fn made(&self) {
        self.inquiry.notified().await;
    }

    /// Ready when a sweep may be wanted.
    pub(crate) async fn sweep_wanted(&self) {
        self.sweep.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, Wanted> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_webhooks_than_can_be_asked_about_one_by_one_make_a_sweep() {
        let inquiries = Inquiries::new();
        assert!(inquiries.take_sweep() && inquiries.take().look, "at first");
        assert!(!inquiries.take_sweep() && !inquiries.take().look, "once");
        (0..WEBHOOKS as i64).for_each(|id| inquiries.ask(WebhookId(id)));
        inquiries.ask(WebhookId(0));
        assert!(!inquiries.take_sweep());
        inquiries.ask(WebhookId(-1));
        assert!(inquiries.take_sweep());
        let taken = inquiries.take();
        assert_eq!((taken.webhooks.len(), taken.look), (WEBHOOKS, false));
        inquiries.put_back(taken);
        assert_eq!(inquiries.take().webhooks.len(), WEBHOOKS);
    }
}
