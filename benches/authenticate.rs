//! From the header to the principal, out of memory, against SHA-256 of 50 bytes in the same run.
//!
//! `cargo bench -p benches --bench authenticate`
#![allow(
    missing_docs,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::needless_pass_by_value,
    reason = "a measurement, not a library"
)]

use std::future::Future;
use std::hint::black_box;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use apikey_core::{
    Description, Expiration, Grant, IpPolicy, KeyDraft, OwnerId, Pepper, PepperId, Peppers, Prefix,
};
use benches::{spread, thread_cpu};
use gatepost_keys::{AccessLevel, Account, AccountAnswer, Accounts, KeyService};
use gatepost_storage::{KeyStore, ManualClock, MemoryStore};
use sha2::{Digest, Sha256};

const ROUNDS: usize = 9;
const TIMES: usize = 300_000;

#[derive(Debug)]
struct Users;

impl Accounts for Users {
    fn account(&self, _owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(Some(Account::enabled(AccessLevel::User))))
    }
}

fn peppers() -> Peppers {
    Peppers::new(Pepper::new(PepperId(1), &[7; 32]).unwrap())
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let _guard = runtime.enter();
    let hash = (0..ROUNDS).map(|_| {
        nanos(TIMES, |n| {
            black_box(Sha256::digest(black_box([n as u8; 50])))[0]
        })
    });
    let (sha, low, high) = spread(hash.collect());
    println!(
        "SHA-256 of 50 bytes: {sha:.1} ns ({low:.1} to {high:.1}), {ROUNDS} rounds; each key has 10 IP entries and an HMAC digest"
    );
    for keys in [1, 10_000, 1_000_000] {
        let (service, headers) = runtime.block_on(filled(keys));
        let addr = "10.0.0.7".parse().unwrap();
        let once = |n: usize| {
            // A stride that is no pattern to the caches.
            let header = &headers[n.wrapping_mul(7_919) % headers.len()];
            let principal = ready(service.authenticate([header.as_bytes()], addr)).unwrap();
            principal.owner.0 as u8
        };
        (0..keys.min(TIMES)).for_each(|n| {
            black_box(once(n));
        });
        let figures = (0..ROUNDS).map(|_| nanos(TIMES, once)).collect();
        let counted = allocation_counter::measure(|| {
            black_box(once(3));
        });
        let (median, min, max) = spread(figures);
        println!(
            "{keys:9} keys: {median:7.1} ns ({min:.1} to {max:.1}) = {:.2} x SHA-256; {} allocations",
            median / sha,
            counted.count_total
        );
    }
}

/// A service whose cache holds this number of keys, and the header of each.
async fn filled(keys: usize) -> (KeyService, Vec<String>) {
    let store = Arc::new(MemoryStore::new());
    let now = "2026-01-01T00:00:00Z".parse().unwrap();
    let peppers = peppers();
    let allow = (0..10)
        .map(|n| format!("10.0.{n}.0/24"))
        .collect::<Vec<_>>()
        .join(",");
    let ip = IpPolicy {
        allow: allow.parse().unwrap(),
        deny: "".parse().unwrap(),
    };
    let mut headers = Vec::with_capacity(keys);
    for n in 0..keys {
        let draft = KeyDraft {
            owner: OwnerId(n as i64),
            name: "k".parse().unwrap(),
            description: Description::default(),
            expiration: Expiration::Never,
            ip: ip.clone(),
            grant: Grant::all(),
            limit: None,
        };
        let (record, reveal) = draft
            .issue(&Prefix::default(), &peppers, &mut rand::rng(), now)
            .unwrap()
            .into_parts();
        headers.push(format!("Bearer {}", reveal.reveal().as_str()));
        store.insert_key(&record, u64::MAX).await.unwrap();
    }
    let service = KeyService::builder(store, Arc::new(Users))
        .clock(Arc::new(ManualClock::at(now)))
        .peppers(peppers)
        .cached_keys(keys * 2 + 1000)
        .build();
    for header in &headers {
        service
            .authenticate([header.as_bytes()], "10.0.0.7".parse().unwrap())
            .await
            .unwrap();
    }
    (service, headers)
}

/// What is in memory needs no wait.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("the key is in memory"),
    }
}

fn nanos(times: usize, mut call: impl FnMut(usize) -> u8) -> f64 {
    let before = thread_cpu();
    let mut total = 0u8;
    for n in 0..times {
        total = total.wrapping_add(call(n));
    }
    black_box(total);
    (thread_cpu() - before).as_secs_f64() * 1e9 / times as f64
}
