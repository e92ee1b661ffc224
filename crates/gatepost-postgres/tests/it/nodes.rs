//! Several nodes on one database: all refuse a key that one deletes, and recover from faults by
//! themselves.
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use apikey_core::LastLogin;
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_storage::keys::{ChangedKeys, KeyShard, KeyStore, KeyUse, Login};
use gatepost_storage::webhooks::{QueueStore, RecordStore};
use gatepost_testkit::fixtures::{UNLIMITED, at, direct, key, message, webhook};
use tokio::time::{Instant, sleep, timeout};

use crate::captured_log::heard;
use crate::common::{fresh, fresh_at, raw};
use crate::postgres::{self, TestPostgres};

/// Whether a node knows of changes at all is the same for every shard.
const ANY: KeyShard = KeyShard(0);
/// The limit that the README states.
const BOUND: Duration = Duration::from_secs(2);

async fn admin(url: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    client
}

/// Waits for a condition that is reached within `limit` on a quiet machine; a busy one has ten
/// times as long.
async fn until(what: &str, limit: Duration, mut reached: impl FnMut() -> bool) {
    let (start, limit) = (Instant::now(), 10 * limit);
    while !reached() {
        assert!(start.elapsed() < limit, "{what} took longer than {limit:?}");
        sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn key_change_reaches_nodes_or_generation_is_none() {
    let (a, config) = fresh().await;
    let (b, c) = (
        PostgresStore::connect(config.clone()).await.unwrap(),
        PostgresStore::connect(config).await.unwrap(),
    );
    let start = Instant::now();
    for round in 0..40 {
        let row = a
            .insert_key(&key(1, &format!("k{round}")), u64::MAX)
            .await
            .unwrap();
        let shard = KeyShard::of(row.key.lookup);
        until("confirmation", BOUND * 2, || {
            [&a, &b, &c]
                .iter()
                .all(|n| n.key_generation(shard).is_some())
        })
        .await;
        let before = [&a, &b, &c].map(|n| n.key_generation(shard).unwrap());
        if round % 2 == 0 {
            a.delete_key(row.id, at(1)).await.unwrap();
        } else {
            a.update_key(&row, at(1)).await.unwrap();
        }
        let after = [&a, &b, &c].map(|n| n.key_generation(shard));
        for (node, (before, after)) in [&a, &b, &c].into_iter().zip(before.into_iter().zip(after)) {
            assert!(
                after.is_none_or(|after| after > before),
                "round {round}: {before:?} {after:?}"
            );
            let changes = node.key_changes(shard, before).await.unwrap();
            assert_eq!(changes.changed, ChangedKeys::These(vec![row.key.lookup]));
        }
    }
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "nodes that listen acknowledge at once, not by the bound"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn key_changes_of_other_node_need_no_query() {
    let (a, config) = fresh().await;
    let b = PostgresStore::connect(config).await.unwrap();
    let changed_since = |shard, before| {
        let mut context = Context::from_waker(Waker::noop());
        let Poll::Ready(changes) = pin!(b.key_changes(shard, before)).poll(&mut context) else {
            panic!("requests that present keys of this shard would wait for the database");
        };
        changes.unwrap().changed
    };
    let mut rows = Vec::new();
    for n in 0..20 {
        let new = key(1, &format!("k{n}"));
        rows.push(a.insert_key(&new, u64::MAX).await.unwrap());
    }
    let shards = rows.iter().map(|row| KeyShard::of(row.key.lookup));
    let before: Vec<_> = shards.map(|s| (s, b.key_generation(s).unwrap())).collect();
    for row in &rows {
        a.update_key(row, at(1)).await.unwrap();
    }
    for (shard, before) in before {
        let of_shard = rows.iter().map(|row| row.key.lookup);
        let of_shard = of_shard.filter(|key| KeyShard::of(*key) == shard).collect();
        assert_eq!(changed_since(shard, before), ChangedKeys::These(of_shard));
    }

    // For its own changes this process asks the database, until a beat has read them.
    let (row, other) = (&rows[0], &rows[1]);
    let shard = KeyShard::of(row.key.lookup);
    let before = b.key_generation(shard).unwrap();
    b.delete_key(row.id, at(2)).await.unwrap();
    b.delete_key(other.id, at(2)).await.unwrap();
    let changes = b.key_changes(shard, before).await.unwrap();
    let ChangedKeys::These(changed) = changes.changed else {
        panic!("{changes:?}");
    };
    assert!(changed.contains(&row.key.lookup));
    assert!(Some(changes.generation) >= b.key_generation(shard));
}

/// Changes that are no longer logged, or more than a node remembers: the database is asked.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn key_changes_missed_by_beat_are_queried() {
    let (store, _, place) = fresh_at().await;
    let client = raw(&place).await;
    let shard = KeyShard(7);
    let unnamed = "UPDATE gatepost_key_generation SET generation = generation + 3;
        UPDATE gatepost_key_shard s SET generation = g.generation, forgotten = g.generation
        FROM gatepost_key_generation g WHERE s.shard = 7";
    let many = "INSERT INTO gatepost_key_change (shard, generation, lookup)
        SELECT n % 256, g.generation + n, translate(lpad(n::text, 16, 'x'), '0', 'y')
        FROM gatepost_key_generation g, generate_series(1, 2048) AS n;
        UPDATE gatepost_key_generation SET generation = generation + 2048;
        UPDATE gatepost_key_shard s SET generation = (SELECT max(c.generation) FROM gatepost_key_change c WHERE c.shard = s.shard)";
    for (change, named) in [(unnamed, None), (many, Some(8))] {
        let before = store.key_generation(shard).unwrap();
        client
            .batch_execute(&format!("BEGIN; {change}; COMMIT"))
            .await
            .unwrap();
        let moved = || store.key_generation(shard).is_some_and(|now| now > before);
        until("the next beat", BOUND, moved).await;
        let changes = store.key_changes(shard, before).await.unwrap();
        assert!(Some(changes.generation) >= store.key_generation(shard));
        let count = match changes.changed {
            ChangedKeys::These(keys) => Some(keys.len()),
            ChangedKeys::All => None,
        };
        assert_eq!(count, named);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_node_is_awaited_until_its_lease_ends() {
    let fresh = postgres::fresh();
    let schema = &fresh.schema;
    let a = PostgresStore::connect(PostgresConfig::url(&fresh.url).with_schema(schema))
        .await
        .unwrap();
    let row = a.insert_key(&key(1, "k"), u64::MAX).await.unwrap();
    let client = admin(&fresh.url).await;
    client.batch_execute(&format!("INSERT INTO {schema}.gatepost_node (acknowledged, lease_until) VALUES (0, clock_timestamp() + interval '1.2 s')")).await.unwrap();
    let start = Instant::now();
    a.delete_key(row.id, at(1)).await.unwrap();
    assert!(
        start.elapsed() >= Duration::from_millis(1100),
        "the silent node's lease still ran: {:?}",
        start.elapsed()
    );
    assert!(
        start.elapsed() < BOUND + Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );

    let row = a.insert_key(&key(1, "alone"), u64::MAX).await.unwrap();
    let start = Instant::now();
    a.delete_key(row.id, at(1)).await.unwrap();
    assert!(
        start.elapsed() < BOUND,
        "with no other node nothing is waited for: {:?}",
        start.elapsed()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn severed_listener_reports_no_generation_then_all_changed() {
    let server = TestPostgres::start();
    let config = PostgresConfig::url(server.url());
    let (a, b) = (
        PostgresStore::connect(config.clone()).await.unwrap(),
        PostgresStore::connect(config).await.unwrap(),
    );
    let client = admin(server.url()).await;
    for _ in 0..5 {
        let row = a.insert_key(&key(1, "k"), u64::MAX).await.unwrap();
        let shard = KeyShard::of(row.key.lookup);
        let known = || b.key_generation(shard).is_some();
        until("confirmation", BOUND * 2, known).await;
        let before = b.key_generation(shard).unwrap();
        let mut cut = 0;
        for _ in 0..100 {
            cut += client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '%(listening)'", &[]).await.unwrap().len();
            if cut >= 2 {
                break;
            }
            sleep(Duration::from_millis(20)).await;
        }
        assert!(cut >= 2, "{cut}");
        until("None", BOUND, || b.key_generation(shard) != Some(before)).await;
        a.delete_key(row.id, at(1)).await.unwrap();
        let now = b.key_generation(shard);
        assert!(now.is_none_or(|now| now > before));
        until("healing", BOUND * 3, || b.key_generation(shard).is_some()).await;
        assert!(
            b.key_generation(shard).unwrap() > before,
            "even had nothing changed, the cache must ask"
        );
        assert_eq!(
            b.key_changes(shard, before).await.unwrap().changed,
            ChangedKeys::All
        );
        assert!(b.key_by_lookup(row.key.lookup).await.unwrap().is_none());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn store_reconnects_after_server_crash_without_restart() {
    let server = TestPostgres::start();
    let store = PostgresStore::connect(PostgresConfig::url(server.url()))
        .await
        .unwrap();
    let row = store.insert_key(&key(1, "kept"), u64::MAX).await.unwrap();
    for _ in 0..3 {
        server.halt();
        until("None", BOUND, || store.key_generation(ANY).is_none()).await;
        let refused = store.key(row.id).await.unwrap_err();
        assert!(refused.is_transient(), "{refused:?}");
        server.run();
        let start = Instant::now();
        while store.key(row.id).await.is_err() {
            assert!(start.elapsed() < Duration::from_secs(5));
            sleep(Duration::from_millis(10)).await;
        }
        until("healing", Duration::from_secs(5), || {
            store.key_generation(ANY).is_some()
        })
        .await;
        assert_eq!(store.key(row.id).await.unwrap().unwrap(), row);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_only_server_is_transient_and_heals() {
    let server = TestPostgres::start();
    let store = PostgresStore::connect(PostgresConfig::url(server.url()))
        .await
        .unwrap();
    let client = admin(server.url()).await;
    client
        .batch_execute("ALTER SYSTEM SET default_transaction_read_only = on")
        .await
        .unwrap();
    client
        .batch_execute("SELECT pg_reload_conf()")
        .await
        .unwrap();
    let start = Instant::now();
    let refused = loop {
        match store
            .insert_webhook(
                &webhook(&format!("w{:?}", start.elapsed())),
                UNLIMITED,
                at(0),
            )
            .await
        {
            Err(refused) => break refused,
            Ok(_) => assert!(start.elapsed() < Duration::from_secs(5)),
        }
    };
    assert!(refused.is_transient(), "{refused:?}");
    client
        .batch_execute("SET default_transaction_read_only = off; ")
        .await
        .unwrap();
    client
        .batch_execute("ALTER SYSTEM RESET default_transaction_read_only")
        .await
        .unwrap();
    client
        .batch_execute("SELECT pg_reload_conf()")
        .await
        .unwrap();
    let start = Instant::now();
    while store
        .insert_webhook(&webhook("healed"), UNLIMITED, at(0))
        .await
        .is_err()
    {
        assert!(start.elapsed() < Duration::from_secs(5));
        sleep(Duration::from_millis(10)).await;
    }
}

/// Each node names the keys in another order, days begin in between, and keys are deleted at the
/// same time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_node_uses_add_up_without_deadlock() {
    let (a, config) = fresh().await;
    let b = PostgresStore::connect(config).await.unwrap();
    let mut keys = Vec::new();
    for n in 0..60 {
        let new = key(1, &format!("k{n}"));
        keys.push(a.insert_key(&new, u64::MAX).await.unwrap().id);
    }
    let first = at(0).date_naive();
    let count = |store: PostgresStore, is_reversed: bool| {
        let keys = keys.clone();
        tokio::spawn(async move {
            for round in 0..40_u64 {
                let mut uses: Vec<_> = keys
                    .iter()
                    .flat_map(|key| [round / 8, round / 8 + 1].map(|day| (*key, day)))
                    .map(|(key, day)| KeyUse {
                        key,
                        day: first + chrono::Days::new(day),
                        used: 1,
                        refused: 2,
                    })
                    .collect();
                if is_reversed {
                    uses.reverse();
                }
                let logins: Vec<_> = uses.iter().map(login_of).collect();
                store.record_activity(&logins, &uses).await?;
            }
            Ok::<_, gatepost_storage::StoreError>(())
        })
    };
    let counting = [count(a.clone(), false), count(b.clone(), true)];
    for id in &keys[..20] {
        b.delete_key(*id, at(1)).await.unwrap();
    }
    for counting in counting {
        counting.await.unwrap().unwrap();
    }
    let last = first + chrono::Days::new(99);
    for (at, id) in keys.iter().enumerate() {
        let days = a.key_uses(*id, first, last, 99).await.unwrap();
        let used: u64 = days.iter().map(|day| day.used).sum();
        let refused: u64 = days.iter().map(|day| day.refused).sum();
        let wanted = if at < 20 { (0, 0) } else { (160, 320) };
        assert_eq!((used, refused), wanted, "key {at}");
    }
}

fn login_of(used: &KeyUse) -> Login {
    Login {
        key: used.key,
        login: LastLogin {
            at: used.day.and_time(chrono::NaiveTime::MIN).and_utc(),
            from: [192, 0, 2, 1].into(),
        },
    }
}

/// The platform's subscriber; it panics at every event.
struct Panics;

impl tracing::Subscriber for Panics {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, _: &tracing::Event<'_>) {
        panic!("on purpose")
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

/// Each task of the store runs on this thread, so its log events go to that subscriber.
#[tokio::test]
async fn panicking_log_subscriber_costs_no_later_notification() {
    let server = TestPostgres::start();
    let config = PostgresConfig::url(server.url());
    let a = PostgresStore::connect(config.clone()).await.unwrap();
    let b = PostgresStore::connect(config).await.unwrap();
    let client = admin(server.url()).await;
    let _panics = heard(Panics);
    let listening = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name LIKE '%(listening)'";
    for _ in 0..3 {
        let before = b.key_generation(ANY);
        let mut cut = 0;
        while cut < 2 {
            cut += client.query(listening, &[]).await.unwrap().len();
            sleep(Duration::from_millis(20)).await;
        }
        let healed = || b.key_generation(ANY).is_some_and(|now| Some(now) > before);
        until("healing", BOUND * 3, healed).await;
    }
    let hook = webhook("w");
    let hook = a.insert_webhook(&hook, UNLIMITED, at(0)).await.unwrap();
    // The notification for the time without a connection comes first.
    while timeout(Duration::from_secs(1), b.work_arrived())
        .await
        .is_ok()
    {}
    let new = direct(vec![message(hook.id, "m1", at(0))]);
    a.enqueue(new, at(0)).await.unwrap();
    let heard = timeout(Duration::from_secs(60), b.work_arrived());
    assert!(heard.await.is_ok());
}
