//! Whether the time of a refusal reveals that a key with that id exists, or is in use.
//!
//! A test of `gatepost-keys` shows that the work and the moment are the same; this bench measures
//! the times. The control: a service that answers when it is done.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench stops at the first surprise"
)]

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use apikey_core::{
    KeyDraft, KeyString, LookupId, OwnerId, Peppers, Prefix, PresentedKey, reject_unknown,
    verify_key,
};
use benches::forge::forged;
use benches::spread;
use gatepost_keys::{AccessLevel, Account, AccountAnswer, Accounts, KeyService, Principal, Via};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::{Clock, KeyStore, SystemClock};
use tempfile::tempdir;
use tokio::time::Instant;

/// The number of samples of each kind in a round, taken in turn.
const SAMPLES: u32 = 500;
const ROUNDS: usize = 5;
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

#[derive(Debug)]
struct Users;

impl Accounts for Users {
    fn account(&self, _owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(Some(Account::enabled(AccessLevel::User))))
    }
}

/// Keys in a file: one that is cached, and one that is not.
struct Bench {
    store: Arc<SqliteStore>,
    keys: KeyService,
    hot: String,
    cold: String,
    _folder: tempfile::TempDir,
}

impl Bench {
    async fn new() -> Self {
        let folder = tempdir().unwrap();
        let file = SqliteConfig::file(folder.path().join("keys.db"));
        let store = Arc::new(SqliteStore::open(file).await.unwrap());
        let keys = KeyService::builder(store.clone(), Arc::new(Users)).build();
        let (hot, cold) = (make(&keys, "hot").await, make(&keys, "cold").await);
        let header = format!("Bearer {hot}");
        keys.authenticate([header.as_bytes()], HERE).await.unwrap();
        Self {
            store,
            keys,
            hot,
            cold,
            _folder: folder,
        }
    }

    /// Returns wrong keys: of an unknown id, of a cached one, and of one in the store.
    fn guesses(&self, round: u32) -> [String; 3] {
        let unknown = KeyString::generate(&Prefix::default(), &mut rand::rng()).unwrap();
        [
            unknown.as_str().to_owned(),
            forged(&self.hot, round),
            forged(&self.cold, round),
        ]
    }
}

async fn make(keys: &KeyService, name: &str) -> String {
    let draft = KeyDraft::new(OwnerId(1), name.parse().unwrap());
    let user = Account::enabled(AccessLevel::User);
    let user = Principal::new(OwnerId(1), user, Via::Platform);
    let (_, once) = keys.create(&user, draft).await.unwrap();
    once.reveal().as_str().to_owned()
}

/// Returns the sorted times of each kind of guess, taken in turn.
async fn measure(bench: &Bench, refuse: impl AsyncFn(&str)) -> [Vec<Duration>; 3] {
    let mut times: [Vec<Duration>; 3] = Default::default();
    for round in 0..SAMPLES {
        for (kind, guess) in bench.guesses(round).iter().enumerate() {
            let began = Instant::now();
            refuse(guess).await;
            times[kind].push(began.elapsed());
        }
    }
    times.each_mut().map(|times| {
        times.sort_unstable();
        std::mem::take(times)
    })
}

/// Returns the largest difference between the shares of durations up to any limit (Kolmogorov and
/// Smirnov): 0 for equal samples, 1 for samples that do not overlap.
fn distance(a: &[Duration], b: &[Duration]) -> f64 {
    let share = |of: &[Duration], time| of.partition_point(|t| *t <= time) as f64 / of.len() as f64;
    let times = a.iter().chain(b);
    times.fold(0.0, |most: f64, time| {
        most.max((share(a, *time) - share(b, *time)).abs())
    })
}

/// Returns the largest distance between any two kinds, in each of some rounds.
async fn distances(bench: &Bench, refuse: impl AsyncFn(&str)) -> Vec<f64> {
    let mut largest = Vec::new();
    for _ in 0..ROUNDS {
        let [unknown, hot, cold] = measure(bench, &refuse).await;
        let pairs = [(&unknown, &hot), (&unknown, &cold), (&hot, &cold)];
        let far = pairs.map(|(a, b)| distance(a, b));
        println!("unknown and in memory, unknown and stored, both: {far:.2?}");
        largest.push(far.into_iter().fold(0.0, f64::max));
    }
    largest
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let bench = Bench::new().await;
    let service = distances(&bench, async |guess| {
        let header = format!("Bearer {guess}");
        let refused = bench.keys.authenticate([header.as_bytes()], HERE).await;
        assert!(refused.is_err());
    });
    let (far, least, most) = spread(service.await);
    println!("the service: {far:.2} ({least:.2} to {most:.2})");
    let (far, least, most) = spread(control(&bench).await);
    println!("one that answers when it is done: {far:.2} ({least:.2} to {most:.2})");
}

/// Measures a service that reads the store only for keys that are not in memory, the obvious way.
async fn control(bench: &Bench) -> Vec<f64> {
    let (peppers, now) = (Peppers::none(), SystemClock.now());
    let lookup = |key: &str| PresentedKey::parse(key).unwrap().lookup();
    let row = bench.store.key_by_lookup(lookup(&bench.hot)).await.unwrap();
    let memory: HashMap<LookupId, _> = HashMap::from([(lookup(&bench.hot), row.unwrap())]);
    let answer = async |guess: &str| {
        let key = PresentedKey::parse(guess).unwrap();
        let row = match memory.get(&key.lookup()) {
            Some(row) => Some(row.clone()),
            None => bench.store.key_by_lookup(key.lookup()).await.unwrap(),
        };
        let refused = match row {
            Some(row) => row
                .key
                .checker()
                .is_none_or(|checker| verify_key(&checker, &key, HERE, now, &peppers).is_err()),
            None => !reject_unknown(&key, &peppers).is_ip(),
        };
        assert!(refused);
    };
    distances(bench, answer).await
}
