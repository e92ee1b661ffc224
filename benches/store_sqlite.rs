//! The SQLite backend against the bare driver, in one run on one disk (`synchronous=FULL`).
//!
//! `cargo bench -p benches --bench store_sqlite`; with the argument `quick` on fewer rows.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout
)]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::KeyStore as _;
use gatepost_storage::webhooks::{
    AttemptRecord, Claim, Disposition, Enqueue, Enqueued, Lane, LaneClaim, LaneClass, NewDelivery,
    Origin, Phases, QueueStore as _, RecordStore as _, Settled, Settlement,
};
use rusqlite::{Connection, params};
use tokio::time::Instant;
use webhook_model::{OwnerId, Webhook, WebhookId};

const EMITTERS: usize = 256;
const ROUNDS: usize = 3;
const SPAN: Duration = Duration::from_secs(2);
const BODY: &str =
    r#"{"text":"vm-1 is on","at":1790000000,"filler":"0123456789012345678901234567890123456789"}"#;

static NUMBER: AtomicU64 = AtomicU64::new(0);

fn main() {
    let quick = std::env::args().any(|arg| arg == "quick");
    // Beside the build's own files: the temporary folder may lie in memory, where a sync costs
    // nothing.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut bare = bare(&folder.path().join("bare.db"));
        let path = folder.path().join("gatepost.db");
        let store = SqliteStore::open(SqliteConfig::file(&path)).await.unwrap();
        let hook = webhook("cycle");
        let hook = store.insert_webhook(&hook, now()).await.unwrap().id;
        cycles(&mut bare, &store, hook).await;
        singles(&bare, &store, hook).await;
        bytes(&store, hook, &path).await;
        generation(&store);
        let sizes: &[i64] = if quick {
            &[1_000, 100_000]
        } else {
            &[1_000, 10_000, 100_000, 1_000_000]
        };
        claims(&path, &store, sizes).await;
    });
}

/// Insert leased, then complete: by the bare driver in one transaction for as many as there are
/// emitters, and by emitters that each call `enqueue` and `settle` for one delivery.
async fn cycles(bare: &mut Connection, store: &SqliteStore, hook: WebhookId) {
    let (mut of_bare, mut of_store, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (bare, ours) = (bare_cycle(bare), our_cycle(store, hook).await);
        of_bare.push(bare);
        of_store.push(ours);
        ratios.push(ours / bare);
    }
    println!(
        "durable cycle, {EMITTERS} emitters: bare {:.0}/s, store {:.0}/s, ratio {:.2} ({:.2} to {:.2})",
        median(&mut of_bare),
        median(&mut of_store),
        median(&mut ratios),
        ratios[0],
        ratios[ratios.len() - 1]
    );
}

const BARE_INSERT: &str = "INSERT INTO bare (message_id, webhook, body, state, created, due, lease_until) VALUES (?1, 1, ?2, 1, 0, 0, 60)";
const BARE_UPDATE: &str =
    "UPDATE bare SET state = 2, lease_until = NULL, status_info = ?2 WHERE id = ?1 AND state = 1";

fn bare_cycle(connection: &mut Connection) -> f64 {
    let (start, mut done) = (Instant::now(), 0);
    while start.elapsed() < SPAN {
        let tx = connection.transaction().unwrap();
        let ids: Vec<i64> = (0..EMITTERS)
            .map(|_| {
                let mut insert = tx.prepare_cached(BARE_INSERT).unwrap();
                insert.insert(params![name(), BODY]).unwrap()
            })
            .collect();
        for id in ids {
            let mut update = tx.prepare_cached(BARE_UPDATE).unwrap();
            done += update.execute(params![id, "200 OK"]).unwrap();
        }
        tx.commit().unwrap();
    }
    done as f64 / start.elapsed().as_secs_f64()
}

async fn our_cycle(store: &SqliteStore, hook: WebhookId) -> f64 {
    let done = Arc::new(AtomicU64::new(0));
    let start = Instant::now();
    let emitters = (0..EMITTERS).map(|_| {
        let (store, done) = (store.clone(), Arc::clone(&done));
        tokio::spawn(async move {
            while start.elapsed() < SPAN {
                let settlement = sent(emit(&store, hook).await);
                assert_eq!(
                    store.settle(vec![settlement], now()).await.unwrap(),
                    [Settled::Done]
                );
                done.fetch_add(1, Ordering::Relaxed);
            }
        })
    });
    for emitter in emitters.collect::<Vec<_>>() {
        emitter.await.unwrap();
    }
    done.load(Ordering::Relaxed) as f64 / start.elapsed().as_secs_f64()
}

/// One enqueue on an idle system against one insert and commit.
async fn singles(bare: &Connection, store: &SqliteStore, hook: WebhookId) {
    let (mut of_bare, mut of_store) = (Vec::new(), Vec::new());
    for _ in 0..400 {
        let start = Instant::now();
        let mut insert = bare.prepare_cached(BARE_INSERT).unwrap();
        insert.insert(params![name(), BODY]).unwrap();
        of_bare.push(start.elapsed().as_secs_f64() * 1e6);
        let start = Instant::now();
        emit(store, hook).await;
        of_store.push(start.elapsed().as_secs_f64() * 1e6);
    }
    let (bare, ours) = (median(&mut of_bare), median(&mut of_store));
    println!(
        "single enqueue, idle: bare commit {bare:.0} us, store {ours:.0} us, ratio {:.2}",
        ours / bare
    );
}

