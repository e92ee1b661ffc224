//! apalis as `benches/scale` measures it: each message is a task of its SQLite queue, and its
//! worker sends it.
//!
//! Everything is as its documentation has it by default, but that commits wait for the disk, that
//! the worker fetches and runs 256 tasks at a time, as the others do, and that it asks for more
//! every 10 ms.

#[path = "../../../src/on_demand.rs"]
mod on_demand;

use std::time::Duration;

use apalis::prelude::*;
use apalis_sqlite::{Config, SqlitePool, SqliteStorage};
use serde::{Deserialize, Serialize};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};

use crate::on_demand::{EMITTERS, on_demand};

/// By itself it asks its table so seldom that 20 messages a second are sent.
const POLL: Duration = Duration::from_millis(10);

#[derive(Debug, Deserialize, Serialize)]
struct Message {
    url: String,
    body: String,
}

/// A response that is no success is an error, which the queue tries again.
async fn send(message: Message, client: Data<reqwest::Client>) -> Result<(), BoxDynError> {
    let request = client.post(&message.url).body(message.body);
    request.send().await?.error_for_status()?;
    Ok(())
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, place, port, bytes] = arguments.as_slice() else {
        panic!("sqlite, place, port, bytes");
    };
    assert_eq!(kind, "sqlite");
    let options = SqliteConnectOptions::new()
        .filename(place)
        .create_if_missing(true)
        // Its connections write by turns, which take longer than the 5 s of the driver.
        .busy_timeout(Duration::from_secs(60))
        .journal_mode(SqliteJournalMode::Wal);
    // Its setup turns off the waits for the disk, on the connection that it gets: not on ours.
    let set_up = SqlitePool::connect_with(options.clone()).await.unwrap();
    SqliteStorage::setup(&set_up).await.unwrap();
    set_up.close().await;
    let pool = SqlitePool::connect_with(options).await.unwrap();
    let config = Config::default().queue("webhooks").batch_size(EMITTERS);
    let storage = SqliteStorage::new(&pool).with_config(config);
    let worker = WorkerBuilder::new("sender")
        .backend(storage.clone().poll_with_interval(POLL))
        .data(reqwest::Client::new())
        .concurrency(EMITTERS)
        .build(send);
    tokio::spawn(async move { worker.run().await.unwrap() });
    let url = format!("http://127.0.0.1:{port}/");
    let filler = "x".repeat(bytes.parse::<usize>().unwrap().saturating_sub(24));
    on_demand(move |n| {
        let (mut storage, url) = (storage.clone(), url.clone());
        let body = format!(r#"{{"n":"{n}","pad":"{filler}"}}"#);
        async move { storage.push(Message { url, body }).await.unwrap() }
    })
    .await;
}
