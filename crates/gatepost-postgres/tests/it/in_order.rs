//! Webhooks in order: only the oldest open delivery runs, whatever nodes and replays do.
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use gatepost_postgres::PostgresStore;
use gatepost_storage::Row;
use gatepost_storage::webhooks::*;
use gatepost_testkit::Webhooks;
use gatepost_testkit::fixtures::{
    UNLIMITED, at, direct, due_queues, message, settlement_of, webhook,
};
use tokio_postgres::Client;
use webhook_model::{DeliveryOrder, Webhook, WebhookId};

use crate::common::{claim_all, fresh, fresh_at, queue_claim, raw};
use crate::postgres::FreshSchema;

/// The same changes as a claim that is not committed yet.
const TAKE_NEWEST: &str = "BEGIN; WITH taken AS (
        DELETE FROM gatepost_queue WHERE id = (SELECT max(id) FROM gatepost_queue) RETURNING id)
    INSERT INTO gatepost_running (id, lease_until, open, ids)
    SELECT nextval('gatepost_claim'), timestamptz '2100-01-01', 1, ARRAY[id] FROM taken";

fn claim_of(claimed: &Claimed) -> Claim {
    Claim {
        delivery: claimed.delivery.id,
        token: claimed.token,
    }
}

/// Returns the number of due queues.
async fn due(store: &PostgresStore, now: i64) -> usize {
    let store = Webhooks::of(Arc::new(store.clone()));
    due_queues(&store, now).await.len()
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
async fn in_order_webhook_yields_only_its_oldest_delivery() {
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
async fn in_order_holds_for_leased_and_replayed_deliveries() {
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
    // An ended delivery is replayed while another runs.
    assert_eq!(store.replay(&[claim.delivery], at(2)).await.unwrap(), 1);
    assert!(claim_all(&store, hook, 3).await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn order_switch_applies_to_already_waiting_deliveries() {
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
async fn concurrent_claims_are_disjoint_one_per_ordered_webhook() {
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
            let queues = [
                queue_claim(free, QueueClass::First, 9),
                queue_claim(ordered, QueueClass::First, 9),
            ];
            store.claim(&queues, at(60), at(1)).await.unwrap()
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

/// Returns a webhook without order that has two deliveries, and a session whose claim has taken the
/// newer one and is not committed.
async fn taken() -> (PostgresStore, FreshSchema, Client, Row<WebhookId, Webhook>) {
    let (store, _, place) = fresh_at().await;
    let hook = webhook("w");
    let hook = store.insert_webhook(&hook, UNLIMITED, at(0)).await.unwrap();
    let both = ["a", "b"].map(|name| message(hook.id, name, at(0)));
    store.enqueue(direct(both.into()), at(0)).await.unwrap();
    let client = raw(&place).await;
    client.batch_execute(TAKE_NEWEST).await.unwrap();
    (store, place, client, hook)
}

/// The claim has read that there is no order, and commits after the switch.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_order_webhook_waits_for_earlier_concurrent_claim() {
    let (store, place, client, hook) = taken().await;
    let look = raw(&place).await;
    let mut ordered = hook.clone();
    ordered.value.order = DeliveryOrder::InOrder;
    let edits = store.clone();
    let edit = tokio::spawn(async move { edits.update_webhook(&ordered, UNLIMITED, at(0)).await });
    let stored = "SELECT FROM gatepost_webhook WHERE in_order";
    while !edit.is_finished() && look.query(stored, &[]).await.unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let head = claim_all(&store, hook.id, 1).await;
    assert!(head.is_empty(), "beside what is taken");
    assert_eq!(due(&store, 1).await, 0);
    client.batch_execute("COMMIT").await.unwrap();
    edit.await.unwrap().unwrap();
    assert!(claim_all(&store, hook.id, 1).await.is_empty(), "beside it");
    settle_all(&store, &look).await;
    assert_eq!(due(&store, 20).await, 1);
    assert_eq!(claim_all(&store, hook.id, 20).await.len(), 1);
}

/// The state after a process died between an edit and the record of the running claims.
#[tokio::test]
async fn interrupted_order_switch_delays_webhook_briefly() {
    let (store, _, client, hook) = taken().await;
    let left = "UPDATE gatepost_webhook SET in_order = true, ordered_after = -10000; COMMIT";
    client.batch_execute(left).await.unwrap();
    let waits = async |now: i64| {
        let none = claim_all(&store, hook.id, now).await.is_empty();
        none && due(&store, now).await == 0
    };
    assert!(waits(120).await, "it is looked for among all that runs");
    settle_all(&store, &client).await;
    assert!(
        waits(104).await && waits(-59).await,
        "something may be claimed that was not seen, and clocks differ"
    );
    assert_eq!(due(&store, 120).await, 1);
    // The next edit records the claims that the first one did not.
    let mut edited = hook.clone();
    edited.value.order = DeliveryOrder::InOrder;
    let edited = store.update_webhook(&edited, UNLIMITED, at(20)).await;
    edited.unwrap();
    assert_eq!(claim_all(&store, hook.id, 20).await.len(), 1);
}

#[tokio::test]
async fn in_order_webhook_waits_until_earlier_leases_end() {
    let (store, _, _) = fresh_at().await;
    let [hook, other] = ["w", "other"].map(webhook);
    let hook = store.insert_webhook(&hook, UNLIMITED, at(0)).await.unwrap();
    let other = store.insert_webhook(&other, UNLIMITED, at(0)).await;
    let names = ["a", "b", "c"].map(|name| message(hook.id, name, at(0)));
    let beside = message(other.unwrap().id, "beside", at(0));
    let leased = names.into_iter().chain([beside]).map(|new| NewDelivery {
        lease_until: Some(at(99)),
        ..new
    });
    let stored = store.enqueue(direct(leased.collect()), at(0)).await;
    let Ok(Enqueued::Stored { deliveries, .. }) = stored else {
        panic!("{stored:?}")
    };
    let waits = direct(vec![message(hook.id, "d", at(0))]);
    store.enqueue(waits, at(0)).await.unwrap();
    let mut ordered = hook.clone();
    ordered.value.order = DeliveryOrder::InOrder;
    store
        .update_webhook(&ordered, UNLIMITED, at(1))
        .await
        .unwrap();
    let claims = deliveries.iter().map(|stored| Claim {
        delivery: stored.id,
        token: stored.token.unwrap(),
    });
    let claims: Vec<_> = claims.collect();
    for (claim, disposition) in claims.iter().zip([Disposition::Sent, Disposition::Failed]) {
        assert!(claim_all(&store, hook.id, 2).await.is_empty());
        let ended = settlement_of(*claim, disposition);
        store.settle(vec![ended], at(2)).await.unwrap();
    }
    assert!(claim_all(&store, hook.id, 2).await.is_empty());
    store
        .delete_delivery(claims[2].delivery, at(2))
        .await
        .unwrap();
    // The delivery of the other webhook is still due.
    assert_eq!(due(&store, 2).await, 1);
    assert_eq!(claim_all(&store, hook.id, 2).await.len(), 1);
}

/// Settles all running deliveries as sent, whichever process claimed them.
async fn settle_all(store: &PostgresStore, client: &Client) {
    let running = "SELECT id, unnest(ids) FROM gatepost_running";
    let running = client.query(running, &[]).await.unwrap();
    let settlements = running.iter().map(|row| {
        let (token, delivery) = (ClaimToken(row.get(0)), DeliveryId(row.get(1)));
        settlement_of(Claim { delivery, token }, Disposition::Sent)
    });
    let settled = store.settle(settlements.collect(), at(1)).await.unwrap();
    assert_eq!(settled, [Settled::Done]);
}
