//! The whole engine over real HTTP: from `emit` to the arrival of each message, and from a single
//! `emit` to the first byte at the receiver. Nothing reads the store during the measurement: the
//! count of the receiver ends a round.
//!
//! The store is a SQLite file (`synchronous=FULL`); the receiver answers immediately, on its own
//! thread in this process.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench measures time and stops at the first surprise"
)]

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use benches::{machines, one_system};
use delivery::{Sender, TargetPolicy};
use gatepost_engine::{Engine, InFlightLimits, Limits};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use webhook_model::{Occurrence, OwnerId, TagId, Webhook};

const EMITTERS: usize = 256;
const EACH: usize = 40;

/// The number of arrived requests, and the time of the last one.
type Arrived = Arc<Mutex<(usize, Option<Instant>)>>;

fn note(arrived: &Arrived) {
    let mut arrived = arrived.lock().unwrap();
    *arrived = (arrived.0 + 1, Some(Instant::now()));
}

fn receiver() -> (SocketAddr, Arrived) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let (addr, arrived) = (listener.local_addr().unwrap(), Arrived::default());
    let noted = arrived.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            while let Ok((mut stream, _)) = listener.accept().await {
                let noted = noted.clone();
                tokio::spawn(async move {
                    // One request is under way on a connection, and it fits: each read is one.
                    let mut buffer = [0; 8192];
                    while stream.read(&mut buffer).await.is_ok_and(|n| n > 0) {
                        note(&noted);
                        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
                        drop(stream.write_all(answer).await);
                    }
                });
            }
        });
    });
    (addr, arrived)
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let config = SqliteConfig::file(folder.path().join("gatepost.db"));
        let store = Arc::new(SqliteStore::open(config).await.unwrap());
        let (addr, arrived) = receiver();
        let engine = engine(store, addr).await;
        bare_commits(folder.path()).await;
        latency(&engine, &arrived).await;
        let mut rounds: Vec<f64> = Vec::new();
        for _ in 0..5 {
            rounds.push(cycle(&engine, &arrived).await);
        }
        rounds.sort_by(f64::total_cmp);
        println!(
            "emit to arrival over HTTP, {EMITTERS} emitters: {:.0}/s ({:.0} to {:.0})",
            rounds[2], rounds[0], rounds[4]
        );
        engine.shutdown(Duration::from_secs(1)).await;
    });
}

async fn engine(store: Arc<SqliteStore>, addr: SocketAddr) -> Engine {
    let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
    let in_flight = InFlightLimits::default().with_per_webhook(256);
    let limits = Limits::default().with_in_flight(in_flight);
    let engine = Engine::builder(store, Sender::builder(policy).build().unwrap());
    let engine = one_system(engine)
        .catalog(machines::catalog())
        .limits(limits)
        .start()
        .await
        .unwrap();
    let url = format!("http://{addr}/in").parse().unwrap();
    let webhook = Webhook::new(OwnerId(1), "w".parse().unwrap(), url);
    let webhook = engine.create_webhook(&webhook).await.unwrap().id;
    machines::route(&engine, webhook, TagId(1), r#"{"text":"${N} is on"}"#).await;
    engine
}

fn occurrence() -> Occurrence {
    machines::occurrence(TagId(1), &"vm-1")
}

/// Measures a row and a commit with the bare driver, with the same pauses between.
async fn bare_commits(folder: &std::path::Path) {
    let bare = rusqlite::Connection::open(folder.join("bare.db")).unwrap();
    let set_up =
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (x TEXT NOT NULL)";
    bare.execute_batch(set_up).unwrap();
    let mut figures = Vec::new();
    for _ in 0..500 {
        let began = Instant::now();
        bare.execute("INSERT INTO t VALUES (?1)", ["x".repeat(100)])
            .unwrap();
        figures.push(began.elapsed());
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    figures.sort();
    println!(
        "a bare commit alone: {:?} (median)",
        figures[figures.len() / 2]
    );
}

/// Measures, on an otherwise idle system, the time between the return of `emit`, which is after the
/// commit, and the first byte.
async fn latency(engine: &Engine, arrived: &Arrived) {
    let mut figures = Vec::new();
    for n in 0..520 {
        arrived.lock().unwrap().1 = None;
        let began = Instant::now();
        engine.emit(occurrence()).await.unwrap();
        let returned = Instant::now();
        let at = loop {
            if let Some(at) = arrived.lock().unwrap().1 {
                break at;
            }
            tokio::time::sleep(Duration::from_micros(100)).await;
        };
        if n >= 20 {
            figures.push((at.saturating_duration_since(returned), returned - began));
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    figures.sort();
    let commits: Vec<_> = {
        let mut c: Vec<_> = figures.iter().map(|f| f.1).collect();
        c.sort();
        c
    };
    println!(
        "emit alone: returns after {:?} (median); first byte {:?} later (median), {:?} (p99)",
        commits[commits.len() / 2],
        figures[figures.len() / 2].0,
        figures[figures.len() * 99 / 100].0
    );
}

/// Measures messages per second: all emitted, and arrived.
async fn cycle(engine: &Engine, arrived: &Arrived) -> f64 {
    let before = arrived.lock().unwrap().0;
    let began = Instant::now();
    let emitters: Vec<_> = (0..EMITTERS)
        .map(|_| {
            let engine = engine.clone();
            tokio::spawn(async move {
                for _ in 0..EACH {
                    engine.emit(occurrence()).await.unwrap();
                }
            })
        })
        .collect();
    for emitter in emitters {
        emitter.await.unwrap();
    }
    while arrived.lock().unwrap().0 - before < EMITTERS * EACH {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    (EMITTERS * EACH) as f64 / began.elapsed().as_secs_f64()
}
