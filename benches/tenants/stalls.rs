//! A healthy webhook among very many that stall, and next to one that is dead or slow on the same
//! host name; among very many that answered once and then stall together, against as many that
//! continue to answer; and new webhooks of new tenants, which all answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use benches::Arrived;
use benches::platform::{Kind, Platform};
use gatepost_engine::Engine;
use webhook_model::{Message, OwnerId, Webhook, WebhookId};

const HEALTHY: OwnerId = OwnerId(11);
const PER_SECOND: u64 = 200;
/// The number of new webhooks, one after the other.
const NEW: i64 = 20;
/// The first number of their messages.
const FIRST_NEW: usize = 1_000_000;
/// The time that counts for a new webhook whose message has not arrived by then.
const GIVEN_UP: Duration = Duration::from_secs(5);

pub(crate) async fn measure(case: &str, kind: Kind, short: bool) {
    let stalling = if short { 2_000 } else { 20_000 };
    let span = Duration::from_secs(if short { 5 } else { 20 });
    let (port, arrived) = benches::targets();
    let platform = Arc::new(Platform::open(kind).await);
    let engine = platform.engine().await;
    let url = format!("http://chat.test:{port}/good");
    let healthy = webhook(&engine, HEALTHY, "healthy", &url).await;
    // It has answered before, as most targets have.
    engine.send(healthy, None).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let owner = |tenant: i64| OwnerId(1_000 + u128::from(tenant.unsigned_abs()) * 10);
    let (one_each, of_four) = (owner, |n| owner(n % 4));
    let answer_once = matches!(case, "answered-once" | "all-answer");
    let others = match case {
        "four-tenants" => many(&engine, port, "stalled", stalling, of_four).await,
        "many-tenants" => many(&engine, port, "stalled", stalling, one_each).await,
        _ if answer_once => many(&engine, port, "turning", stalling, one_each).await,
        _ => Vec::new(),
    };
    match case {
        "dead-neighbour" => neighbour(&engine, "http://chat.test:81/").await,
        "slow-neighbour" => neighbour(&engine, &format!("http://chat.test:{port}/stalled")).await,
        _ => {}
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    if answer_once {
        let stall = case == "answered-once";
        tokio::spawn(again(engine.clone(), others, stall));
    }
    let (calls, commits) = messages(&engine, healthy, span, &arrived).await;
    crate::load::print("call to first byte", &calls);
    crate::load::print("commit to first byte", &commits);
    let new = new_webhooks(&engine, port, &arrived).await;
    crate::load::print("call to first byte of a new webhook", &new);
}

async fn webhook(engine: &Engine, owner: OwnerId, name: &str, url: &str) -> WebhookId {
    let mut webhook = Webhook::new(owner, name.parse().unwrap(), url.parse().unwrap());
    webhook.timeout = webhook_model::Timeout::from_secs(120).unwrap();
    engine.create_webhook(&webhook).await.unwrap().id
}

/// Creates webhooks to that path, each with one message under way or waiting.
async fn many(
    engine: &Engine,
    port: u16,
    path: &'static str,
    count: i64,
    owner: impl Fn(i64) -> OwnerId,
) -> Vec<WebhookId> {
    let gate = Arc::new(tokio::sync::Semaphore::new(64));
    let mut making = tokio::task::JoinSet::new();
    for n in 0..count {
        let permit = gate.clone().acquire_owned().await.unwrap();
        let (engine, owner) = (engine.clone(), owner(n));
        making.spawn(async move {
            let url = format!("http://{path}-{n}.test:{port}/{path}");
            let hook = webhook(&engine, owner, &format!("w{n}"), &url).await;
            engine.send(hook, None).await.unwrap();
            drop(permit);
            hook
        });
    }
    making.join_all().await
}

/// Sends one more message to each, which those at `/turning` do not answer if it says so.
async fn again(engine: Engine, hooks: Vec<WebhookId>, stall: bool) {
    let gate = Arc::new(tokio::sync::Semaphore::new(64));
    let text = if stall {
        benches::STALL
    } else {
        r#"{"go":"on"}"#
    };
    for hook in hooks {
        let permit = gate.clone().acquire_owned().await.unwrap();
        let engine = engine.clone();
        tokio::spawn(async move {
            let message: Message = text.parse().unwrap();
            engine.send(hook, Some(&message)).await.unwrap();
            drop(permit);
        });
    }
}

/// Creates one webhook of another tenant on the same host name, with a thousand messages.
async fn neighbour(engine: &Engine, url: &str) {
    let hook = webhook(engine, OwnerId(21), "neighbour", url).await;
    for _ in 0..1_000 {
        engine.send(hook, None).await.unwrap();
    }
}

/// Returns the times from the due time of each message, and from the return of `send`.
async fn messages(
    engine: &Engine,
    hook: WebhookId,
    span: Duration,
    arrived: &Arrived,
) -> (Vec<Duration>, Vec<Duration>) {
    let mut pace = tokio::time::interval(Duration::from_micros(1_000_000 / PER_SECOND));
    let (mut sent, end) = (Vec::new(), Instant::now() + span);
    for n in 0_usize.. {
        let due = pace.tick().await.into_std();
        if Instant::now() > end {
            break;
        }
        engine.send(hook, Some(&message(n))).await.unwrap();
        sent.push((n, due, Instant::now()));
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (arrived, _) = &*arrived.lock().unwrap();
    let late = Instant::now();
    let at = |n| arrived.get(n).copied().unwrap_or(late);
    let since = |n, begun| Instant::saturating_duration_since(&at(n), begun);
    let mut calls: Vec<_> = sent.iter().map(|(n, due, _)| since(n, *due)).collect();
    let mut commits: Vec<_> = sent
        .iter()
        .map(|(n, _, stored)| since(n, *stored))
        .collect();
    calls.sort();
    commits.sort();
    (calls, commits)
}

/// Measures the times from the call of `send` for new webhooks, each of a new tenant.
async fn new_webhooks(engine: &Engine, port: u16, arrived: &Arrived) -> Vec<Duration> {
    let mut waits = Vec::new();
    for n in 0..NEW {
        let url = format!("http://new-{n}.test:{port}/good");
        let owner = OwnerId(900_000_000 + u128::from(n.unsigned_abs()) * 10);
        let hook = webhook(engine, owner, "new", &url).await;
        let number = FIRST_NEW + usize::try_from(n).unwrap();
        let called = Instant::now();
        engine.send(hook, Some(&message(number))).await.unwrap();
        let wait = loop {
            let at = arrived.lock().unwrap().0.get(&number).copied();
            match at {
                Some(at) => break at - called,
                None if called.elapsed() > GIVEN_UP => break GIVEN_UP,
                None => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        };
        waits.push(wait);
    }
    waits.sort();
    waits
}

fn message(n: usize) -> Message {
    format!(r#"{{"n":"{n}"}}"#).parse().unwrap()
}