/// What a delivery with one attempt adds to the file.
async fn bytes(store: &SqliteStore, hook: WebhookId, path: &Path) {
    const COUNT: u64 = 10_000;
    let size = || {
        let look = Connection::open(path).unwrap();
        look.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .unwrap();
        std::fs::metadata(path).unwrap().len()
    };
    let before = size();
    for _ in 0..COUNT / 100 {
        let claims = emit_many(store, hook, 100).await;
        let settled = store.settle(claims.into_iter().map(sent).collect(), now());
        assert_eq!(settled.await.unwrap().len(), 100);
    }
    println!(
        "bytes for a delivery with an attempt (body {}): {}",
        BODY.len(),
        (size() - before) / COUNT
    );
}

fn generation(store: &SqliteStore) {
    const CALLS: u32 = 100_000;
    let start = Instant::now();
    for _ in 0..CALLS {
        store.key_generation().unwrap();
    }
    let one = start.elapsed().as_secs_f64() * 1e6 / f64::from(CALLS);
    println!("key_generation: {one:.2} us");
}

/// A claim of 64 out of more and more waiting rows in 100 lanes.
async fn claims(path: &Path, store: &SqliteStore, sizes: &[i64]) {
    let mut hooks = Vec::new();
    for n in 0..100 {
        let hook = webhook(&format!("lane{n}"));
        hooks.push(store.insert_webhook(&hook, now()).await.unwrap().id);
    }
    let host = Connection::open(path).unwrap();
    let (mut waiting, mut smallest) = (0, None);
    for size in sizes {
        host.execute(
            "WITH RECURSIVE n (n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM n WHERE n + 1 < ?2)
             INSERT INTO gatepost_delivery (message_id, webhook, body, state, in_order, created, due)
             SELECT 'wait' || n, ?3 + n % 100, '{}', 0, 0, 0, n FROM n",
            params![waiting, size, hooks[0].0],
        )
        .unwrap();
        host.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .unwrap();
        waiting = *size;
        let mut micros = Vec::new();
        for round in 0..120 {
            let lanes: Vec<LaneClaim> = (0..8)
                .map(|i| LaneClaim {
                    lane: Lane {
                        webhook: hooks[(round * 8 + i) % 100],
                        class: LaneClass::First,
                    },
                    limit: 8,
                })
                .collect();
            let start = Instant::now();
            let claimed = store
                .claim(&lanes, now() + TimeDelta::seconds(60), now())
                .await
                .unwrap();
            micros.push(start.elapsed().as_secs_f64() * 1e6);
            assert_eq!(claimed.len(), 64);
            // Given back at once, so that each size keeps its rows.
            let release = claimed.into_iter().map(|c| Settlement {
                verdict: Disposition::Release {
                    due: c.delivery.due,
                },
                attempt: None,
                ..sent(Claim {
                    delivery: c.delivery.id,
                    token: c.token,
                })
            });
            let settled = store.settle(release.collect(), now()).await.unwrap();
            assert!(settled.iter().all(|s| *s == Settled::Done));
        }
        let median = median(&mut micros);
        let first = *smallest.get_or_insert(median);
        println!(
            "claim of 64 among {size} waiting: {median:.0} us, {:.2} x",
            median / first
        );
    }
}

async fn emit(store: &SqliteStore, webhook: WebhookId) -> Claim {
    emit_many(store, webhook, 1).await[0]
}

async fn emit_many(store: &SqliteStore, webhook: WebhookId, count: usize) -> Vec<Claim> {
    let delivery = || NewDelivery {
        message_id: name().parse().unwrap(),
        webhook,
        task: None,
        body: BODY.into(),
        due: now(),
        lease_until: Some(now() + TimeDelta::seconds(60)),
    };
    let batch = Enqueue {
        routes: None,
        source: Origin::Direct,
        deliveries: (0..count).map(|_| delivery()).collect(),
        consume: Vec::new(),
    };
    let Enqueued::Stored { deliveries, .. } = store.enqueue(batch, now()).await.unwrap() else {
        panic!("not stored")
    };
    let claim = |d: gatepost_storage::webhooks::StoredDelivery| Claim {
        delivery: d.id,
        token: d.token.unwrap(),
    };
    deliveries.into_iter().map(claim).collect()
}

fn sent(claim: Claim) -> Settlement {
    let attempt = AttemptRecord {
        number: 0,
        started: now(),
        duration: Duration::from_millis(3),
        phases: Phases::default(),
        class: "ok".to_owned(),
        info: "200 OK".to_owned(),
        status: Some(200),
        remote: None,
        protocol: Some("HTTP/1.1".to_owned()),
        response_head: b"content-length: 2".to_vec(),
        response_body: b"ok".to_vec(),
        truncated: false,
    };
    Settlement {
        claim,
        verdict: Disposition::Sent,
        status_info: "200 OK".to_owned(),
        attempt: Some(attempt),
    }
}

/// A table with a key, a unique id and a partial index: the least that a queue needs.
fn bare(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;
             CREATE TABLE bare (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT NOT NULL UNIQUE, webhook INTEGER NOT NULL,
                 body TEXT NOT NULL, state INTEGER NOT NULL, status_info TEXT NOT NULL DEFAULT '', created INTEGER NOT NULL,
                 due INTEGER NOT NULL, lease_until INTEGER) STRICT;
             CREATE INDEX bare_waiting ON bare (webhook, due, id) WHERE state = 0",
        )
        .unwrap();
    connection
}

fn webhook(name: &str) -> Webhook {
    Webhook::new(
        OwnerId(1),
        name.parse().unwrap(),
        "https://example.com/hook".parse().unwrap(),
    )
}

/// A fixed moment: the store takes the time that it is given.
fn now() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(1_800_000_000)
}

fn name() -> String {
    // Spread as random ids are, so that the unique index is not filled at its end alone.
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!(
        "{:016x}{number:x}",
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    )
}

fn median(figures: &mut [f64]) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
