//! An insertion that the server committed, and whose answer is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gatepost_postgres::{PostgresConfig, PostgresStore};
use gatepost_storage::webhooks::RecordStore as _;
use gatepost_storage::{AtMost, ErrorKind, KeyStore as _, StoreError};
use gatepost_testkit::fixtures::{at, event, key, stored_webhook, task, webhook};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::common::{raw, rows};
use crate::postgres;

/// The answer to a statement with this text is lost.
const MARK: &[u8] = b"last-words";

/// A proxy between a store and the server.
struct Way {
    /// Set by the mark: the server's answers are lost, and the store's end of the connection is
    /// closed.
    is_deaf: AtomicBool,
    server: String,
}

impl Way {
    /// Returns a proxy to the server of this URL, and the URL of the proxy.
    async fn to(url: &str) -> (Arc<Self>, String) {
        let (user, rest) = url.split_once('@').unwrap();
        let (server, database) = rest.split_once('/').unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("{user}@{}/{database}", listener.local_addr().unwrap());
        let way = Arc::new(Self {
            is_deaf: AtomicBool::new(false),
            server: server.to_owned(),
        });
        let taken = way.clone();
        tokio::spawn(async move {
            while let Ok((store, _)) = listener.accept().await {
                tokio::spawn(taken.clone().carry(store));
            }
        });
        (way, url)
    }

    async fn carry(self: Arc<Self>, store: TcpStream) {
        let server = TcpStream::connect(&self.server).await.unwrap();
        let (mut from_store, mut to_store) = store.into_split();
        let (mut from_server, mut to_server) = server.into_split();
        let way = self.clone();
        tokio::spawn(async move {
            let mut asked = vec![0; 64 * 1024];
            while let Ok(length @ 1..) = from_store.read(&mut asked).await {
                // A transaction is sent in one message.
                if asked[..length].windows(MARK.len()).any(|text| text == MARK) {
                    way.is_deaf.store(true, Ordering::SeqCst);
                }
                to_server.write_all(&asked[..length]).await.unwrap();
            }
            let _ = to_server.shutdown().await;
        });
        let mut said = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = from_server.read(&mut said).await {
            let is_lost = self.is_deaf.load(Ordering::SeqCst);
            // Without reading, the server's connection would break, and with it the transaction.
            if is_lost || to_store.write_all(&said[..length]).await.is_err() {
                let _ = to_store.shutdown().await;
            }
        }
    }
}

fn in_doubt<T>(answer: Result<T, StoreError>) -> (ErrorKind, bool) {
    let error = answer.err().expect("an error");
    (error.kind(), error.is_in_doubt())
}

/// WIRE 1: the answer to a client must not say that the request may simply be repeated.
#[tokio::test]
async fn insert_is_in_doubt_only_after_lost_answer() {
    let fresh = postgres::fresh();
    let (way, url) = Way::to(&fresh.url).await;
    let config = PostgresConfig::url(&url).with_schema(&fresh.schema);
    let store = PostgresStore::connect(config).await.unwrap();
    let (hook, now) = (stored_webhook(&store, "w").await, at(0));
    let client = raw(&fresh).await;
    let all = AtMost::UNLIMITED;
    let tasks = store.insert_task(&task(hook), all, now).await.unwrap();
    // Each statement is prepared by then, on the connection that is used again.
    store.insert_key(&key(1, "first"), u64::MAX).await.unwrap();
    store
        .insert_event(&event(tasks.id), all, now)
        .await
        .unwrap();
    let mark = str::from_utf8(MARK).unwrap();
    let (mut named, mut labelled) = (task(hook), event(tasks.id));
    named.name = mark.parse().unwrap();
    labelled.label = mark.parse().unwrap();
    for table in ["key", "webhook", "task", "event"] {
        let said = match table {
            "key" => in_doubt(store.insert_key(&key(1, mark), u64::MAX).await),
            "webhook" => in_doubt(store.insert_webhook(&webhook(mark), all, now).await),
            "task" => in_doubt(store.insert_task(&named, all, now).await),
            _ => in_doubt(store.insert_event(&labelled, all, now).await),
        };
        way.is_deaf.store(false, Ordering::SeqCst);
        assert_eq!(said, (ErrorKind::Unavailable, true), "{table}");
        let table = format!("gatepost_{table}");
        let mut waits = tokio::time::interval(Duration::from_millis(10));
        while rows(&client, &table).await < 2 {
            waits.tick().await;
        }
    }
    // The server answered, or received nothing.
    let refused = store.insert_webhook(&webhook("w"), all, now).await;
    assert_eq!(in_doubt(refused), (ErrorKind::Conflict, false));
    store.close().await;
    let closed = in_doubt(store.insert_task(&task(hook), all, now).await);
    assert_eq!(closed, (ErrorKind::Unavailable, false));
}
