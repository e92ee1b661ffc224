//! Emits and an outbox while all records of the same owners are edited in turn, against the same
//! without edits. Each occurrence makes one delivery, which waits: its webhook is paused.

use std::sync::Arc;
use std::time::{Duration, Instant};

use benches::one_system;
use benches::platform::{Kind, Platform, now, occurrence};
use gatepost_engine::Engine;
use tokio::task::JoinSet;
use webhook_model::{Audience, Occurrence, OwnerId, TaskId};

use crate::edits;

const OWNER: OwnerId = OwnerId(11);
/// The number of tasks besides the one that runs.
const BESIDE: i64 = 19;
const ROWS: usize = 10_000;
const EMITS_A_SECOND: u64 = 1_000;
const EDITS_A_SECOND: u64 = 100;
/// The interval between checks whether the outbox is empty.
const PAUSE: Duration = Duration::from_millis(20);
const LEFT: &str = "SELECT count(*) FROM gatepost_occurrence";

pub(crate) async fn measure(case: &str, kind: Kind, short: bool) {
    let scale = if short { 10 } else { 1 };
    let platform = Arc::new(Platform::open(kind).await);
    let is_system = case.starts_with("system");
    let url = "http://target.test/paused";
    let (webhook, mut tasks) = match is_system {
        true => platform.records_of_one(OWNER, url, 1).await,
        false => platform.records(OWNER, url, 1).await,
    };
    tasks.extend(platform.more(OWNER, webhook, BESIDE).await);
    let happens = match is_system {
        true => occurrence(OWNER).with_audience(Audience::OneSystem),
        false => occurrence(OWNER),
    };
    for _ in 0..ROWS / scale {
        platform.store.push_outbox(&happens, now()).await.unwrap();
    }
    let engine = match is_system {
        true => one_system(platform.builder()).start().await.unwrap(),
        false => platform.engine().await,
    };
    let edits = case.ends_with("edits").then(|| edit(&engine, tasks));
    let began = Instant::now();
    let drained = tokio::spawn(empty(kind, platform.place.clone()));
    let pending = emits(&engine, &happens, ROWS / scale).await;
    println!("figure emits, s {}", began.elapsed().as_secs_f64());
    drained.await.unwrap();
    println!("figure outbox, s {}", began.elapsed().as_secs_f64());
    println!("pending: {pending}");
    drop(edits);
}

fn edit(engine: &Engine, tasks: Vec<TaskId>) -> JoinSet<()> {
    let mut edits = JoinSet::new();
    edits.spawn(edits::edit(engine.clone(), tasks, EDITS_A_SECOND));
    edits
}

/// Emits at a fixed pace, or as fast as possible. Returns the number of pending ones.
async fn emits(engine: &Engine, happens: &Occurrence, count: usize) -> usize {
    let mut pace = tokio::time::interval(Duration::from_micros(1_000_000 / EMITS_A_SECOND));
    pace.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Burst);
    let mut emits = JoinSet::new();
    for _ in 0..count {
        pace.tick().await;
        let (engine, happens) = (engine.clone(), happens.clone());
        emits.spawn(async move { engine.emit(happens).await.unwrap().pending });
    }
    let all = emits.join_all().await;
    all.into_iter().filter(|pending| *pending).count()
}

/// Returns when no row of the outbox is left.
async fn empty(kind: Kind, place: String) {
    match kind {
        Kind::Sqlite => {
            let connection = rusqlite::Connection::open(place).unwrap();
            while connection
                .query_row(LEFT, [], |row| row.get::<_, i64>(0))
                .unwrap()
                > 0
            {
                tokio::time::sleep(PAUSE).await;
            }
        }
        Kind::Postgres => {
            let (client, connection) = tokio_postgres::connect(&place, tokio_postgres::NoTls)
                .await
                .unwrap();
            tokio::spawn(connection);
            while client.query_one(LEFT, &[]).await.unwrap().get::<_, i64>(0) > 0 {
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}
