//! Many callers at the same time, and callers that leave.

use std::collections::HashSet;
use std::time::Duration;

use gatepost_ids::Realm;
use gatepost_storage::Page;
use gatepost_storage::webhooks::{DeliveryQuery, Enqueue, Enqueued, QueueClass};

use crate::fixtures::{
    UNLIMITED, at, direct, message, named, place, queue_claim, queued, task, tenant, under,
    version, webhook,
};
use crate::harness::Webhooks;
use crate::runtime::racing;

/// If sixteen callers consume one task concurrently under one version of the routes, exactly one
/// must store its delivery.
pub async fn q22_a_task_is_consumed_once(store: Webhooks) {
    let common = consumed_once(&store, Realm::Shared, 0).await;
    // The task is a system administrator's, and each racer is about another tenant.
    place(&store, 1, Realm::System).await;
    consumed_once(&store, Realm::System, common).await;
}

/// Lets sixteen callers race for a task in this realm, in a store with this number of deliveries.
/// Returns their number afterwards.
async fn consumed_once(store: &Webhooks, home: Realm, deliveries: usize) -> usize {
    let hook = webhook(&format!("w{deliveries}"));
    let hook = store.records.insert_webhook(&hook, UNLIMITED, at(0)).await;
    let hook = hook.unwrap().id;
    let once = store
        .records
        .insert_task(&task(hook), UNLIMITED, at(0))
        .await
        .unwrap()
        .id;
    let before = version(store, home).await;
    let mut racers = Vec::new();
    for n in 0..16 {
        let batch = Enqueue {
            precondition: under(store, &[tenant(n), home]).await,
            consume: vec![once],
            ..direct(vec![message(hook, &format!("m{deliveries}-{n}"), at(0))])
        };
        let queue = store.queue.clone();
        racers.push(async move { queue.enqueue(batch, at(0)).await.unwrap() });
    }
    let mut stored = 0;
    for answer in racing(racers).await {
        match answer {
            Enqueued::Stored { moved, .. } => {
                let now = version(store, home).await;
                assert!(now > before, "Q22 the version moved");
                assert_eq!(moved, [(home, now)], "Q22 and says so");
                stored += 1;
            }
            other => assert_eq!(other, Enqueued::RoutesChanged, "Q22 the others"),
        }
    }
    assert_eq!(stored, 1, "Q22 one of them");
    let all = DeliveryQuery::all(Page::first(99));
    let rows = store.log.list_deliveries(&all).await.unwrap();
    assert_eq!(rows.len(), deliveries + 1, "Q22 one delivery");
    rows.len()
}

/// An enqueue whose caller drops it must leave all of its deliveries or none.
pub async fn q23_a_cancelled_enqueue_leaves_all_or_nothing(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    for n in 0..40_u64 {
        let names = ["a", "b", "c"].map(|part| format!("{part}{n}"));
        let batch = names.iter().map(|id| message(hook, id, at(0)));
        let batch = Enqueue {
            origin: named(&format!("o{n}")),
            ..direct(batch.collect())
        };
        let patience = Duration::from_micros(n * 100);
        let _ = tokio::time::timeout(patience, store.queue.enqueue(batch, at(0))).await;
    }
    // A call that is still on its way when its caller leaves may be stored a little later; it is
    // stored whole.
    let all = DeliveryQuery::all(Page::first(999));
    let rows = store.log.list_deliveries(&all).await.unwrap();
    for n in 0..40 {
        let of =
            |d: &&gatepost_storage::webhooks::Delivery| d.message_id.as_str()[1..] == n.to_string();
        let count = rows.iter().filter(of).count();
        assert!(count == 0 || count == 3, "Q23 {count} of 3 are stored");
    }
}

/// If eight workers claim a few deliveries at a time, they must get all two hundred, each once.
pub async fn q24_many_workers_claim_each_delivery_once(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let batch = (0..200).map(|n| message(hook, &format!("m{n}"), at(0)));
    let stored = store.queue.enqueue(direct(batch.collect()), at(0)).await;
    assert!(stored.is_ok(), "Q24 stored");
    let workers = (0..8).map(|_| {
        let queue = store.queue.clone();
        async move {
            let mut mine = Vec::new();
            let bite = [gatepost_storage::webhooks::QueueClaim {
                limit: 7,
                ..queue_claim(hook, QueueClass::First)
            }];
            for _ in 0..100 {
                let claimed = queue.claim(&bite, at(60), at(1)).await.unwrap();
                assert!(claimed.len() <= 7, "Q24 at most the limit");
                mine.extend(claimed.into_iter().map(|c| (c.delivery.id, c.token)));
            }
            mine
        }
    });
    let all = racing(workers).await.concat();
    let different: HashSet<_> = all.iter().map(|c| c.0).collect();
    assert_eq!((all.len(), different.len()), (200, 200), "Q24");
}
