//! The PostgreSQL backend against the bare driver, in one run on one server of its own (fsync on).
//!
//! `cargo bench -p benches --bench store_postgres`; with the argument `quick` on fewer rows.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout
)]

#[allow(dead_code, unreachable_pub)]
#[path = "../tests/src/postgres.rs"]
mod postgres;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_storage::webhooks::{
    AttemptRecord, Claim, Disposition, Enqueue, Enqueued, Lane, LaneClaim, LaneClass, NewDelivery,
    Origin, Phases, QueueStore, RecordStore, Settled, Settlement,
};
use postgres::TestPostgres;
use tokio::time::Instant;
use tokio_postgres::{Client, NoTls};
use webhook_model::{OwnerId, Webhook, WebhookId};

const EMITTERS: usize = 256;
const ROUNDS: usize = 5;
const SPAN: Duration = Duration::from_secs(3);
const BODY: &str =
    r#"{"text":"vm-1 is on","at":1790000000,"filler":"0123456789012345678901234567890123456789"}"#;

static NUMBER: AtomicU64 = AtomicU64::new(0);

fn main() {
    let quick = std::env::args().any(|arg| arg == "quick");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let server = TestPostgres::start();
    runtime.block_on(async {
        let bare = bare(server.url()).await;
        let store = PostgresStore::connect(PostgresConfig::url(server.url()))
            .await
            .unwrap();
        let hook = webhook("cycle");
        let hook = store.insert_webhook(&hook, now()).await.unwrap().id;
        cycles(&bare, &store, hook).await;
        singles(&bare, &store, hook).await;
        claims(
            &bare,
            &store,
            if quick {
                &[1_000, 100_000]
            } else {
                &[1_000, 10_000, 100_000, 1_000_000]
            },
        )
        .await;
    });
}

/// Insert leased, then complete: by the bare driver in sets of as many as there are emitters, and
/// by emitters that each call `enqueue` and `settle` for one delivery.
async fn cycles(bare: &Client, store: &PostgresStore, hook: WebhookId) {
    let (mut of_bare, mut of_store, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (bare, ours) = (bare_cycle(bare).await, our_cycle(store, hook).await);
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

async fn bare_cycle(client: &Client) -> f64 {
    let insert = client
        .prepare(
            "INSERT INTO bare (message_id, webhook, body, state, created, due, lease_until)
             SELECT m, 1, b, 'running', now(), now(), now() + interval '60 s' FROM unnest($1::text[], $2::bytea[]) AS u (m, b) RETURNING id",
        )
        .await
        .unwrap();
    let complete = client
        .prepare(
            "UPDATE bare SET state = 'sent', lease_until = NULL, status_info = u.info FROM unnest($1::bigint[], $2::text[]) AS u (id, info)
             WHERE bare.id = u.id AND state = 'running'",
        )
        .await
        .unwrap();
    let bodies = vec![BODY.as_bytes(); EMITTERS];
    let info = vec!["200 OK"; EMITTERS];
    let (start, mut done) = (Instant::now(), 0);
    while start.elapsed() < SPAN {
        let names: Vec<String> = (0..EMITTERS).map(|_| name()).collect();
        let rows = client.query(&insert, &[&names, &bodies]).await.unwrap();
        let ids: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
        done += client.execute(&complete, &[&ids, &info]).await.unwrap();
    }
    done as f64 / start.elapsed().as_secs_f64()
}

async fn our_cycle(store: &PostgresStore, hook: WebhookId) -> f64 {
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
async fn singles(bare: &Client, store: &PostgresStore, hook: WebhookId) {
    let insert = bare
        .prepare(
            "INSERT INTO bare (message_id, webhook, body, state, created, due, lease_until)
             VALUES ($1, 1, $2, 'running', now(), now(), now() + interval '60 s') RETURNING id",
        )
        .await
        .unwrap();
    let (mut of_bare, mut of_store) = (Vec::new(), Vec::new());
    for _ in 0..600 {
        let start = Instant::now();
        bare.query_one(&insert, &[&name(), &BODY.as_bytes()])
            .await
            .unwrap();
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

/// A claim of 64 out of more and more waiting rows in 100 lanes.
async fn claims(admin: &Client, store: &PostgresStore, sizes: &[i64]) {
    let mut hooks = Vec::new();
    for n in 0..100 {
        hooks.push(
            store
                .insert_webhook(&webhook(&format!("lane{n}")), now())
                .await
                .unwrap()
                .id,
        );
    }
    let (mut waiting, mut smallest) = (0, None);
    for size in sizes {
        let fill = format!(
            "INSERT INTO gatepost.gatepost_delivery (message_id, webhook, body, state, in_order, created, due)
             SELECT 'wait' || n, {} + n % 100, '\\x7b7d', 'queued', false, '2027-01-01', '2027-01-01'::timestamptz + n * interval '1 ms'
             FROM generate_series({waiting}, {size} - 1) AS n",
            hooks[0].0
        );
        admin.batch_execute(&fill).await.unwrap();
        admin
            .batch_execute("VACUUM ANALYZE gatepost.gatepost_delivery")
            .await
            .unwrap();
        admin.batch_execute("CHECKPOINT").await.unwrap();
        waiting = *size;
        let mut micros = Vec::new();
        for round in 0..60 {
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
                .claim(
                    &lanes,
                    now() + TimeDelta::seconds(60),
                    now() + TimeDelta::days(365),
                )
                .await
                .unwrap();
            micros.push(start.elapsed().as_secs_f64() * 1e6);
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
            assert!(!settled.is_empty() && settled.iter().all(|s| *s == Settled::Done));
        }
        let median = median(&mut micros);
        let first = *smallest.get_or_insert(median);
        println!(
            "claim of 64 among {size} waiting: {median:.0} us, {:.2} x",
            median / first
        );
    }
}

async fn emit(store: &PostgresStore, webhook: WebhookId) -> Claim {
    let delivery = NewDelivery {
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
        deliveries: vec![delivery],
        consume: Vec::new(),
    };
    match store.enqueue(batch, now()).await.unwrap() {
        Enqueued::Stored { deliveries, .. } => Claim {
            delivery: deliveries[0].id,
            token: deliveries[0].token.unwrap(),
        },
        other => panic!("{other:?}"),
    }
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

/// A connection and a table with a key, a unique id and a partial index: the least that a queue
/// needs.
async fn bare(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
        .batch_execute(
            "CREATE TABLE bare (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, message_id text NOT NULL UNIQUE, webhook bigint NOT NULL,
                 body bytea NOT NULL, state text NOT NULL, status_info text NOT NULL DEFAULT '', created timestamptz NOT NULL,
                 due timestamptz NOT NULL, lease_until timestamptz);
             CREATE INDEX bare_waiting ON bare (webhook, due, id) WHERE state = 'queued'",
        )
        .await
        .unwrap();
    client
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
