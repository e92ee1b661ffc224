//! A healthy webhook beside very many that stall, and beside one neighbour that is dead or slow on
//! the same host name.

use std::sync::Arc;
use std::time::{Duration, Instant};

use benches::Arrived;
use gatepost_engine::Engine;
use webhook_model::{OwnerId, Webhook, WebhookId};

use crate::platform::{Kind, Platform};

const HEALTHY: OwnerId = OwnerId(11);
const PER_SECOND: u64 = 200;

pub(crate) async fn measure(case: &str, kind: Kind, short: bool) {
    let stalling = if short { 2_000 } else { 20_000 };
    let span = Duration::from_secs(if short { 5 } else { 20 });
    let (port, arrived) = benches::targets();
    let platform = Arc::new(Platform::open(kind).await);
    let engine = platform.engine().await;
    let url = format!("http://chat.test:{port}/good");
    let healthy = webhook(&engine, HEALTHY, "healthy", &url).await;
    // It has answered before: a webhook of which nothing is known yet shares its half of the slots
    // with those that stall.
    engine.send(healthy, None).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    match case {
        "four-tenants" => stall(&engine, port, stalling, |n| OwnerId(1_000 + n % 4 * 10)).await,
        "many-tenants" => stall(&engine, port, stalling, |n| OwnerId(1_000 + n * 10)).await,
        "dead-neighbour" => neighbour(&engine, "http://chat.test:81/").await,
        "slow-neighbour" => neighbour(&engine, &format!("http://chat.test:{port}/stalled")).await,
        _ => {}
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    let waits = messages(&engine, healthy, span, &arrived).await;
    crate::load::print("commit to first byte", &waits);
}

async fn webhook(engine: &Engine, owner: OwnerId, name: &str, url: &str) -> WebhookId {
    let mut webhook = Webhook::new(owner, name.parse().unwrap(), url.parse().unwrap());
    webhook.timeout = webhook_model::Timeout::from_secs(120).unwrap();
    engine.create_webhook(&webhook).await.unwrap().id
}

/// Webhooks that never answer, each with one message under way or waiting.
async fn stall(engine: &Engine, port: u16, count: i64, owner: impl Fn(i64) -> OwnerId) {
    let gate = Arc::new(tokio::sync::Semaphore::new(64));
    for n in 0..count {
        let permit = gate.clone().acquire_owned().await.unwrap();
        let (engine, owner) = (engine.clone(), owner(n));
        tokio::spawn(async move {
            let url = format!("http://stalled-{n}.test:{port}/stalled");
            let hook = webhook(&engine, owner, &format!("w{n}"), &url).await;
            engine.send(hook, None).await.unwrap();
            drop(permit);
        });
    }
    let _all = gate.acquire_many(64).await.unwrap();
}

/// One webhook of another tenant on the same host name, with a thousand messages.
async fn neighbour(engine: &Engine, url: &str) {
    let hook = webhook(engine, OwnerId(21), "neighbour", url).await;
    for _ in 0..1_000 {
        engine.send(hook, None).await.unwrap();
    }
}

async fn messages(
    engine: &Engine,
    hook: WebhookId,
    span: Duration,
    arrived: &Arrived,
) -> Vec<Duration> {
    let mut pace = tokio::time::interval(Duration::from_micros(1_000_000 / PER_SECOND));
    let (mut sent, end) = (Vec::new(), Instant::now() + span);
    for n in 0_usize.. {
        pace.tick().await;
        if Instant::now() > end {
            break;
        }
        let message = format!(r#"{{"n":"{n}"}}"#).parse().unwrap();
        engine.send(hook, Some(&message)).await.unwrap();
        sent.push((n, Instant::now()));
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (arrived, _) = &*arrived.lock().unwrap();
    let late = Instant::now();
    let wait = |(n, at): &(usize, Instant)| {
        arrived
            .get(n)
            .copied()
            .unwrap_or(late)
            .saturating_duration_since(*at)
    };
    let mut waits: Vec<Duration> = sent.iter().map(wait).collect();
    waits.sort();
    waits
}
