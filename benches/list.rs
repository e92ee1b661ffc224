//! A list of 50 keys as JSON over kept-alive TCP connections, 10,000 keys in SQLite, against the
//! same page read from only the store: requests and pages per second of CPU time of all threads
//! except the clients.
//!
//! `cargo bench -p benches --bench list`
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement, not a library"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use apikey_core::OwnerId;
use axum::Router;
use benches::platform::{Kind, fresh_place};
use benches::process::process_cpu;
use benches::{issued, spread, thread_cpu, whole};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::keys::KeyQuery;
use gatepost_storage::{KeyStore, Page};

const ROUNDS: usize = 9;
const KEYS: i64 = 10_000;
const ROWS: u32 = 50;
const CONNECTIONS: usize = 4;
/// The number of requests of one connection in one round.
const REQUESTS: usize = 250;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let (place, _folder) = fresh_place(Kind::Sqlite).await;
        let store = Arc::new(SqliteStore::open(SqliteConfig::file(&place)).await.unwrap());
        let key = fill(store.clone()).await;
        let (_, router) = whole(store.clone()).await;
        let mut ratios = Vec::new();
        let mut costs = Vec::new();
        for _ in 0..ROUNDS {
            let alone = pages(&store).await;
            let served = requests(&router, &key).await;
            ratios.push(alone.as_secs_f64() / served.as_secs_f64());
            costs.push(served.as_secs_f64() * 1e6 / (CONNECTIONS * REQUESTS) as f64);
        }
        benches::keep(
            "requests / pages of the store",
            &ratios,
            benches::Better::More,
        );
        let (ratio, low, high) = spread(ratios);
        let (cost, least, most) = spread(costs);
        println!("a list of {ROWS} of {KEYS} keys: {cost:.0} us of CPU ({least:.0} to {most:.0})");
        println!("requests / pages of the store a CPU second: {ratio:.2} ({low:.2} to {high:.2})");
    });
}

/// Creates keys of one owner; returns the header of the first.
async fn fill(store: Arc<SqliteStore>) -> String {
    let (mut first, mut tasks) = (None, Vec::new());
    for n in 0..KEYS {
        let (record, key) = issued(OwnerId(1), &format!("k{n}"));
        first.get_or_insert(key);
        let store = store.clone();
        // They share commits.
        tasks.push(tokio::spawn(async move {
            store.insert_key(&record, u64::MAX).await.unwrap();
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    first.unwrap()
}

/// Returns the CPU time of the pages of a round.
async fn pages(store: &SqliteStore) -> Duration {
    let query = KeyQuery::all(Page::first(ROWS));
    let before = process_cpu(std::process::id());
    for _ in 0..CONNECTIONS * REQUESTS {
        let page = store.list_keys(&query).await.unwrap();
        assert_eq!(page.len(), ROWS as usize);
    }
    process_cpu(std::process::id()) - before
}

/// Returns the CPU time of a round of requests, without that of the clients.
async fn requests(router: &Router, key: &str) -> Duration {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let app = router
        .clone()
        .into_make_service_with_connect_info::<SocketAddr>();
    let server = tokio::spawn(async move { axum::serve(listener, app).await });
    let before = process_cpu(std::process::id());
    let clients: Vec<_> = (0..CONNECTIONS)
        .map(|_| {
            let key = key.to_owned();
            tokio::task::spawn_blocking(move || client(addr, &key))
        })
        .collect();
    let mut theirs = Duration::ZERO;
    for client in clients {
        theirs += client.await.unwrap();
    }
    let used = process_cpu(std::process::id()) - before;
    server.abort();
    used - theirs
}

/// Sends requests one after the other over one connection; returns the CPU time used here.
fn client(addr: SocketAddr, key: &str) -> Duration {
    let before = thread_cpu();
    let stream = TcpStream::connect(addr).unwrap();
    stream.set_nodelay(true).unwrap();
    let request = format!(
        "GET /api/v4/user_api_keys?limit={ROWS} HTTP/1.1\r\nhost: {addr}\r\nauthorization: Bearer {key}\r\naccept: application/json\r\n\r\n"
    );
    let mut responses = BufReader::with_capacity(64 * 1024, &stream);
    for _ in 0..REQUESTS {
        (&stream).write_all(request.as_bytes()).unwrap();
        let (mut line, mut length) = (String::new(), 0);
        while line != "\r\n" {
            line.clear();
            responses.read_line(&mut line).unwrap();
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        responses.read_exact(&mut body).unwrap();
        assert!(body.starts_with(b"[{") && body.ends_with(b"}]"));
    }
    thread_cpu() - before
}
