//! The cost of the guard for a request: `GET /api/v4/system` by key over kept-alive TCP
//! connections, against the same axum router without the layer, in requests per CPU second of the
//! server's thread.
//!
//! `cargo bench -p benches --bench layer`; with `bare`, `layer` or `all` after `--` one round of
//! only that router, for tools that count instructions.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement, not a library"
)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

use apikey_core::OwnerId;
use axum::extract::ConnectInfo;
use axum::routing::get;
use axum::{Extension, Json, Router};
use benches::{issued, spread, thread_cpu, whole};
use gatepost_kv::MemoryStore;
use gatepost_storage::KeyStore as _;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use serde_json::json;
use tower_layer::Layer as _;

const ROUNDS: usize = 15;
const CONNECTIONS: usize = 8;
/// The number of requests of one connection in one round.
const REQUESTS: usize = 2_500;

fn main() {
    let store = Arc::new(MemoryStore::new());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (plain, guarded, whole, key) = runtime.block_on(async {
        let (record, key) = issued(OwnerId(1), "bench");
        store.insert_key(&record, u64::MAX).await.unwrap();
        let (guard, whole) = whole(store).await;
        (router(), router().layer(guard), whole, key)
    });
    // The same as in `axum::serve`; otherwise the routes are built again for each request.
    let [plain, guarded, whole] = [plain, guarded, whole].map(|router| router.with_state(()));
    let only = std::env::args().find_map(|name| match name.as_str() {
        "bare" => Some(&plain),
        "layer" => Some(&guarded),
        "all" => Some(&whole),
        _ => None,
    });
    if let Some(router) = only {
        runtime.block_on(round(router, &key));
        return;
    }
    let (mut ratios, mut wholes, mut costs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let [without, with, all] =
            [&plain, &guarded, &whole].map(|router| runtime.block_on(round(router, &key)));
        ratios.push(with / without);
        wholes.push(all / without);
        costs.push((1.0 / with - 1.0 / without) * 1e9);
    }
    let show =
        |(median, low, high): (f64, f64, f64)| format!("{median:.3} ({low:.3} to {high:.3})");
    let (cost, low, high) = spread(costs);
    println!(
        "requests per CPU second, {ROUNDS} rounds of {} requests over {CONNECTIONS} connections",
        CONNECTIONS * REQUESTS
    );
    benches::keep("layer / no layer", &ratios, benches::Better::More);
    benches::keep(
        "all of gatepost-http / no layer",
        &wholes,
        benches::Better::More,
    );
    println!("layer / no layer: {} (goal 0.92)", show(spread(ratios)));
    println!("the layer costs {cost:.0} ns a request ({low:.0} to {high:.0})");
    println!(
        "all of gatepost-http (guard, span, metrics, query) / no layer: {} (goal 0.92)",
        show(spread(wholes))
    );
}

/// Returns a router that responds like the login probe.
fn router() -> Router {
    let answer = || async {
        Json(
            json!([{"$key": 1, "yb_version": "26.1.8", "os_version": "26.1.8", "cloud_name": "gatepost"}]),
        )
    };
    Router::new().route("/api/v4/system", get(answer))
}

/// Returns requests per second of CPU time of this thread, which serves; the clients have their own
/// threads.
async fn round(router: &Router, key: &str) -> f64 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let clients: Vec<_> = (0..CONNECTIONS)
        .map(|_| {
            let key = key.to_owned();
            std::thread::spawn(move || client(addr, &key))
        })
        .collect();
    let mut connections = Vec::new();
    for _ in 0..CONNECTIONS {
        let (stream, peer) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        let service = Extension(ConnectInfo(peer)).layer(router.clone());
        let serve = hyper::server::conn::http1::Builder::new()
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
        connections.push(serve);
    }
    let before = thread_cpu();
    let serving: Vec<_> = connections.into_iter().map(tokio::spawn).collect();
    for connection in serving {
        connection.await.unwrap().unwrap();
    }
    let used = thread_cpu() - before;
    clients
        .into_iter()
        .for_each(|client| client.join().unwrap());
    let requests = u32::try_from(CONNECTIONS * REQUESTS).unwrap();
    f64::from(requests) / used.as_secs_f64()
}

/// Sends requests one after the other over one connection, and closes it.
fn client(addr: SocketAddr, key: &str) {
    let mut stream = TcpStream::connect(addr).unwrap();
    stream.set_nodelay(true).unwrap();
    let request = format!(
        "GET /api/v4/system HTTP/1.1\r\nhost: {addr}\r\nauthorization: Bearer {key}\r\nuser-agent: bench\r\naccept: application/json\r\n\r\n"
    );
    let mut answer = [0; 4096];
    for _ in 0..REQUESTS {
        stream.write_all(request.as_bytes()).unwrap();
        let mut length = 0;
        while !answer[..length].ends_with(b"}]") {
            let more = stream.read(&mut answer[length..]).unwrap();
            assert!(more > 0, "{}", String::from_utf8_lossy(&answer[..length]));
            length += more;
        }
        assert!(answer.starts_with(b"HTTP/1.1 200 "));
    }
}
