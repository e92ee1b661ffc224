//! A delivery that another process stored, on an idle system: from its commit to the first byte at
//! the receiver.

use std::time::{Duration, Instant};

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
            // Not in step with anything, and less often than wake-ups are held back.
            tokio::time::sleep(Duration::from_millis(260 + number as u64 * 7 % 41)).await;
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
        let arrived = arrived.lock().unwrap();
        let waits: Vec<Duration> = stored
            .iter()
            .map(|(n, stored)| {
                arrived.0.get(n).map_or(Duration::from_secs(9), |at| {
                    at.saturating_duration_since(*stored)
                })
            })
            .collect();
        medians.push(at(&waits, 500));
        p99.push(at(&waits, 990));
    }
    let kind = stage.kind;
    let what = "stored by another process: commit to first byte, idle";
    row(kind, &format!("{what}, median"), &medians, "ms", "");
    row(kind, &format!("{what}, p99"), &p99, "ms", "<= 20 ms");
    drop((engines, platform));
    store.remove().await;
}
