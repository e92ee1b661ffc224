//! The cost of a batch of occurrences in one call of `emit_many`, against the same number of calls
//! of `emit` by as many concurrent tasks. Each occurrence makes one delivery, which waits: its
//! webhook is paused.
//!
//! The store is a SQLite file (`synchronous=FULL`), and then a separate PostgreSQL server (fsync
//! on). Both ways take turns within one run; the result is their ratio.
//!
//! `cargo bench -p benches --bench emit_many`
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a bench measures time and stops at the first surprise"
)]

#[path = "../tests/src/postgres.rs"]
pub mod postgres;

use std::sync::Arc;
use std::time::{Duration, Instant};

use benches::platform::{Kind, fresh_place_on, open};
use benches::{machines, one_system, spread};
use delivery::{Sender, TargetPolicy};
use gatepost_engine::Engine;
use gatepost_ids::Realm;
use gatepost_storage::webhooks::WebhookStore;
use webhook_model::{Activity, Occurrence, OwnerId, TagId, Webhook};

const AT_ONCE: usize = 100;
/// Batches of one kind in a round, and rounds.
const BATCHES: usize = 20;
const ROUNDS: usize = 9;
/// Callers whose emits match nothing, and how many emits each makes in a round.
const CALLERS: usize = 256;
const UNMATCHED: usize = 200;
/// The number of occurrences that one caller emits in a round.
const ALONE: usize = 1_000;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let server = postgres::TestPostgres::start();
    runtime.block_on(async {
        measure(Kind::Sqlite, "").await;
        measure(Kind::Postgres, server.url()).await;
    });
}

async fn measure(kind: Kind, server: &str) {
    let (place, _folder) = fresh_place_on(kind, server).await;
    let store = open(kind, &place).await;
    let engine = engine(store.clone()).await;
    many(&engine).await;
    apart(&engine).await;
    let (mut ratios, mut rates) = (Vec::new(), (Vec::new(), Vec::new()));
    for _ in 0..ROUNDS {
        let began = Instant::now();
        for _ in 0..BATCHES {
            apart(&engine).await;
        }
        let by_tasks = began.elapsed();
        let began = Instant::now();
        for _ in 0..BATCHES {
            many(&engine).await;
        }
        let by_batch = began.elapsed();
        ratios.push(by_tasks.as_secs_f64() / by_batch.as_secs_f64());
        rates.0.push(rate(by_tasks));
        rates.1.push(rate(by_batch));
    }
    let (tasks, least, most) = spread(rates.0);
    println!("{kind}: emit by {AT_ONCE} tasks at once: {tasks:.0}/s ({least:.0} to {most:.0})");
    let (batch, least, most) = spread(rates.1);
    println!("{kind}: emit_many of {AT_ONCE}: {batch:.0}/s ({least:.0} to {most:.0})");
    benches::keep(
        &format!("{kind}: emit_many / emit"),
        &ratios,
        benches::Better::More,
    );
    let (ratio, least, most) = spread(ratios);
    println!("{kind}: emit_many against emit: {ratio:.1} x ({least:.1} to {most:.1})");
    unmatched(kind, &engine, &*store).await;
    engine.shutdown(Duration::from_secs(1)).await;
}

async fn unmatched(kind: Kind, engine: &Engine, store: &dyn WebhookStore) {
    let (mut ratios, mut rates) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let began = Instant::now();
        let callers = (0..CALLERS).map(|_| tokio::spawn(match_nothing(engine.clone(), UNMATCHED)));
        for caller in callers.collect::<Vec<_>>() {
            caller.await.unwrap();
        }
        rates.push((CALLERS * UNMATCHED) as f64 / began.elapsed().as_secs_f64());
        let began = Instant::now();
        for _ in 0..ALONE {
            store.routes_versions(&[Realm::Shared]).await.unwrap();
        }
        let bare = began.elapsed();
        let began = Instant::now();
        tokio::spawn(match_nothing(engine.clone(), ALONE))
            .await
            .unwrap();
        ratios.push(began.elapsed().as_secs_f64() / bare.as_secs_f64());
    }
    let (rate, least, most) = spread(rates);
    println!(
        "{kind}: emits that match nothing, {CALLERS} callers: {rate:.0}/s ({least:.0} to {most:.0})"
    );
    let (ratio, least, most) = spread(ratios);
    println!(
        "{kind}: one that matches nothing, over a read of versions: {ratio:.2} x ({least:.2} to {most:.2})"
    );
}

async fn match_nothing(engine: Engine, times: usize) {
    for _ in 0..times {
        let occurrence = machines::occurrence(TagId(2), &"vm-1");
        assert!(engine.emit(occurrence).await.unwrap().deliveries.is_empty());
    }
}

fn rate(time: Duration) -> f64 {
    (BATCHES * AT_ONCE) as f64 / time.as_secs_f64()
}

async fn many(engine: &Engine) {
    let all = (0..AT_ONCE).map(|_| occurrence()).collect();
    let answers = engine.emit_many(all).await.unwrap();
    assert!(
        answers
            .into_iter()
            .all(|answer| answer.unwrap().deliveries.len() == 1)
    );
}

async fn apart(engine: &Engine) {
    let emits: Vec<_> = (0..AT_ONCE)
        .map(|_| {
            let engine = engine.clone();
            tokio::spawn(async move { engine.emit(occurrence()).await.unwrap() })
        })
        .collect();
    for emit in emits {
        assert_eq!(emit.await.unwrap().deliveries.len(), 1);
    }
}

async fn engine(store: Arc<dyn WebhookStore>) -> Engine {
    let sender = Sender::builder(TargetPolicy::public()).build().unwrap();
    let engine = one_system(Engine::builder(store, sender))
        .catalog(machines::catalog())
        .start()
        .await
        .unwrap();
    let url = "https://example.com/in".parse().unwrap();
    let mut webhook = Webhook::new(OwnerId(1), "w".parse().unwrap(), url);
    webhook.activity = Activity::Paused;
    let webhook = engine.create_webhook(&webhook).await.unwrap().id;
    machines::route(&engine, webhook, TagId(1), r#"{"text":"${N} is on"}"#).await;
    engine
}

fn occurrence() -> Occurrence {
    machines::occurrence(TagId(1), &"vm-1")
}
