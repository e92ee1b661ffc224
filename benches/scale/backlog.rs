//! Waiting deliveries, queued, claimed and settled by calls of the store only.

use std::sync::Arc;
use std::time::Instant;

use benches::platform::{now, open};
use chrono::TimeDelta;
use gatepost_storage::webhooks::{
    Claim, Claimed, Disposition, Enqueued, MessageId, NewDelivery, QueueClaim, QueueClass, Settled,
    WebhookQuery, WebhookQueue,
};
use gatepost_storage::{Page, Scope, WebhookStore};
use gatepost_testkit::fixtures;
use webhook_model::WebhookId;

use crate::stage::Store;

/// The number of queues of a claim, and of deliveries of each.
const QUEUES: usize = 8;
const EACH: u32 = 8;

pub(crate) struct Backlog {
    pub(crate) store: Arc<dyn WebhookStore>,
    hooks: Vec<WebhookId>,
    /// The index at which the next claim begins.
    turn: usize,
}

impl Backlog {
    /// Opens the store with all of its webhooks.
    pub(crate) async fn open(store: &Store) -> Self {
        let store = open(store.kind, &store.place).await;
        let mut query = WebhookQuery {
            scope: Scope::All,
            name: None,
            page: Page::first(1_000),
        };
        let mut hooks = Vec::new();
        loop {
            let page = store.list_webhooks(&query).await.unwrap();
            hooks.extend(page.iter().map(|row| row.id));
            match page.last() {
                Some(last) => query.page = query.page.beyond(last.id),
                None => break,
            }
        }
        Self {
            store,
            hooks,
            turn: 0,
        }
    }

    /// Queues this number of due deliveries over the webhooks in turn: ten to a call, many calls at
    /// a time.
    pub(crate) async fn queue(&self, count: usize) {
        let each = |n: usize| NewDelivery {
            message_id: MessageId::new(now(), n as u128),
            webhook: self.hooks[n % self.hooks.len()],
            task: None,
            cause: None,
            body: "{}".into(),
            due: now(),
            lease_until: None,
        };
        let calls = (0..count / 10).map(|call| (call * 10..call * 10 + 10).map(each).collect());
        let calls = calls.map(fixtures::direct).collect();
        for stored in self.store.enqueue_all(calls, now()).await {
            assert!(matches!(stored, Ok(Enqueued::Stored { .. })), "{stored:?}");
        }
    }

    /// Claims this number of deliveries and settles them as sent, 64 at a time.
    pub(crate) async fn drain(&mut self, count: usize) {
        let mut left = count;
        while left > 0 {
            let claimed = self.claim().await;
            left -= claimed.len();
            self.settle(&claimed, |_| Disposition::Sent).await;
        }
    }

    /// Returns the time of a claim of 64, in milliseconds. They are given back, due when they were,
    /// or that much later.
    pub(crate) async fn claim_and_release(&mut self, later: TimeDelta) -> f64 {
        let begun = Instant::now();
        let claimed = self.claim().await;
        let wait = begun.elapsed().as_secs_f64() * 1e3;
        assert_eq!(claimed.len(), QUEUES * EACH as usize, "claimed");
        let release = |one: &Claimed| Disposition::Release {
            due: one.delivery.due + later,
        };
        self.settle(&claimed, release).await;
        wait
    }

    async fn claim(&mut self) -> Vec<Claimed> {
        let queue = |n: usize| QueueClaim {
            queue: WebhookQueue {
                webhook: self.hooks[(self.turn + n) % self.hooks.len()],
                class: QueueClass::First,
            },
            limit: EACH,
        };
        let queues: Vec<_> = (0..QUEUES).map(queue).collect();
        self.turn += QUEUES;
        let until = now() + TimeDelta::seconds(60);
        self.store.claim(&queues, until, now()).await.unwrap()
    }

    async fn settle(&self, claimed: &[Claimed], how: impl Fn(&Claimed) -> Disposition) {
        let each = claimed.iter().map(|one| {
            let claim = Claim {
                delivery: one.delivery.id,
                token: one.token,
            };
            fixtures::settlement_of(claim, how(one))
        });
        let settled = self.store.settle(each.collect(), now()).await.unwrap();
        assert!(settled.iter().all(|s| *s == Settled::Done), "{settled:?}");
    }
}
