//! A delivery that another process stored, and a row that the platform wrote to the outbox, on an
//! idle system: from the commit to the first byte at the receiver.

use std::time::{Duration, Instant};

use benches::Arrived;
use benches::platform::{Platform, now};
use gatepost_storage::webhooks::{MessageId, NewDelivery};
use gatepost_testkit::fixtures;

use crate::emitter::owner;
use crate::engines::Engines;
use crate::report::{at, row};
use crate::stage::Stage;

const MESSAGES: i64 = 150;

pub(crate) async fn measure(stage: &mut Stage) {
    let store = stage.fresh().await;
    let (port, arrived) = benches::targets();
    let platform = Platform::at(store.kind, &store.place).await;
    let url = format!("http://target.test:{port}/good");
    let (webhook, _) = platform.records(owner(1), &url, 0).await;
    let engines = Engines::start(1, store.kind, &store.place);
    let (mut medians, mut p99) = (Vec::new(), Vec::new());
    let count = usize::try_from(stage.scaled(MESSAGES)).unwrap();
    let mut number = 0;
    for _ in 0..stage.rounds(3) {
        let mut stored = Vec::new();
        tokio::time::sleep(Duration::from_secs(3)).await;
        for _ in 0..count {
            number += 1;
            let delivery = NewDelivery {
                message_id: MessageId::new(now(), number as u128),
                webhook,
                task: None,
                cause: None,
                body: format!(r#"{{"n":"{number}"}}"#).into(),
                due: now(),
                lease_until: None,
            };
            let batch = fixtures::direct(vec![delivery]);
            platform.store.enqueue(batch, now()).await.unwrap();
            stored.push((number, Instant::now()));
            // An irregular interval, longer than that in which wake-ups are held back.
            tokio::time::sleep(Duration::from_millis(260 + number as u64 * 7 % 41)).await;
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
        let waits = waits(&arrived, &stored);
        medians.push(at(&waits, 500));
        p99.push(at(&waits, 990));
    }
    let kind = stage.kind;
    let what = "stored by another process: commit to first byte, idle";
    row(kind, &format!("{what}, median"), &medians, "ms", "");
    row(kind, &format!("{what}, p99"), &p99, "ms", "<= 20 ms");
    drop((engines, platform));
    store.remove().await;
    written(stage, Who::Here).await;
    written(stage, Who::Another).await;
    written(stage, Who::Unannounced).await;
}

/// The process that sends the delivery.
#[derive(Clone, Copy)]
enum Who {
    /// The process that announces it.
    Here,
    /// Another process, which is notified.
    Another,
    /// This process, without an announcement.
    Unannounced,
}

/// Measures a row that the platform wrote with its own driver.
async fn written(stage: &Stage, who: Who) {
    let store = stage.fresh().await;
    let (port, arrived) = benches::targets();
    let platform = Platform::at(store.kind, &store.place).await;
    let url = format!("http://target.test:{port}/good");
    platform.records(owner(1), &url, 1).await;
    let (engines, engine) = match who {
        Who::Another => (Some(Engines::start(1, store.kind, &store.place)), None),
        Who::Here | Who::Unannounced => (None, Some(platform.engine().await)),
    };
    let mut bulk = store.bulk().await;
    let (mut medians, mut p99) = (Vec::new(), Vec::new());
    let count = usize::try_from(stage.scaled(MESSAGES)).unwrap();
    let mut number = 0;
    for _ in 0..stage.rounds(3) {
        let mut stored = Vec::new();
        tokio::time::sleep(Duration::from_secs(3)).await;
        for _ in 0..count {
            number += 1;
            bulk.occurrence(number, 1).await;
            stored.push((number, Instant::now()));
            match (who, &engine) {
                (Who::Here, Some(engine)) => engine.outbox_written(),
                (Who::Another, _) => platform.store.outbox_written(),
                _ => {}
            }
            tokio::time::sleep(Duration::from_millis(260 + number as u64 * 7 % 41)).await;
        }
        tokio::time::sleep(Duration::from_secs(6)).await;
        let waits = waits(&arrived, &stored);
        medians.push(at(&waits, 500));
        p99.push(at(&waits, 990));
    }
    let (what, goal) = match who {
        Who::Here => ("outbox, announced: commit to first byte", "<= 20 ms"),
        Who::Another => ("outbox, announced by another process", "<= 20 ms"),
        Who::Unannounced => ("outbox, not announced", ""),
    };
    row(stage.kind, &format!("{what}, median"), &medians, "ms", "");
    row(stage.kind, &format!("{what}, p99"), &p99, "ms", goal);
    if let Some(engine) = engine {
        engine.shutdown(Duration::from_secs(1)).await;
    }
    drop((bulk, engines, platform));
    store.remove().await;
}

fn waits(arrived: &Arrived, stored: &[(usize, Instant)]) -> Vec<Duration> {
    let arrived = arrived.lock().unwrap();
    let waits = stored.iter().map(|(n, stored)| {
        arrived.0.get(n).map_or(Duration::from_secs(9), |at| {
            at.saturating_duration_since(*stored)
        })
    });
    waits.collect()
}
