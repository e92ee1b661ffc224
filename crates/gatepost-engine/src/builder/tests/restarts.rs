//! A part of a running engine whose store panics continues a moment later, and completes its work.

use std::collections::BTreeSet;

use gatepost_ids::Quota;
use gatepost_storage::webhooks::{Delivery, DeliveryState};
use gatepost_testkit::fault::{Fault, FaultStore};
use tokio::time::Instant;
use webhook_model::{Catalog, DeliveryOrder, OwnerId, Specificity, Webhook};

use super::*;
use crate::testing::{Records, Script, addressed};

/// The owner of the webhook, and another user, who is disabled in between.
const OWNER: u128 = 1;
const OTHER: u128 = 2;

/// A part, a store call that it makes, and whether a panic in that call ends the part.
const PARTS: [(&str, &str, bool); 17] = [
    ("settle", "settle", false),
    ("dispatch", "claim", true),
    ("dispatch", "queues, due", true),
    ("dispatch", "queues, beyond", true),
    ("outbox", "take_outbox", true),
    ("outbox", "enqueue_all", true),
    ("outbox", "give_back_outbox", true),
    ("claims", "reclaim", true),
    ("leader", "expire_held", true),
    ("leader", "purge", true),
    ("leader", "remove_gone", true),
    ("leader", "prepare_log", true),
    ("leader", "count_queue", true),
    ("counts", "add_counts", true),
    ("places", "list_owners", true),
    ("held", "list_webhooks", true),
    ("usage", "add_usage", true),
];
/// Parts whose calls others make, too, or that ask in separate tasks.
const OTHERS: [(&str, &str, bool); 2] = [
    ("recount", "recount_usage", true),
    ("owners", "set_owner", false),
];

struct World {
    records: Records,
    store: Arc<FaultStore<MemoryStore>>,
    platform: Arc<Platform>,
    engine: Engine,
}

impl World {
    async fn new() -> Self {
        let records = Records::new();
        let webhook = records.tagged_of(OWNER, "x").await;
        // So none of its deliveries is sent immediately: they are claimed.
        let in_order = |webhook: &mut Webhook| webhook.order = DeliveryOrder::InOrder;
        records.edit(webhook, in_order).await;
        records.tagged_of(OTHER, "other").await;
        let store = Arc::new(FaultStore::new(records.store.clone()));
        let platform = Platform::new();
        // An owner at this limit is counted again and again.
        let quota = Arc::new(Quota::default().with_log_bytes(4_096));
        let sender = Sender::builder(TargetPolicy::public()).build().unwrap();
        let catalog = Catalog::builder().event_type(
            "vms",
            "VMs",
            Specificity::InstanceOrTag,
            &[("poweron", "On")],
        );
        let mut builder = Engine::builder(store.clone(), sender)
            .addressed_only(platform.clone())
            .quotas(quota)
            .clock(Arc::new(Going(Instant::now())))
            .catalog(catalog.unwrap().build());
        builder.transport = Arc::new(Script::new(&[]));
        let engine = builder.start().await.unwrap();
        Self {
            records,
            store,
            platform,
            engine,
        }
    }

    /// Simulates a second of a platform; every fourth, a user is disabled or enabled.
    async fn a_second(&self, second: u64) {
        let tagged = |owner, tag| addressed(Audience::Owner(OwnerId(owner)), &[tag]);
        let occurrence = |owner| tagged(owner, 1);
        // A row without receivers is stored together with others.
        for tag in [1, 2] {
            let _ = self.engine.emit_later(&tagged(OWNER, tag)).await;
        }
        let _ = self.engine.emit(occurrence(OWNER)).await;
        if second.is_multiple_of(4) {
            self.platform.enable(OTHER, !second.is_multiple_of(8));
            let _ = self.engine.emit(occurrence(OTHER)).await;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }

    /// Whether that call is made again within ten minutes after the store has panicked in it.
    async fn comes_back(&self, call: &'static str) -> bool {
        self.store.fail(call, 1, Fault::Panic);
        let mut after = None;
        for second in 0..600 {
            if self.store.has_failed() {
                let calls = self.store.calls_of(call);
                if calls > *after.get_or_insert(calls) {
                    return true;
                }
            }
            self.a_second(second).await;
        }
        assert!(self.store.has_failed(), "nobody calls {call}");
        false
    }

    /// Returns all deliveries once none is under way.
    async fn deliveries(&self) -> Vec<Delivery> {
        for _ in 0..60 {
            let all = self.records.deliveries().await;
            if all.iter().all(|delivery| delivery.state.is_final()) {
                break;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        self.records.deliveries().await
    }
}

#[tokio::test(start_paused = true)]
async fn every_part_resumes_after_store_panic_without_loss() {
    let all = PARTS.into_iter().chain(OTHERS);
    let listed: BTreeSet<_> = all.clone().map(|(part, ..)| part).collect();
    for (part, call, ends) in all {
        let world = World::new().await;
        let restarts = |part| world.engine.core.lifecycle.parts()[part];
        let running: BTreeSet<_> = world.engine.core.lifecycle.parts().into_keys().collect();
        assert_eq!(running, listed, "each part is in the table");
        assert!(world.comes_back(call).await, "{part} after {call}");
        assert_eq!(restarts(part), u64::from(ends), "{part} after {call}");
        let health = world.engine.health().await.unwrap();
        assert_eq!(health.restarts, u64::from(ends), "{part} after {call}");
        assert!(health.recording);

        world.platform.enable(OTHER, true);
        world.engine.owner_changed(OwnerId(OTHER)).await.unwrap();
        let deliveries = world.deliveries().await;
        assert!(deliveries.len() > 2);
        for delivery in deliveries {
            let end = (delivery.state, delivery.attempts, delivery.lost_claims);
            assert_eq!(
                end,
                (DeliveryState::Sent, 1, 0),
                "{part}, {call}: {delivery:?}"
            );
        }
    }
}

/// A part that is not restarted is found by the same method.
#[tokio::test(start_paused = true)]
async fn unsupervised_part_is_detected_as_not_restarting() {
    let world = World::new().await;
    let (store, call) = (world.store.clone(), "list_tasks");
    let query = gatepost_storage::webhooks::TaskQuery {
        scope: gatepost_storage::Scope::All,
        creator: None,
        webhook: None,
        name: None,
        page: gatepost_storage::Page::first(1),
    };
    let part = move || {
        let (store, query) = (store.clone(), query.clone());
        async move {
            loop {
                let _ = gatepost_storage::webhooks::RecordStore::list_tasks(&*store, &query).await;
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
    };
    world.engine.core.lifecycle.spawn(part());
    assert!(!world.comes_back(call).await);
    world.engine.core.lifecycle.supervise("control", part);
    assert!(world.comes_back(call).await);
}
