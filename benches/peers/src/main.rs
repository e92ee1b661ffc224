//! webhooksmith as `benches/scale` measures it: a separate program, because it brings another
//! SQLite. It stores events on demand; its worker sends them at the same time.
//!
//! Everything is as its documentation has it by default, but that it may send to this machine. On
//! SQLite its one connection is opened by itself: WAL, and `synchronous` as SQLite has it, `FULL`.

#[path = "../../src/on_demand.rs"]
mod on_demand;

use std::sync::Arc;

use serde_json::{Value, json};
use uuid::Uuid;
use webhooksmith::{SqliteEngine, WebhookEngine};

use crate::on_demand::on_demand;

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
    on_demand(move |n| {
        let (peer, filler) = (Arc::clone(&peer), filler.clone());
        async move {
            let payload = json!({ "n": n.to_string(), "pad": filler });
            peer.send(payload, endpoint).await;
        }
    })
    .await;
}
