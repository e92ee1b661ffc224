//! The cost of a stalled target, and of a storm of retries, for uninvolved users.
//!
//! Messages are sent at a steady pace to 50 good targets, and the time from the return of `send`,
//! which is after the commit, to the first byte at the receiver is measured. The store is a SQLite
//! file (`synchronous=FULL`); the receiver is a thread of this process.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench measures time and stops at the first surprise"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use benches::{machines, one_system};
use chrono::{DateTime, Utc};
use delivery::{Schedule, Sender, TargetPolicy};
use gatepost_engine::Engine;
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::Clock as _;
use gatepost_storage::webhooks::{
    AttemptRecord, Claim, Disposition, Enqueued, NewDelivery, Phases, QueueStore as _, Settlement,
};
use gatepost_testkit::fixtures;
use webhook_model::{Occurrence, OwnerId, TagId, Timeout, Webhook, WebhookId};

/// The owner of the good targets.
const OWN: OwnerId = OwnerId(1);
const OTHER: OwnerId = OwnerId(2);
const BESIDE: [&str; 3] = [
    "a stalled target",
    "another owner's retries",
    "the same owner's retries",
];
const GOOD: usize = 50;
const QUEUED: usize = 5_000;
const RETRIES: usize = 50_000;
/// Messages a second in all.
const PACE: u64 = 250;
const MESSAGES: usize = 1_500;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut ratios = [Vec::new(), Vec::new(), Vec::new()];
        for _ in 0..3 {
            let idle = measure(Beside::Nothing).await;
            ratios[0].push(measure(Beside::Stalled).await / idle);
            for (ratios, owner) in ratios[1..].iter_mut().zip([OTHER, OWN]) {
                ratios.push(measure(Beside::Retries(owner)).await / idle);
            }
        }
        for (what, figures) in BESIDE.iter().zip(ratios) {
            let (median, low, high) = benches::spread(figures);
            println!("p99 beside {what}, over p99 alone: {median:.2} ({low:.2} to {high:.2})");
        }
    });
}

#[derive(Clone, Copy, Debug)]
enum Beside {
    Nothing,
    Stalled,
    /// Retries of this owner.
    Retries(OwnerId),
}

/// Returns the p99 of the wait, in seconds.
async fn measure(beside: Beside) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let config = SqliteConfig::file(folder.path().join("gatepost.db"));
    let store = Arc::new(SqliteStore::open(config).await.unwrap());
    let (port, arrived) = benches::targets();
    let engine = engine(store.clone()).await;
    let mut good = Vec::new();
    for n in 0..GOOD {
        let url = format!("http://good-{n}.test:{port}/good");
        let hook = webhook(&engine, OWN, &url, 5).await;
        let tag = TagId(i64::try_from(n).unwrap() + 1);
        machines::route(&engine, hook, tag, r#"{"n":"${N}"}"#).await;
        good.push(hook);
    }
    // These open the connections, and make the targets known.
    for hook in &good {
        engine.send(*hook, None).await.unwrap();
    }
    match beside {
        Beside::Nothing => {}
        Beside::Stalled => {
            let url = format!("http://stalled.test:{port}/stalled");
            let stalled = webhook(&engine, OWN, &url, 30).await;
            queue(&store, &[stalled], QUEUED, Disposition::Sent).await;
        }
        Beside::Retries(owner) => {
            let mut failing = Vec::new();
            for n in 0..GOOD {
                let url = format!("http://failing-{n}.test:{port}/failing");
                failing.push(webhook(&engine, owner, &url, 5).await);
            }
            let due = now() + Duration::from_secs(8);
            queue(&store, &failing, RETRIES, Disposition::Retry { due }).await;
            let left = (due - now()).to_std().unwrap_or_default();
            tokio::time::sleep(left + Duration::from_millis(200)).await;
        }
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let mut sent = Vec::new();
    let mut pace = tokio::time::interval(Duration::from_micros(1_000_000 / PACE));
    for n in 0..MESSAGES {
        pace.tick().await;
        engine.emit(occurrence(n)).await.unwrap();
        sent.push(Instant::now());
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let (arrived, retries) = arrived.lock().unwrap().clone();
    let mut waits: Vec<Duration> = (0..MESSAGES)
        .map(|n| arrived[&n].saturating_duration_since(sent[n]))
        .collect();
    waits.sort();
    let (median, p99) = (waits[MESSAGES / 2], waits[MESSAGES * 99 / 100]);
    println!("{beside:?}: {median:?} (median), {p99:?} (p99); {retries} retries");
    engine.shutdown(Duration::ZERO).await;
    p99.as_secs_f64()
}

fn now() -> DateTime<Utc> {
    gatepost_storage::SystemClock.now()
}

/// Returns an occurrence for one of the good targets.
fn occurrence(n: usize) -> Occurrence {
    machines::occurrence(TagId(i64::try_from(n % GOOD).unwrap() + 1), &n)
}

async fn engine(store: Arc<SqliteStore>) -> Engine {
    let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
    let sender = Sender::builder(policy).resolver(Arc::new(benches::Here));
    one_system(Engine::builder(store, sender.build().unwrap()))
        .catalog(machines::catalog())
        .schedule(Schedule::new([Duration::from_secs(600)]).unwrap())
        .start()
        .await
        .unwrap()
}

async fn webhook(engine: &Engine, owner: OwnerId, url: &str, timeout: u64) -> WebhookId {
    let name = url.parse::<url::Url>().unwrap();
    let name = name.host_str().unwrap().parse().unwrap();
    let mut webhook = Webhook::new(owner, name, url.parse().unwrap());
    webhook.timeout = Timeout::from_secs(timeout).unwrap();
    engine.create_webhook(&webhook).await.unwrap().id
}

/// Queues this number of deliveries; with a disposition of `Retry` each has had one attempt,
/// otherwise none.
async fn queue(store: &SqliteStore, hooks: &[WebhookId], count: usize, disposition: Disposition) {
    let numbers: Vec<usize> = (0..count).collect();
    let retries = matches!(disposition, Disposition::Retry { .. });
    for part in numbers.chunks(500) {
        let deliveries = part.iter().map(|n| NewDelivery {
            message_id: format!("q{n}").parse().unwrap(),
            webhook: hooks[n % hooks.len()],
            task: None,
            cause: None,
            body: r#"{"queued":true}"#.into(),
            due: now(),
            lease_until: retries.then(|| now() + Duration::from_secs(60)),
        });
        let batch = fixtures::direct(deliveries.collect());
        let Enqueued::Stored { deliveries, .. } = store.enqueue(batch, now()).await.unwrap() else {
            panic!("not stored");
        };
        if retries {
            let failed = deliveries.iter().map(|stored| Settlement {
                claim: Claim {
                    delivery: stored.id,
                    token: stored.token.unwrap(),
                },
                disposition: disposition.clone(),
                status_info: "the target responded with status 500".to_owned(),
                attempt: Some(attempt()),
                keep_message: true,
            });
            store.settle(failed.collect(), now()).await.unwrap();
        }
    }
}

fn attempt() -> AttemptRecord {
    AttemptRecord {
        number: 0,
        started: now(),
        duration: Duration::from_millis(3),
        phases: Phases::default(),
        class: "status".to_owned(),
        info: "the target responded with status 500".to_owned(),
        status: Some(500),
        remote: None,
        protocol: Some("HTTP/1.1".to_owned()),
        request_head: Vec::new(),
        response_head: Vec::new(),
        response_body: Vec::new(),
        truncated: false,
        kept: true,
    }
}
