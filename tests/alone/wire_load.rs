//! 200 clients on kept-alive connections, each with a key, while keys are deleted and new ones are
//! made: no refused key is accepted, no good key is refused, and the platform's memory stays where
//! it was.
//!
//! Five seconds here; for the minute:
//! `GATEPOST_LOAD_SECONDS=60 cargo test -p tests --test alone -- --nocapture wire_load::`

use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::tempdir;
use tests::platform::PlatformProcess;
use tests::process;
use tokio::time::Instant;

use crate::own_process::is_own_process;

const CLIENTS: usize = 200;
const ROUNDS: u32 = 5;
/// The number of requests, deletions and refusals in each round, at least.
const ENOUGH: usize = 12;
// A key is good; being deleted, so that either response is right; deleted, as the response to the
// deletion said.
const GOOD: u8 = 0;
const GOING: u8 = 1;
const GONE: u8 = 2;

/// A key and where it stands.
#[derive(Debug)]
struct Key {
    text: String,
    row: i64,
    state: AtomicU8,
}

#[derive(Debug)]
struct Load {
    platform: PlatformProcess,
    /// The key that each client uses at present.
    keys: Mutex<Vec<Arc<Key>>>,
    stop: AtomicBool,
    answered: AtomicUsize,
    refused: AtomicUsize,
    deleted: AtomicUsize,
}

impl Load {
    async fn new_key(&self, client: usize) -> Arc<Key> {
        let name = format!("{client} {:?}", Instant::now());
        let body = json!({"user": 1 + client % 4, "name": name});
        let (status, made) = self
            .platform
            .call("POST", "user_api_keys", Some(body))
            .await;
        assert_eq!(status, 201, "{made}");
        Arc::new(Key {
            text: made["key"].as_str().unwrap().to_owned(),
            row: made["$row"].as_i64().unwrap(),
            state: AtomicU8::new(GOOD),
        })
    }

    /// One client: over one connection, until the end.
    async fn client(&self, number: usize) {
        let client = reqwest::Client::builder()
            .pool_max_idle_per_host(1)
            .build()
            .unwrap();
        let url = format!("{}/api/v4/system", self.platform.base);
        while !self.stop.load(SeqCst) {
            let key = self.keys.lock().unwrap()[number].clone();
            let before = key.state.load(SeqCst);
            let answer = client
                .get(&url)
                .bearer_auth(&key.text)
                .send()
                .await
                .unwrap();
            let status = answer.status().as_u16();
            answer.bytes().await.unwrap();
            let after = key.state.load(SeqCst);
            self.answered.fetch_add(1, SeqCst);
            match (before, after) {
                (GONE, _) => {
                    assert!(
                        [401, 429].contains(&status),
                        "a deleted key got the status {status}"
                    );
                    self.refused.fetch_add(1, SeqCst);
                    let new = self.new_key(number).await;
                    self.keys.lock().unwrap()[number] = new;
                }
                (GOOD, GOOD) => assert_eq!(status, 200, "a good key was refused"),
                _ => assert!([200, 401, 429].contains(&status), "{status}"),
            }
        }
    }

    /// Deletes keys, one after the other.
    async fn deleter(&self) {
        let mut number = 0;
        while !self.stop.load(SeqCst) {
            number = (number + 37) % CLIENTS;
            let key = self.keys.lock().unwrap()[number].clone();
            if key
                .state
                .compare_exchange(GOOD, GOING, SeqCst, SeqCst)
                .is_err()
            {
                tokio::task::yield_now().await;
                continue;
            }
            let path = format!("user_api_keys/{}", key.row);
            let (status, answer) = self.platform.call("DELETE", &path, None).await;
            assert_eq!((status, answer), (200, Value::Null));
            key.state.store(GONE, SeqCst);
            self.deleted.fetch_add(1, SeqCst);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits for this time, and until enough has happened since for a decision; returns the bytes
    /// that the platform then holds in memory.
    async fn round(&self, least: Duration) -> u64 {
        let counts = || [&self.answered, &self.refused, &self.deleted].map(|n| n.load(SeqCst));
        let before = counts();
        tokio::time::sleep(least).await;
        // On a machine that has other work it takes longer.
        for _ in 0..600 {
            if counts()
                .iter()
                .zip(before)
                .all(|(now, before)| *now >= before + ENOUGH)
            {
                return self.resident();
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("from {before:?} to {:?} in a minute", counts());
    }

    /// Bytes that the platform holds in memory.
    fn resident(&self) -> u64 {
        process::resident(self.platform.pid()).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_die_under_load_and_nothing_else_does() {
    if !is_own_process(concat!(
        module_path!(),
        "::keys_die_under_load_and_nothing_else_does"
    )) {
        return;
    }
    let seconds = std::env::var("GATEPOST_LOAD_SECONDS").ok();
    let whole = Duration::from_secs(seconds.map_or(5, |text| text.parse().unwrap()));
    let folder = tempdir().unwrap();
    let load = Arc::new(Load {
        platform: PlatformProcess::start(
            env!("CARGO_BIN_EXE_host"),
            folder.path(),
            &["--unlimited"],
        ),
        keys: Mutex::default(),
        stop: AtomicBool::new(false),
        answered: AtomicUsize::new(0),
        refused: AtomicUsize::new(0),
        deleted: AtomicUsize::new(0),
    });
    for number in 0..CLIENTS {
        let key = load.new_key(number).await;
        load.keys.lock().unwrap().push(key);
    }
    let mut all = tokio::task::JoinSet::new();
    for number in 0..CLIENTS {
        let load = load.clone();
        all.spawn(async move { load.client(number).await });
    }
    let deleter = load.clone();
    all.spawn(async move { deleter.deleter().await });
    // Memory that is taken once, for connections and caches, is there after the first round.
    let mut grown = Vec::new();
    let mut before = load.round(whole / ROUNDS).await;
    for _ in 1..ROUNDS {
        let after = load.round(whole / ROUNDS).await;
        grown.push(after.saturating_sub(before) / 1024);
        before = after;
    }
    load.stop.store(true, SeqCst);
    while let Some(ended) = all.join_next().await {
        ended.unwrap();
    }
    let [answered, refused, deleted] =
        [&load.answered, &load.refused, &load.deleted].map(|n| n.load(SeqCst));
    println!(
        "{answered} requests in {whole:?}, {deleted} keys deleted, {refused} of them tried again and refused; {grown:?} KiB more in each round, {} at last",
        before / 1024
    );
    // A leak for every request or key grows in every round. A step now and then is the allocator's:
    // a password's check takes 19 MiB on whichever thread it runs.
    assert!(grown.iter().any(|kib| *kib < 2 * 1024), "{grown:?}");
}
