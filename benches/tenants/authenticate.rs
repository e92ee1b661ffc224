//! Authentications of A while another process on the same store edits keys of B.
//!
//! A's keys are all in memory, and the cache follows the store: before each use it reads the
//! generation of the key's shard, and if that has changed it reads the changes.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use apikey_core::KeyId;
use benches::issued;
use benches::platform::{Kind, Users, fresh_place, key_store, now};
use gatepost_keys::{KeyService, Quota};
use gatepost_storage::KeyStore;
use gatepost_storage::keys::KeyShard;
use webhook_model::OwnerId;

use crate::edits::own_table;

/// The first users of each tenant; there are ten.
const A: i64 = 10;
const B: i64 = 20;
const KEYS: i64 = 1_000;
const EDITS_PER_SECOND: u64 = 100;
/// The variable with the location of the store, for the process that edits.
const PLACE: &str = "BENCH_PLACE";

pub(crate) async fn measure(case: &str, kind: Kind, short: bool) {
    if let Ok(place) = std::env::var(PLACE) {
        return beside(case, kind, place).await;
    }
    let (place, _folder) = fresh_place(kind).await;
    let store = key_store(kind, &place).await;
    let keys = issue(store.as_ref(), A).await;
    let headers: Vec<String> = keys.into_iter().map(|(_, header)| header).collect();
    let service = KeyService::builder(store.clone(), Arc::new(Users))
        .quotas(Arc::new(Quota::UNLIMITED))
        .build();
    authenticate(&service, &headers, 1, Duration::from_secs(2)).await;
    let _other = Beside::start(case, kind, &place);
    let span = Duration::from_secs(if short { 5 } else { 20 });
    for a_millisecond in [1, 20] {
        let (begun, edits) = (Instant::now(), generation(store.as_ref()));
        let waits = authenticate(&service, &headers, a_millisecond, span).await;
        let edits = generation(store.as_ref()) - edits;
        let seconds = begun.elapsed().as_secs();
        println!("{edits} edits in {seconds} s");
        let expected = EDITS_PER_SECOND * seconds * u64::from(case == "edits");
        assert!(edits.unsigned_abs() >= expected * 9 / 10, "too few edits");
        let at = |part: usize| waits[(waits.len() - 1) * part / 1_000].as_secs_f64() * 1e6;
        for (name, part) in [("median", 500), ("p99", 990), ("p99.9", 999)] {
            println!(
                "figure {a_millisecond},000 a second: {name}, µs {}",
                at(part)
            );
        }
    }
}

/// Makes calls one after the other, this number each millisecond; returns the time of each, sorted.
async fn authenticate(
    service: &KeyService,
    headers: &[String],
    a_millisecond: usize,
    span: Duration,
) -> Vec<Duration> {
    let mut pace = tokio::time::interval(Duration::from_millis(1));
    let addr = "10.0.0.7".parse().unwrap();
    let mut waits = Vec::new();
    let end = Instant::now() + span;
    while Instant::now() < end {
        pace.tick().await;
        for _ in 0..a_millisecond {
            // A stride that is no pattern to the caches.
            let header = &headers[waits.len().wrapping_mul(7_919) % headers.len()];
            let begun = Instant::now();
            service
                .authenticate([header.as_bytes()], addr)
                .await
                .unwrap();
            waits.push(begun.elapsed());
        }
    }
    waits.sort();
    waits
}

/// Creates keys of ten users, and returns the header of each.
async fn issue(store: &dyn KeyStore, first: i64) -> Vec<(KeyId, String)> {
    let mut keys = Vec::new();
    for n in 0..KEYS {
        let (record, key) = issued(
            OwnerId(u128::from((first + n % 10).unsigned_abs())),
            &format!("k{n}"),
        );
        let row = store.insert_key(&record, u64::MAX).await.unwrap();
        keys.push((row.id, format!("Bearer {key}")));
    }
    keys
}

/// Returns a number that grows by one with each edit, by any process.
fn generation(store: &dyn KeyStore) -> i64 {
    let shards = (0..=u8::MAX).filter_map(|n| store.key_generation(KeyShard(n)));
    shards.map(|generation| generation.0).max().unwrap()
}

/// The other process.
struct Beside(Child);

impl Beside {
    fn start(case: &str, kind: Kind, place: &str) -> Self {
        let kind = match kind {
            Kind::Sqlite => "sqlite",
            Kind::Postgres => "postgres",
        };
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--run", "authenticate", case, kind, "full"])
            .env(PLACE, place)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = child.stdout.take().unwrap();
        let other = Self(child);
        let ready = BufReader::new(output).lines().next().unwrap().unwrap();
        assert_eq!(ready, "ready");
        other
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The work of the other process until it is killed.
async fn beside(case: &str, kind: Kind, place: String) {
    let store = key_store(kind, &place).await;
    let keys = issue(store.as_ref(), B).await;
    println!("ready");
    match case {
        "edits" => edit(store, &keys).await,
        "own-table" => own_table(kind, place, EDITS_PER_SECOND).await,
        _ => std::future::pending().await,
    }
}

async fn edit(store: Arc<dyn KeyStore>, keys: &[(KeyId, String)]) {
    let mut pace = tokio::time::interval(Duration::from_micros(1_000_000 / EDITS_PER_SECOND));
    for (n, (key, _)) in (1_u64..).zip(keys.iter().cycle()) {
        pace.tick().await;
        let (store, key) = (store.clone(), *key);
        // The edits begin at fixed times: each waits until other processes know of it.
        tokio::spawn(async move {
            let mut row = store.key(key).await.unwrap().unwrap();
            row.key.description = n.to_string().parse().unwrap();
            store.update_key(&row, now()).await.unwrap();
        });
    }
}
