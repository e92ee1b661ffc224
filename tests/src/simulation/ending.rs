//! The end of a run.

use std::collections::HashMap;
use std::time::Duration;

use gatepost_kv::MemoryStore;
use gatepost_storage::webhooks::{
    AttemptRecord, Delivery, DeliveryId, DeliveryLog as _, DeliveryQuery, DeliveryState,
};
use gatepost_storage::{Clock as _, Page};

use super::clock::VirtualClock;
use super::furnish::HOSTS;
use super::script::Mood;
use super::stage::Stage;
use super::switches::Switched;

/// The time in which the queue becomes empty after the trouble, from the last due time or lease end
/// of a waiting delivery on: a few polls, an open circuit breaker's pause, and a backlog's
/// deliveries of a second.
const SOON: Duration = Duration::from_secs(120);

impl Stage {
    /// Ends all trouble, and waits until the queue is empty; returns the delay if that is too late.
    pub(super) async fn end(&mut self) -> Option<Duration> {
        self.cluster.tell("all trouble ends");
        for host in 0..HOSTS {
            self.cluster.ground.network.set(host, Mood::Well);
        }
        if !self.jumps.is_empty() {
            self.jumps.push(self.ledger.now());
        }
        self.cluster.heal().await;
        self.cluster.pass(Duration::from_secs(2)).await;
        let hooks = self.ledger.hooks.lock().unwrap().clone();
        for (index, hook) in hooks.iter().enumerate() {
            let process = self.cluster.running().next().unwrap();
            let asked = process.number;
            self.ledger.switches(asked, index, Switched::Rest, false);
            let _ = process.engine.resume_webhook(hook.id).await;
        }
        let store = self.cluster.ground.store.clone();
        let clock = VirtualClock::since(self.cluster.ground.began);
        let last = all_deliveries(&store)
            .await
            .into_iter()
            .map(|delivery| match delivery.state {
                DeliveryState::Queued => delivery.due,
                _ => delivery.lease_until.unwrap_or_default(),
            });
        let bound = last.max().unwrap_or_default().max(clock.now()) + SOON;
        loop {
            let stats = store.count_queue(clock.now()).await.unwrap();
            if (stats.queued, stats.running, stats.outbox) == (0, 0, 0) {
                self.cluster.tell("the queue is empty");
                return None;
            }
            self.enable().await;
            if clock.now() > bound + Duration::from_secs(7_200) {
                return Some(Duration::MAX);
            }
            if clock.now() > bound && (clock.now() - bound).num_seconds() % 600 == 0 {
                self.cluster.tell(format_args!("still {stats:?}"));
            }
            self.cluster.pass(Duration::from_secs(1)).await;
        }
    }

    /// Deliveries under way at the end of the faults may have failed, and so disabled a webhook.
    async fn enable(&self) {
        for webhook in self.cluster.ground.edits.disabled() {
            let process = self.cluster.running().next().unwrap();
            let _ = process.engine.resume_webhook(webhook).await;
        }
    }
}

/// Returns all deliveries in the log.
pub(super) async fn all_deliveries(store: &MemoryStore) -> Vec<Delivery> {
    let mut all = Vec::new();
    let mut page = Page::first(1_000);
    loop {
        let more = store
            .list_deliveries(&DeliveryQuery::all(page))
            .await
            .unwrap();
        let Some(last) = more.last().map(|delivery| delivery.id) else {
            return all;
        };
        all.extend(more);
        page = page.beyond(last);
    }
}

/// Returns the attempts of each delivery, the oldest first.
pub(super) async fn all_attempts(
    store: &MemoryStore,
    deliveries: &[Delivery],
) -> HashMap<DeliveryId, Vec<AttemptRecord>> {
    let mut all = HashMap::new();
    for delivery in deliveries {
        let attempts = store.attempts(delivery.id, u32::MAX).await.unwrap();
        all.insert(delivery.id, attempts);
    }
    all
}
