//! Deliveries beyond their owner's share are hidden, are no longer counted, and are deleted before
//! their partition.

use gatepost_postgres::PostgresStore;
use gatepost_storage::Page;
use gatepost_storage::webhooks::*;
use gatepost_testkit::fixtures::{
    at, direct, keep_all, message, queue_claim, settlement, stored_webhook,
};
use webhook_model::{OwnerId, WebhookId};

use crate::common::{fresh_at, raw, rows};

/// Enqueues some deliveries, which wait.
async fn queue(store: &PostgresStore, hook: WebhookId, count: usize) {
    let new = (0..count).map(|n| message(hook, &format!("m{n}"), at(0)));
    store.enqueue(direct(new.collect()), at(0)).await.unwrap();
}

/// Claims some of the waiting deliveries.
async fn claim(store: &PostgresStore, hook: WebhookId, count: u32) -> Vec<Claimed> {
    let some = QueueClaim {
        limit: count,
        ..queue_claim(hook, QueueClass::First)
    };
    let claimed = store.claim(&[some], at(60), at(0)).await.unwrap();
    assert_eq!(claimed.len(), count as usize);
    claimed
}

async fn send(store: &PostgresStore, hook: WebhookId, count: u32) {
    let claimed = claim(store, hook, count).await;
    let ends = claimed.iter().map(|c| settlement(c, Disposition::Sent));
    store.settle(ends.collect(), at(0)).await.unwrap();
}

async fn listed(store: &PostgresStore) -> usize {
    let all = DeliveryQuery::all(Page::first(99));
    store.list_deliveries(&all).await.unwrap().len()
}

/// Below the hidden bound only waiting and running deliveries count.
#[tokio::test]
async fn usage_is_counted_of_what_is_shown() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let hook = stored_webhook(&store, "w").await;
    queue(&store, hook, 6).await;
    send(&store, hook, 3).await;
    claim(&store, hook, 1).await;
    let body = 2;
    let recount = async || store.recount_usage(OwnerId(1), u64::MAX).await.unwrap();
    let all = recount().await;
    assert_eq!((all.waiting, all.waiting_bytes), (3, 3 * body));
    let outcome = (all.log_bytes - 6 * body) / 3;
    assert!(outcome > 0, "{all:?}");
    for (below, shown) in [(1, 2), (3, 0), (4, 0), (6, 0)] {
        let hide = format!(
            "UPDATE gatepost_owner SET hidden_to = (SELECT id FROM gatepost_delivery ORDER BY id LIMIT 1 OFFSET {below} - 1)"
        );
        client.batch_execute(&hide).await.unwrap();
        let wanted = LogUsage {
            log_bytes: (3 + shown) * body + shown * outcome,
            ..all
        };
        assert_eq!(recount().await, wanted, "{below} hidden");
    }
    let aged = "UPDATE gatepost_owner SET hidden_to = 0; UPDATE gatepost_kept SET created_before = '2100-01-01'";
    client.batch_execute(aged).await.unwrap();
    let counted = recount().await;
    assert_eq!(counted.log_bytes, 3 * body, "what has ended is too old");
    assert_eq!(counted.waiting, 3);
}

#[tokio::test]
async fn hidden_deliveries_are_purged_in_batches_replayed_kept() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let hook = stored_webhook(&store, "w").await;
    queue(&store, hook, 9).await;
    send(&store, hook, 7).await;
    claim(&store, hook, 1).await;
    // The first of all waits again, and so does one that is settled under a token that others still
    // hold.
    let first = DeliveryQuery::all(Page::first(1));
    let first = store.list_deliveries(&first).await.unwrap()[0].id;
    let replayed = store.replay(&[first], at(0)).await;
    assert_eq!(replayed.unwrap(), 1);
    store.recount_usage(OwnerId(1), 0).await.unwrap();
    assert_eq!(listed(&store).await, 3, "what waits or runs");
    assert_eq!(rows(&client, "gatepost_delivery").await, 9);
    let purged = store.purge(&keep_all(), 4, at(0)).await.unwrap();
    assert_eq!((purged.rows, purged.more), (4, true));
    assert_eq!(rows(&client, "gatepost_delivery").await, 5);
    let purged = store.purge(&keep_all(), 4, at(0)).await.unwrap();
    assert_eq!((purged.rows, purged.more), (2, false));
    assert_eq!(rows(&client, "gatepost_delivery").await, 3);
    let hidden = "SELECT count(*) FROM gatepost_owner WHERE hidden_to > 0";
    let hidden: i64 = client.query_one(hidden, &[]).await.unwrap().get(0);
    assert_eq!((hidden, listed(&store).await), (0, 3));
    // A delivery that ends later is shown until the next count.
    send(&store, hook, 1).await;
    assert_eq!(listed(&store).await, 3);
}
