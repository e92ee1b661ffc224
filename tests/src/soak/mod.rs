//! A long run at a small scale: targets of every bad kind, webhooks that come and go, and checks
//! for growth.
//!
//! Manually: `cargo run --release -p tests --bin soak -- 3600` for an hour. It ends with an error
//! when memory, sockets or tasks are more at the end than in the beginning, or when a delivery did
//! not end.

#![allow(
    clippy::print_stdout,
    reason = "a program that is run by hand tells how it goes"
)]

pub mod targets;
mod watch;

use std::sync::Arc;
use std::time::Duration;

use delivery::{Schedule, Sender, TargetPolicy};
use gatepost_engine::{BreakerLimits, Engine, Limits, Retention};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::webhooks::DeliveryLog as _;
use tokio::time::Instant;
use watch::Watch;
use webhook_model::{
    Action, Audience, Catalog, Event, Occurrence, OwnerId, Retries, Specificity, TagId, Target,
    Task, Timeout, Webhook, WebhookId,
};

use crate::chaos::now;
use crate::local_names::Here;
use crate::permissive_platform::one_system;

/// Occurrences a second; each reaches one target of every kind that can keep up.
const PACE: u64 = 5;
const QUICK: TagId = TagId(1);
/// Targets that are given one request at a time, because they respond to none.
const SLOW: TagId = TagId(2);
const PASSING: TagId = TagId(3);

/// Runs for this time, then checks for growth.
///
/// # Errors
/// If something has grown or was left undone, with a text that names it.
pub async fn run(length: Duration) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let config = SqliteConfig::file(folder.path().join("gatepost.db"));
    let store = Arc::new(SqliteStore::open(config).await.unwrap());
    let engine = engine(store.clone()).await;
    let targets = targets::all().await;
    for target in &targets {
        let tag = if target.is_slow() { SLOW } else { QUICK };
        route(&engine, &target.name, &target.url, tag).await;
    }
    let good = route(&engine, "held", &targets[0].url, QUICK).await;

    let mut watch = Watch::default();
    let began = Instant::now();
    let mut pace = tokio::time::interval(Duration::from_millis(1000 / PACE));
    let mut emitted: u64 = 0;
    while began.elapsed() < length {
        pace.tick().await;
        let slow = emitted.is_multiple_of(100);
        engine
            .emit(occurrence(slow))
            .await
            .map_err(|e| e.to_string())?;
        emitted += 1;
        match emitted % 100 {
            30 => drop(engine.pause_webhook(good).await.unwrap()),
            60 => drop(engine.resume_webhook(good).await.unwrap()),
            90 => come_and_go(&engine, &targets[0].url).await,
            _ => {}
        }
        if emitted.is_multiple_of(PACE * 10) {
            watch.look(
                began.elapsed(),
                &engine.health().await.map_err(|e| e.to_string())?,
            );
        }
    }
    engine.resume_webhook(good).await.unwrap();
    drained(&store).await?;
    engine.shutdown(Duration::from_secs(5)).await;
    watch.verdict()
}

async fn engine(store: Arc<SqliteStore>) -> Engine {
    let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
    let sender = Sender::builder(policy)
        .resolver(Arc::new(Here))
        .follow_redirects(3)
        .idle_for(Duration::from_secs(2));
    let catalog = Catalog::builder()
        .event_type("vms", "VMs", Specificity::InstanceOrTag, &[("on", "On")])
        .unwrap()
        .build();
    let retention = Retention::default().with_occurrences(Duration::from_secs(60));
    let breaker = BreakerLimits::default().with_max_pause(Duration::from_secs(2));
    let limits = Limits::default().with_breaker(breaker);
    let waits = [Duration::from_millis(500), Duration::from_secs(2)];
    one_system(Engine::builder(store, sender.build().unwrap()))
        .catalog(catalog)
        .retention(retention)
        .limits(limits)
        .schedule(Schedule::new(waits).unwrap())
        .start()
        .await
        .unwrap()
}

/// Sends occurrences of an object with this tag to a new webhook.
async fn route(engine: &Engine, name: &str, url: &str, tag: TagId) -> WebhookId {
    let mut hook = Webhook::new(OwnerId(1), name.parse().unwrap(), url.parse().unwrap());
    hook.timeout = Timeout::MIN;
    hook.retries = Retries::new(2).unwrap();
    if name == "self-signed, allowed" {
        hook.allow_insecure = true;
    }
    let webhook = engine.create_webhook(&hook).await.unwrap().id;
    let message = r#"{"text":"${NAME}","n":${RANDOM}}"#.parse().unwrap();
    let task = Task::new(
        OwnerId(1),
        name.parse().unwrap(),
        Action::Send { webhook, message },
    );
    let task = engine.create_task(&task).await.unwrap().id;
    let event = Event::new(
        "vms".parse().unwrap(),
        "on".parse().unwrap(),
        Target::Tag(tag),
        task,
    );
    engine.create_event(&event).await.unwrap();
    webhook
}

/// Creates a webhook, uses it, and deletes it with its records.
async fn come_and_go(engine: &Engine, url: &str) {
    let hook = route(engine, "passing", url, PASSING).await;
    engine.send(hook, None).await.unwrap();
    engine
        .delete_webhook(hook, gatepost_storage::webhooks::Cascade::Tasks)
        .await
        .unwrap();
}

fn occurrence(slow: bool) -> Occurrence {
    let mut occurrence = Occurrence::new(
        "vms".parse().unwrap(),
        "on".parse().unwrap(),
        Audience::OneSystem,
    );
    occurrence.tags = if slow { vec![QUICK, SLOW] } else { vec![QUICK] };
    occurrence
}

/// Waits for the end of all stored deliveries, at most a minute.
async fn drained(store: &SqliteStore) -> Result<(), String> {
    let began = Instant::now();
    loop {
        let figures = store.count_queue(now()).await.map_err(|e| e.to_string())?;
        if figures.queued + figures.running == 0 {
            println!("empty after {:?}", began.elapsed());
            return Ok(());
        }
        if began.elapsed() > Duration::from_secs(60) {
            return Err(format!("not ended after a minute: {figures:?}"));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
