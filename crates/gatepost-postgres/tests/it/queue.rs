//! The queue with several nodes: calls that share a commit, faults, deletions.
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::Realm;
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_storage::webhooks::*;
use gatepost_storage::{ErrorKind, OwnerStore};
use gatepost_testkit::fixtures::{
    UNLIMITED, at, direct, message, named, settlement_of, stored_webhook, task, webhook,
};
use webhook_model::WebhookId;

use crate::common::{claim_all, fresh, fresh_at, raw, rows};
use crate::postgres::TestPostgres;

/// Returns the version of the realm of all owners without an assigned realm.
async fn common(store: &PostgresStore) -> RoutesVersion {
    store.routes_versions(&[Realm::Shared]).await.unwrap()[0]
}

fn by(version: RoutesVersion) -> Precondition {
    Precondition::Realms(vec![(Realm::Shared, version)])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_sharing_a_commit_are_checked_individually() {
    let (store, _) = fresh().await;
    let hook = stored_webhook(&store, "w").await;
    let version = common(&store).await;
    let calls = (0..120).map(|n| {
        let store = store.clone();
        tokio::spawn(async move {
            let mut batch = direct(vec![message(hook, &format!("m{n}"), at(0))]);
            match n % 6 {
                1 => batch
                    .deliveries
                    .push(message(WebhookId(404), &format!("x{n}"), at(0))),
                2 => batch.precondition = by(RoutesVersion(version.0 - 1)),
                3 => batch.origin = named(&format!("o{}", n / 12)),
                5 => batch.precondition = by(version),
                _ => {}
            }
            (n, store.enqueue(batch, at(0)).await)
        })
    });
    let mut of_occurrence = [0; 10];
    for call in calls.collect::<Vec<_>>() {
        match call.await.unwrap() {
            (n, Err(error)) if n % 6 == 1 => assert_eq!(error.kind(), ErrorKind::Invalid),
            (n, Ok(Enqueued::RoutesChanged)) => assert_eq!(n % 6, 2),
            (n, Ok(answer)) if n % 6 == 3 => {
                of_occurrence[n / 12] += usize::from(matches!(answer, Enqueued::Stored { .. }));
            }
            (n, answer) => assert!(
                matches!(answer, Ok(Enqueued::Stored { .. })) && matches!(n % 6, 0 | 4 | 5),
                "{n}: {answer:?}"
            ),
        }
    }
    assert_eq!(of_occurrence, [1; 10], "each occurrence once");
    assert_eq!(store.count_queue(at(0)).await.unwrap().queued, 60 + 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_time_task_runs_once_despite_concurrent_emits() {
    let (a, config) = fresh().await;
    let b = PostgresStore::connect(config).await.unwrap();
    let hook = a
        .insert_webhook(&webhook("w"), UNLIMITED, at(0))
        .await
        .unwrap()
        .id;
    for round in 0..10 {
        let once = a
            .insert_task(&task(hook), UNLIMITED, at(0))
            .await
            .unwrap()
            .id;
        let version = common(&a).await;
        let emits = (0..8).map(|n| {
            let store = if n % 2 == 0 { a.clone() } else { b.clone() };
            let batch = Enqueue {
                precondition: by(version),
                consume: vec![once],
                ..direct(vec![message(hook, &format!("r{round}n{n}"), at(0))])
            };
            tokio::spawn(async move { store.enqueue(batch, at(0)).await.unwrap() })
        });
        let mut stored = 0;
        for emit in emits.collect::<Vec<_>>() {
            match emit.await.unwrap() {
                Enqueued::Stored { moved, .. } => {
                    stored += 1;
                    assert_eq!(moved.len(), 1);
                    assert!(moved[0].0 == Realm::Shared && moved[0].1 > version);
                }
                other => assert_eq!(other, Enqueued::RoutesChanged),
            }
        }
        assert_eq!(stored, 1);
        assert!(a.task(once).await.unwrap().is_none());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn enqueue_with_outdated_routes_is_never_stored() {
    let (a, config) = fresh().await;
    let b = PostgresStore::connect(config).await.unwrap();
    let hook = a
        .insert_webhook(&webhook("w"), UNLIMITED, at(0))
        .await
        .unwrap()
        .id;
    let emitter = {
        let b = b.clone();
        tokio::spawn(async move {
            let mut stored = Vec::new();
            for n in 0..300 {
                let version = common(&b).await;
                let batch = Enqueue {
                    precondition: by(version),
                    ..direct(vec![message(hook, &format!("m{n}"), at(0))])
                };
                if let Enqueued::Stored { moved, .. } = b.enqueue(batch, at(0)).await.unwrap() {
                    assert_eq!(moved, []);
                    stored.push(version);
                }
            }
            stored
        })
    };
    let mut changes = 0;
    while !emitter.is_finished() {
        let row = a.insert_task(&task(hook), UNLIMITED, at(0)).await.unwrap();
        a.delete_task(row.id, at(0)).await.unwrap();
        changes += 2;
    }
    assert!(!emitter.await.unwrap().is_empty() && changes > 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unreadable_delivery_ends_and_blocks_no_other() {
    let server = TestPostgres::start();
    let store = PostgresStore::connect(PostgresConfig::url(server.url()))
        .await
        .unwrap();
    let hook = stored_webhook(&store, "w").await;
    store
        .enqueue(
            direct(vec![
                message(hook, "good", at(0)),
                message(hook, "bad", at(0)),
                message(hook, "fine", at(0)),
            ]),
            at(0),
        )
        .await
        .unwrap();
    let (client, connection) = tokio_postgres::connect(server.url(), tokio_postgres::NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    client
        .batch_execute(
            "UPDATE gatepost.gatepost_delivery SET body = '\\xff' WHERE message_id = 'bad'",
        )
        .await
        .unwrap();
    assert_eq!(claim_all(&store, hook, 1).await.len(), 2);
    let row = client
        .query_one(
            "SELECT o.state, o.status_info FROM gatepost.gatepost_delivery d
             JOIN gatepost.gatepost_outcome o ON o.delivery = d.id WHERE d.message_id = 'bad'",
            &[],
        )
        .await
        .unwrap();
    assert_eq!(row.get::<_, i16>(0), 3);
    assert!(
        row.get::<_, &str>(1).contains("cannot be read"),
        "{}",
        row.get::<_, &str>(1)
    );
}

/// Emits and settles while backends are terminated and the server crashes: no acknowledged data is
/// lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faults_under_load_lose_no_acknowledged_data() {
    let server = TestPostgres::start();
    let store = Arc::new(
        PostgresStore::connect(PostgresConfig::url(server.url()))
            .await
            .unwrap(),
    );
    let hook = stored_webhook(&*store, "w").await;
    let emitters = (0..8).map(|emitter| {
        let store = Arc::clone(&store);
        tokio::spawn(async move {
            let mut acknowledged = Vec::new();
            for n in 0..150 {
                let id = format!("e{emitter}n{n}");
                let new = NewDelivery {
                    lease_until: Some(at(60)),
                    ..message(hook, &id, at(0))
                };
                let batch = Enqueue {
                    origin: named(&id),
                    ..direct(vec![new])
                };
                let stored = retry(|| store.enqueue(batch.clone(), at(0))).await;
                if let Enqueued::Stored { deliveries, .. } = stored {
                    let claim = Claim {
                        delivery: deliveries[0].id,
                        token: deliveries[0].token.unwrap(),
                    };
                    let settled = retry(|| {
                        store.settle(vec![settlement_of(claim, Disposition::Sent)], at(1))
                    })
                    .await;
                    assert_eq!(
                        settled,
                        [Settled::Done],
                        "a repeated settlement is recognised"
                    );
                }
                acknowledged.push(id);
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            acknowledged
        })
    });
    let emitters: Vec<_> = emitters.collect();
    for fault in 0..12 {
        tokio::time::sleep(Duration::from_millis(120)).await;
        if fault % 6 == 5 {
            tokio::task::block_in_place(|| server.crash_and_restart());
        } else if let Ok((client, connection)) =
            tokio_postgres::connect(server.url(), tokio_postgres::NoTls).await
        {
            tokio::spawn(connection);
            let _ = client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gatepost'", &[]).await;
        }
    }
    let mut acknowledged = HashSet::new();
    for emitter in emitters {
        acknowledged.extend(emitter.await.unwrap());
    }
    let all = retry(|| store.list_deliveries_of(hook)).await;
    let stored: HashSet<String> = all.iter().map(|d| d.message_id.to_string()).collect();
    assert_eq!(stored.len(), all.len(), "nothing twice");
    assert_eq!(acknowledged.len(), 1200);
    assert_eq!(acknowledged.difference(&stored).count(), 0, "nothing lost");
    for delivery in &all {
        let attempts = retry(|| store.attempts(delivery.id, 99)).await;
        let expected = if delivery.state == DeliveryState::Sent {
            1
        } else {
            0
        };
        assert_eq!(attempts.len(), expected, "an attempt is logged once");
    }
}

trait AllOf {
    async fn list_deliveries_of(
        &self,
        webhook: WebhookId,
    ) -> Result<Vec<Delivery>, gatepost_storage::StoreError>;
}

impl AllOf for PostgresStore {
    async fn list_deliveries_of(
        &self,
        webhook: WebhookId,
    ) -> Result<Vec<Delivery>, gatepost_storage::StoreError> {
        let query = DeliveryQuery {
            webhook: Some(webhook),
            ..DeliveryQuery::all(gatepost_storage::Page::first(10_000))
        };
        self.list_deliveries(&query).await
    }
}

/// Repeats a call after transient errors, as the engine does.
async fn retry<T, F: Future<Output = Result<T, gatepost_storage::StoreError>>>(
    mut call: impl FnMut() -> F,
) -> T {
    let start = tokio::time::Instant::now();
    loop {
        match call().await {
            Ok(answer) => return answer,
            Err(error) => {
                assert!(error.is_transient(), "{error:?}");
                assert!(
                    start.elapsed() < Duration::from_secs(20),
                    "does not heal: {error:?}"
                );
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn webhook_deleted_during_enqueues_leaves_no_rows() {
    let (a, config, place) = fresh_at().await;
    let b = PostgresStore::connect(config).await.unwrap();
    let (mut stored, mut refused) = (0, 0);
    for round in 0..60 {
        let hook = a
            .insert_webhook(&webhook(&format!("w{round}")), UNLIMITED, at(0))
            .await
            .unwrap()
            .id;
        let emits = (0..6).map(|n| {
            let store = if n % 2 == 0 { a.clone() } else { b.clone() };
            let batch = direct(vec![message(hook, &format!("r{round}n{n}"), at(0))]);
            tokio::spawn(async move { store.enqueue(batch, at(0)).await })
        });
        let emits: Vec<_> = emits.collect();
        a.delete_webhook(hook, Cascade::Refuse, at(0))
            .await
            .unwrap();
        for emit in emits {
            match emit.await.unwrap() {
                Ok(_) => stored += 1,
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Invalid, "{error:?}");
                    refused += 1;
                }
            }
        }
    }
    let left = a
        .list_deliveries(&DeliveryQuery::all(gatepost_storage::Page::first(10)))
        .await
        .unwrap();
    assert_eq!(left, [], "after {stored} stored and {refused} refused");
    while a.remove_gone(100, at(1)).await.unwrap() == 100 {}
    let client = raw(&place).await;
    for table in [
        "gatepost_delivery",
        "gatepost_outcome",
        "gatepost_queue",
        "gatepost_webhook",
    ] {
        assert_eq!(rows(&client, table).await, 0, "{table}");
    }
    assert!(
        stored > 0 && refused > 0,
        "both orders came: {stored} stored, {refused} refused"
    );
}
