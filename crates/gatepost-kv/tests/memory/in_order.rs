//! A webhook in order has at most one running delivery, however it was started.

use gatepost_kv::MemoryStore;
use gatepost_storage::webhooks::{NewDelivery, QueueClaim, QueueClass, QueueStore, WebhookQueue};
use webhook_model::DeliveryOrder;

use crate::common::{at, enqueue, message, webhook};

#[tokio::test]
async fn nothing_is_claimed_while_a_newer_delivery_runs() {
    let store = MemoryStore::new();
    let webhook = webhook(&store, "w", |w| w.order = DeliveryOrder::InOrder).await;
    let leased = NewDelivery {
        lease_until: Some(at(30)),
        ..message(webhook, 0)
    };
    enqueue(&store, vec![message(webhook, 0), leased], 0).await;
    let queues = [QueueClass::First, QueueClass::Lost].map(|class| WebhookQueue { webhook, class });
    let claim = queues.map(|queue| QueueClaim { queue, limit: 5 });
    let claimed = store.claim(&claim, at(30), at(0)).await.unwrap();
    assert_eq!(claimed, []);
    assert_eq!(store.queues_of(&[webhook], at(0)).await.unwrap(), []);
    store.reclaim(10, at(31)).await.unwrap();
    let claimed = store.claim(&claim, at(61), at(31)).await.unwrap();
    assert_eq!(claimed.len(), 1, "the oldest, once nothing runs");
}
