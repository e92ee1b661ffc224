//! Pending questions to the store about queues.

use std::collections::BTreeSet;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use webhook_model::WebhookId;

/// Webhooks that are asked about one by one; for more, all queues are walked over.
const WEBHOOKS: usize = 1_000;

/// The questions to ask next.
#[derive(Debug, Default)]
pub(crate) struct Inquiry {
    /// Whether to look for what has become due since the last look.
    pub look: bool,
    /// Webhooks whose queues have deliveries, whenever they became due.
    pub webhooks: BTreeSet<WebhookId>,
}

#[derive(Debug)]
struct Wanted {
    inquiry: Inquiry,
    /// Whether to walk over all queues.
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
    /// Creates the collection, with a request to ask for everything first.
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

    /// Notes that a delivery became due a moment ago.
    pub(crate) fn look(&self) {
        self.lock().inquiry.look = true;
        self.inquiry.notify_one();
    }

    /// Notes that this webhook may have deliveries, whenever they became due.
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

    /// Notes that any webhook may.
    pub(crate) fn sweep(&self) {
        self.lock().sweep = true;
        self.sweep.notify_one();
    }

    /// Returns the pending questions, once.
    pub(crate) fn take(&self) -> Inquiry {
        mem::take(&mut self.lock().inquiry)
    }

    /// Puts back questions that could not be asked.
    pub(crate) fn put_back(&self, inquiry: Inquiry) {
        if inquiry.look {
            self.look();
        }
        inquiry.webhooks.into_iter().for_each(|id| self.ask(id));
    }

    /// Returns whether a sweep is wanted, once.
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
    fn inquiries_beyond_webhook_limit_request_a_sweep() {
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
