//! The cost of one call, in µs, by the number of records.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use benches::issued;
use benches::platform::{Platform, Users, key_store, now, occurrence, open};
use benches::process::process_cpu;
use chrono::TimeDelta;
use gatepost_keys::KeyService;
use gatepost_storage::webhooks::DeliveryQuery;
use gatepost_storage::{KeyStore, Page, Scope};

use crate::backlog::Backlog;
use crate::cases::due;
use crate::cycle::Cycle;
use crate::emitter::owner;
use crate::stage::Stage;

/// The number of calls whose median is taken.
const CALLS: u32 = 200;
/// The number of calls whose mean CPU time is taken, which the kernel counts in 10 ms.
const EMITS: u32 = 2_000;
const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

/// Measures authentications. Keys are in memory once each of them has been presented.
pub(super) async fn keys(stage: &Stage, count: i64) -> f64 {
    let store = stage.fresh().await;
    let keys = key_store(store.kind, &store.place).await;
    let mut headers = Vec::new();
    let mut making = tokio::task::JoinSet::new();
    for n in 0..count {
        let keys = keys.clone();
        making.spawn(async move { header(&*keys, n).await });
        if making.len() == 256 {
            headers.push(making.join_next().await.unwrap().unwrap());
        }
    }
    headers.extend(making.join_all().await);
    let service = KeyService::builder(keys, Arc::new(Users));
    let service = service.cached_keys(headers.len() * 2).build();
    let mut took = Duration::ZERO;
    // Twice: the first time they are read into memory.
    for _ in 0..2 {
        let begun = Instant::now();
        for header in &headers {
            let known = service.authenticate([header.as_bytes()], HERE).await;
            assert!(known.is_ok());
        }
        took = begun.elapsed();
    }
    drop(service);
    store.remove().await;
    took.as_secs_f64() * 1e6 / count as f64
}

/// Stores a key of one of a thousand owners and returns its header.
async fn header(store: &dyn KeyStore, number: i64) -> String {
    let (record, key) = issued(owner(number % 1_000 + 1), &format!("k{number}"));
    store.insert_key(&record, u64::MAX).await.unwrap();
    format!("Bearer {key}")
}

/// Measures one emit after the other, each to the one webhook of another tenant, which is paused.
pub(super) async fn webhooks(stage: &Stage, count: i64) -> f64 {
    let store = stage.fresh().await;
    let platform = Arc::new(Platform::at(store.kind, &store.place).await);
    let owners = (1..=count).map(owner);
    platform
        .records_of_all(owners, "http://target.test/paused", 1)
        .await;
    let engine = platform.engine().await;
    let mut cpu = Duration::ZERO;
    // Ten of them, spread over all; their routes are read the first time.
    for _ in 0..2 {
        let before = process_cpu(std::process::id());
        for n in 0..i64::from(EMITS) {
            let to = owner(n % 10 * (count / 10) + 1);
            engine.emit(occurrence(to)).await.unwrap();
        }
        cpu = process_cpu(std::process::id()) - before;
    }
    engine.shutdown(Duration::ZERO).await;
    drop(platform);
    store.remove().await;
    cpu.as_secs_f64() * 1e6 / f64::from(EMITS)
}

/// Measures a claim out of queues with ten deliveries each, nine of ten due.
pub(super) async fn backlog(stage: &Stage, count: i64) -> f64 {
    let store = due::prepare(stage, count, count / 10).await;
    let bulk = store.bulk().await;
    let mut backlog = Backlog::open(&store).await;
    let mut waits = Vec::new();
    for call in 0..CALLS {
        if call % 10 == 0 {
            bulk.vacuum().await;
        }
        waits.push(backlog.claim_and_release(TimeDelta::zero()).await * 1e3);
    }
    drop((backlog, bulk));
    store.remove().await;
    benches::spread(waits).0
}

/// Measures a page of one of a hundred owners, whose share grows with the history.
pub(super) async fn history(stage: &Stage, count: i64) -> f64 {
    let store = stage.fresh().await;
    store.hooks(1, 100, true).await;
    let until = now() - TimeDelta::hours(1);
    let mut bulk = store.bulk().await;
    bulk.ended(count, until - TimeDelta::days(30), until).await;
    drop(bulk);
    let opened = open(store.kind, &store.place).await;
    let query = DeliveryQuery {
        scope: Scope::Owner(owner(7)),
        ..DeliveryQuery::all(Page::newest(50))
    };
    let mut waits = Vec::new();
    for _ in 0..CALLS {
        let begun = Instant::now();
        assert_eq!(opened.list_deliveries(&query).await.unwrap().len(), 50);
        waits.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    drop(opened);
    store.remove().await;
    benches::spread(waits).0
}

/// Measures the CPU time of a delivery of this size, of our process and the server's.
pub(super) async fn bytes(stage: &mut Stage, bytes: i64) -> f64 {
    let store = stage.fresh().await;
    let mut cycle = Cycle::start(stage, "one", &store.place, bytes.try_into().unwrap()).await;
    cycle.run(stage, 500).await;
    let run = cycle.run(stage, 4_000).await;
    drop(cycle);
    store.remove().await;
    run.own + run.server
}
