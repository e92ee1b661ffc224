//! Webhooks in order: the oldest open delivery alone, whatever nodes and replays do.
use std::collections::HashSet;
use std::sync::Arc;

use gatepost_postgres::PostgresStore;
use gatepost_storage::webhooks::*;
use gatepost_testkit::Webhooks;
use gatepost_testkit::fixtures::{
    UNLIMITED, at, direct, due_lanes, message, settlement_of, webhook,
};
use webhook_model::{DeliveryOrder, WebhookId};

use crate::common::{claim_all, fresh, fresh_at, lane, raw};

fn claim_of(claimed: &Claimed) -> Claim {
    Claim {
        delivery: claimed.delivery.id,
        token: claimed.token,
    }
}

/// How many lanes are due.
async fn due(store: &PostgresStore, now: i64) -> usize {
    let store = Webhooks::of(Arc::new(store.clone()));
    due_lanes(&store, now).await.len()
}

async fn in_order(store: &PostgresStore, name: &str) -> WebhookId {
    let mut hook = webhook(name);
    hook.order = DeliveryOrder::InOrder;
    store
        .insert_webhook(&hook, UNLIMITED, at(0))
        .await
        .unwrap()
        .id
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_webhook_in_order_gives_out_its_oldest_open_delivery_alone() {
    let (store, _) = fresh().await;
    let hook = in_order(&store, "w").await;
    for id in ["m1", "m2", "m3"] {
        store
            .enqueue(direct(vec![message(hook, id, at(0))]), at(0))
            .await
            .unwrap();
    }
    for expected in ["m1", "m1", "m2", "m3"] {
        let now = if expected == "m1" { 20 } else { 40 };
        assert_eq!(due(&store, now).await, 1);
        let claimed = claim_all(&store, hook, now).await;
        assert_eq!(
            claimed
                .iter()
                .map(|c| c.delivery.message_id.as_str())
                .collect::<Vec<_>>(),
            [expected]
        );
        assert!(
            claim_all(&store, hook, now).await.is_empty(),
            "one at a time"
        );
        assert_eq!(due(&store, now).await, 0);
        let again = expected == "m1" && claimed[0].delivery.attempts == 0;
        let disposition = if again {
            Disposition::Retry { due: at(15) }
        } else {
            Disposition::Sent
        };
        let settlement = Settlement {
            disposition,
            ..settlement_of(claim_of(&claimed[0]), Disposition::Sent)
        };
        assert_eq!(
            store.settle(vec![settlement], at(now)).await.unwrap(),
            [Settled::Done]
        );
        if again {
            assert!(
                claim_all(&store, hook, 14).await.is_empty(),
                "a retry that is not due holds up those behind it"
            );
            assert_eq!(due(&store, 14).await, 0);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_leased_at_the_enqueue_or_replayed_keeps_a_webhook_in_order_busy() {
    let (store, _) = fresh().await;
    let hook = in_order(&store, "w").await;
    store
        .enqueue(direct(vec![message(hook, "old", at(0))]), at(0))
        .await
        .unwrap();
    let leased = NewDelivery {
        lease_until: Some(at(99)),
        ..message(hook, "leased", at(0))
    };
    let stored = store.enqueue(direct(vec![leased]), at(0)).await.unwrap();
    assert!(
        claim_all(&store, hook, 1).await.is_empty(),
        "the leased one is running"
    );
    assert_eq!(due(&store, 1).await, 0);
    let Enqueued::Stored { deliveries, .. } = stored else {
        panic!("{stored:?}")
    };
    let claim = Claim {
        delivery: deliveries[0].id,
        token: deliveries[0].token.unwrap(),
    };
    store
        .settle(vec![settlement_of(claim, Disposition::Sent)], at(1))
        .await
        .unwrap();
    assert_eq!(claim_all(&store, hook, 1).await.len(), 1);
    // An ended one is replayed while another runs.
    assert_eq!(
        store
            .replay(&Replay::Ids(vec![claim.delivery]), 5, at(2))
            .await
            .unwrap(),
        1
    );
    assert!(claim_all(&store, hook, 3).await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn turning_order_on_and_off_counts_for_what_waits_already() {
    let (store, _) = fresh().await;
    let row = store
        .insert_webhook(&webhook("w"), UNLIMITED, at(0))
        .await
        .unwrap();
    store
        .enqueue(
            direct(vec![
                message(row.id, "a", at(0)),
                message(row.id, "b", at(0)),
                message(row.id, "c", at(0)),
            ]),
            at(0),
        )
        .await
        .unwrap();
    let mut ordered = row.clone();
    ordered.value.order = DeliveryOrder::InOrder;
    let mut ordered = store
        .update_webhook(&ordered, UNLIMITED, at(1))
        .await
        .unwrap();
    let first = claim_all(&store, row.id, 2).await;
    assert_eq!(first.len(), 1);
    ordered.value.order = DeliveryOrder::Unordered;
    store
        .update_webhook(&ordered, UNLIMITED, at(2))
        .await
        .unwrap();
    assert_eq!(claim_all(&store, row.id, 3).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claimers_of_many_nodes_get_disjoint_sets_and_of_a_webhook_in_order_one() {
    let (a, config) = fresh().await;
    let b = PostgresStore::connect(config).await.unwrap();
    let free = a
        .insert_webhook(&webhook("free"), UNLIMITED, at(0))
        .await
        .unwrap()
        .id;
    let ordered = in_order(&a, "ordered").await;
    for n in 0..100 {
        let pair = vec![
            message(free, &format!("f{n}"), at(0)),
            message(ordered, &format!("o{n}"), at(0)),
        ];
        a.enqueue(direct(pair), at(0)).await.unwrap();
    }
    let claims = (0..16).map(|n| {
        let store = if n % 2 == 0 { a.clone() } else { b.clone() };
        tokio::spawn(async move {
            let lanes = [
                lane(free, LaneClass::First, 9),
                lane(ordered, LaneClass::First, 9),
            ];
            store.claim(&lanes, at(60), at(1)).await.unwrap()
        })
    });
    let mut seen = HashSet::new();
    let mut of_ordered = 0;
    for claim in claims.collect::<Vec<_>>() {
        for claimed in claim.await.unwrap() {
            assert!(seen.insert(claimed.delivery.id), "given out twice");
            of_ordered += usize::from(claimed.delivery.webhook == ordered);
        }
    }
    assert_eq!((seen.len(), of_ordered), (101, 1));
}

/// A claim that read that there is no order may draw its token once the change is stored.
#[tokio::test]
async fn what_a_claim_takes_that_began_before_the_order_is_waited_for() {
    let (store, _, place) = fresh_at().await;
    let hook = webhook("w");
    let hook = store.insert_webhook(&hook, UNLIMITED, at(0)).await.unwrap();
    let both = ["a", "b"].map(|name| message(hook.id, name, at(0)));
    store.enqueue(direct(both.into()), at(0)).await.unwrap();
    let mut ordered = hook.clone();
    ordered.value.order = DeliveryOrder::InOrder;
    let ordered = store.update_webhook(&ordered, UNLIMITED, at(0)).await;
    ordered.unwrap();
    let client = raw(&place).await;
    // As many tokens as the largest bite of an end draws.
    let others = "SELECT nextval('gatepost_claim') FROM generate_series(1, 4096)";
    client.execute(others, &[]).await.unwrap();
    let take = "WITH head AS (DELETE FROM gatepost_queue WHERE id = (SELECT min(id) FROM gatepost_queue) RETURNING id)
        INSERT INTO gatepost_running (id, lease_until, open, ids)
        SELECT nextval('gatepost_claim'), timestamptz '2100-01-01', 1, ARRAY[id] FROM head";
    assert_eq!(client.execute(take, &[]).await.unwrap(), 1);
    assert!(claim_all(&store, hook.id, 1).await.is_empty(), "beside it");
}
