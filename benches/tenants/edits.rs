//! Emits of A while B edits records, against B committing as often into its own table.

use std::sync::Arc;
use std::time::Duration;

use benches::platform::{ALONE, Kind, Platform};
use gatepost_engine::Engine;
use webhook_model::{OwnerId, TaskId};

use crate::load;

const A: OwnerId = OwnerId(11);
/// The approximate size of a record with its log entry.
const ROW: usize = 400;

pub(crate) async fn measure(case: &str, kind: Kind, short: bool) {
    let (b, records, per_second) = match case {
        "alone" => (OwnerId(ALONE + 2), 100_000, 100),
        "same-tenant" => (OwnerId(12), 20_000, 20),
        "same-idle" => (OwnerId(12), 20_000, 0),
        _ => (OwnerId(21), 100_000, 100),
    };
    let records = if short { records / 10 } else { records };
    let span = Duration::from_secs(if short { 10 } else { 60 });
    let platform = Arc::new(Platform::open(kind).await);
    platform.records(A, "http://target.test/paused", 1).await;
    // A task and its event are two records.
    let (webhook, _) = platform.records(b, "http://target.test/paused", 0).await;
    let tasks = platform.more(b, webhook, records / 2).await;
    let engine = platform.engine().await;
    load::open(&engine, A, 100, Duration::from_secs(1)).await;
    let beside = match case {
        "own-table" => tokio::spawn(own_table(kind, platform.place.clone(), per_second)),
        "same-idle" => tokio::spawn(std::future::pending()),
        _ => tokio::spawn(edit(engine.clone(), tasks, per_second)),
    };
    let waits = load::open(&engine, A, 500, span).await;
    beside.abort();
    load::print("emit", &waits);
}

pub(crate) async fn edit(engine: Engine, tasks: Vec<TaskId>, per_second: u64) {
    let mut pace = tokio::time::interval(Duration::from_micros(1_000_000 / per_second));
    for n in 0_u64.. {
        pace.tick().await;
        let task = tasks[usize::try_from(n).unwrap() % tasks.len()];
        let edited = engine.edit_task(task, |task| {
            task.description = n.to_string().parse()?;
            Ok(())
        });
        edited.await.unwrap();
    }
}

pub(crate) async fn own_table(kind: Kind, place: String, per_second: u64) {
    let row = "x".repeat(ROW);
    let mut pace = tokio::time::interval(Duration::from_micros(1_000_000 / per_second));
    match kind {
        Kind::Sqlite => {
            let connection = rusqlite::Connection::open(place).unwrap();
            connection.busy_timeout(Duration::from_secs(5)).unwrap();
            connection
                .execute_batch("PRAGMA synchronous = FULL; CREATE TABLE own (x)")
                .unwrap();
            loop {
                pace.tick().await;
                connection
                    .execute("INSERT INTO own VALUES (?1)", [&row])
                    .unwrap();
            }
        }
        Kind::Postgres => {
            let (client, connection) = tokio_postgres::connect(&place, tokio_postgres::NoTls)
                .await
                .unwrap();
            tokio::spawn(connection);
            client
                .batch_execute("CREATE TABLE own (x text)")
                .await
                .unwrap();
            loop {
                pace.tick().await;
                client
                    .execute("INSERT INTO own VALUES ($1)", &[&row])
                    .await
                    .unwrap();
            }
        }
    }
}
