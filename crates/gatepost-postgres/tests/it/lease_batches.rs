//! Enqueues that share a short statement because their leases have one length, and the connections
//! that calls take.

use std::collections::HashSet;

use gatepost_ids::Realm;
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_storage::ErrorKind;
use gatepost_storage::webhooks::*;
use gatepost_testkit::fixtures::{UNLIMITED, at, direct, message, stored_webhook, webhook};
use webhook_model::{DeliveryOrder, WebhookId};

use crate::common::{fresh_at, raw, rows};
use crate::postgres;

/// Returns two deliveries that are leased for a minute.
fn two(hook: WebhookId, id: &str) -> Enqueue {
    let leased = |n| NewDelivery {
        lease_until: Some(at(60)),
        ..message(hook, &format!("{id}{n}"), at(0))
    };
    direct(vec![leased(1), leased(2)])
}

async fn by_place(store: &PostgresStore, behind: i64) -> Precondition {
    let version = store.routes_versions(&[Realm::Shared]).await.unwrap()[0];
    Precondition::Realms(vec![(Realm::Shared, RoutesVersion(version.0 - behind))])
}

fn stored(answer: Enqueued) -> Vec<StoredDelivery> {
    match answer {
        Enqueued::Stored { deliveries, .. } => deliveries,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn equal_leases_share_token_and_keep_given_order() {
    let (store, _, place) = fresh_at().await;
    let hook = stored_webhook(&store, "w").await;
    let mut batch = two(hook, "a");
    batch.precondition = by_place(&store, 0).await;
    let both = stored(store.enqueue(batch, at(0)).await.unwrap());
    assert!(both[0].id < both[1].id && both[0].token.is_some());
    assert_eq!(both[0].token, both[1].token);
    // A lease of another length is a separate claim.
    let mut apart = two(hook, "b");
    apart.deliveries[1].lease_until = Some(at(90));
    let apart = stored(store.enqueue(apart, at(0)).await.unwrap());
    assert_ne!(apart[0].token, apart[1].token);
    let client = raw(&place).await;
    assert_eq!(rows(&client, "gatepost_running").await, 3);
    let names = "SELECT string_agg(message_id, ' ' ORDER BY id) FROM gatepost_delivery";
    let names: String = client.query_one(names, &[]).await.unwrap().get(0);
    assert_eq!(names, "a1 a2 b1 b2");
}

#[tokio::test]
async fn leased_batch_with_any_error_stores_nothing() {
    let (store, _, place) = fresh_at().await;
    let hook = stored_webhook(&store, "w").await;
    let mut stale = two(hook, "a");
    stale.precondition = by_place(&store, 1).await;
    let stale = store.enqueue(stale, at(0)).await.unwrap();
    assert_eq!(stale, Enqueued::RoutesChanged);
    let mut unknown = two(hook, "b");
    unknown.deliveries[1].webhook = WebhookId(404);
    let unknown = store.enqueue(unknown, at(0)).await.unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::Invalid);
    let client = raw(&place).await;
    assert_eq!(rows(&client, "gatepost_delivery").await, 0);
    assert_eq!(rows(&client, "gatepost_running").await, 0);
}

#[tokio::test]
async fn in_order_webhook_records_token_of_leased_batch() {
    let (store, _, place) = fresh_at().await;
    let mut ordered = webhook("o");
    ordered.order = DeliveryOrder::InOrder;
    let ordered = store.insert_webhook(&ordered, UNLIMITED, at(0));
    let mut batch = two(ordered.await.unwrap().id, "a");
    batch.precondition = by_place(&store, 0).await;
    let both = stored(store.enqueue(batch, at(0)).await.unwrap());
    let client = raw(&place).await;
    let after = "SELECT ordered_after FROM gatepost_webhook";
    let after: i64 = client.query_one(after, &[]).await.unwrap().get(0);
    assert_eq!(both[0].token, Some(ClaimToken(after)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_enqueues_are_checked_individually_leased_or_waiting() {
    let (store, _, place) = fresh_at().await;
    let hook = stored_webhook(&store, "w").await;
    let (now, before) = (by_place(&store, 0).await, by_place(&store, 1).await);
    let calls = (0..90).map(|n| {
        let (store, mut batch) = (store.clone(), two(hook, &format!("m{n}-")));
        let precondition = if n % 15 == 7 { &before } else { &now };
        batch.precondition = precondition.clone();
        if n % 3 == 0 {
            batch.deliveries[0].lease_until = None;
        }
        tokio::spawn(async move { (n, store.enqueue(batch, at(0)).await.unwrap()) })
    });
    let client = raw(&place).await;
    let name = "SELECT message_id FROM gatepost_delivery WHERE id = $1";
    let (mut seen, mut waiting) = (HashSet::new(), 0);
    for call in calls.collect::<Vec<_>>() {
        let (n, answer) = call.await.unwrap();
        if n % 15 == 7 {
            assert_eq!(answer, Enqueued::RoutesChanged);
            continue;
        }
        for (nth, one) in (1..).zip(stored(answer)) {
            let name: String = client.query_one(name, &[&one.id.0]).await.unwrap().get(0);
            assert_eq!(name, format!("m{n}-{nth}"));
            assert!(seen.insert(one.id));
            assert_eq!(one.token.is_none(), n % 3 == 0 && nth == 1);
            waiting += u64::from(one.token.is_none());
        }
    }
    assert_eq!(seen.len(), 2 * 84);
    let counted = store.count_queue(at(0)).await.unwrap();
    assert_eq!(
        (counted.queued, counted.running),
        (waiting, 2 * 84 - waiting)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_one_after_the_other_use_one_session() {
    let fresh = postgres::fresh();
    let and = if fresh.url.contains('?') { '&' } else { '?' };
    let named = format!("{}{and}application_name={}", fresh.url, fresh.schema);
    let config = PostgresConfig::url(&named).with_schema(&fresh.schema);
    let store = PostgresStore::connect(config).await.unwrap();
    let hook = stored_webhook(&store, "w").await;
    let at_once = (0..200).map(|_| store.webhook(hook));
    futures_util::future::join_all(at_once).await;
    let client = raw(&fresh).await;
    let used = format!(
        "SELECT count(*) FILTER (WHERE query_start > $1), count(*) FROM pg_stat_activity WHERE application_name = '{}'",
        fresh.schema
    );
    let now = client.query_one("SELECT now()", &[]).await.unwrap();
    let now: chrono::DateTime<chrono::Utc> = now.get(0);
    for _ in 0..10 {
        store.webhook(hook).await.unwrap();
    }
    let used = client.query_one(&used, &[&now]).await.unwrap();
    let [used, open] = [0, 1].map(|n| used.get::<_, i64>(n));
    assert!(open > 3, "{open} sessions: nothing is proved");
    assert!(used <= 2, "{used} of {open}, one of which listens");
}
