//! webhooksmith as `benches/scale` measures it: a program of its own, because it brings another
//! SQLite. It says `ready`; at each line `go FROM COUNT` it stores as many events with these
//! numbers, 256 at a time, and says `accepted`; its worker sends them at the same time.
//!
//! Everything is as its documentation has it by default, but that it may send to this machine. On
//! SQLite its one connection is opened by itself: WAL, and `synchronous` as SQLite has it, `FULL`.

use std::io::BufRead as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use uuid::Uuid;
use webhooksmith::{SqliteEngine, WebhookEngine};

const EMITTERS: usize = 256;
const SECRET: &str = "a-secret-of-at-least-32-characters";

enum Peer {
    Sqlite(SqliteEngine),
    Postgres(WebhookEngine),
}

impl Peer {
    async fn open(kind: &str, place: &str) -> Self {
        if kind == "sqlite" {
            let builder = SqliteEngine::builder().database_url(format!("sqlite:{place}?mode=rwc"));
            let engine = builder.allow_insecure_urls().build().await.unwrap();
            engine.migrate().await.unwrap();
            Self::Sqlite(engine)
        } else {
            let builder = WebhookEngine::builder().database_url(place);
            let engine = builder.allow_insecure_urls().build().await.unwrap();
            engine.migrate().await.unwrap();
            Self::Postgres(engine)
        }
    }

    async fn register(&self, url: &str) -> Uuid {
        let registered = match self {
            Self::Sqlite(engine) => engine.register(url, SECRET).await,
            Self::Postgres(engine) => engine.register(url, SECRET).await,
        };
        registered.unwrap().id
    }

    async fn send(&self, payload: Value, endpoint: Uuid) {
        let sent = match self {
            Self::Sqlite(engine) => engine.send("vms.on", payload, endpoint).await,
            Self::Postgres(engine) => engine.send("vms.on", payload, endpoint).await,
        };
        sent.unwrap();
    }

    async fn work(&self) {
        let never = std::future::pending();
        match self {
            Self::Sqlite(engine) => engine.run_graceful(never).await,
            Self::Postgres(engine) => engine.run_graceful(never).await,
        }
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, place, port, bytes] = arguments.as_slice() else {
        panic!("sqlite or postgres, place, port, bytes");
    };
    let peer = Arc::new(Peer::open(kind, place).await);
    let endpoint = peer.register(&format!("http://127.0.0.1:{port}/")).await;
    let worker = Arc::clone(&peer);
    tokio::spawn(async move { worker.work().await });
    let filler = "x".repeat(bytes.parse::<usize>().unwrap().saturating_sub(24));
    println!("ready");
    let (told, mut lines) = tokio::sync::mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            told.send(line.unwrap()).unwrap();
        }
    });
    while let Some(line) = lines.recv().await {
        let words: Vec<&str> = line.split(' ').collect();
        let (from, count): (u64, u64) = (words[1].parse().unwrap(), words[2].parse().unwrap());
        let next = Arc::new(AtomicU64::new(from));
        let mut emitters = tokio::task::JoinSet::new();
        for _ in 0..EMITTERS {
            let (peer, next, filler) = (Arc::clone(&peer), Arc::clone(&next), filler.clone());
            emitters.spawn(async move {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= from + count {
                        break;
                    }
                    peer.send(json!({ "n": n.to_string(), "pad": filler }), endpoint)
                        .await;
                }
            });
        }
        emitters.join_all().await;
        println!("accepted");
    }
}
