//! A claim, the next due time and the due queues: 1,000,000 waiting over 100,000 queues, against
//! 1,000 over 10. Nine of ten are due.

use std::time::Instant;

use benches::bulk::Waiting;
use benches::platform::now;
use chrono::TimeDelta;
use gatepost_storage::webhooks::{DeliveryId, DuePoint, Queues};

use crate::backlog::Backlog;
use crate::report::{ratio, row};
use crate::stage::{Stage, Store};

const CALLS: usize = 200;
/// The number of returned claims between two vacuums of the queue.
const CLAIMS: usize = 10;
const WHAT: [&str; 5] = [
    "claim of 64",
    "next due",
    "due queues, 10 deliveries",
    "due queues, 500 deliveries",
    "queues swept, 10",
];

pub(crate) async fn measure(stage: &mut Stage) {
    let few = prepare(stage, 1_000, 10).await;
    let queues = stage.scaled(100_000);
    let many = prepare(stage, 10 * queues, queues).await;
    let mut figures = [const { [const { Vec::new() }; 5] }; 2];
    for _ in 0..stage.rounds(5) {
        for (store, figures) in [&few, &many].into_iter().zip(&mut figures) {
            for (figure, all) in calls(store).await.into_iter().zip(figures) {
                all.push(figure);
            }
        }
    }
    let kind = stage.kind;
    for (n, what) in WHAT.iter().enumerate() {
        let name = format!("{what}, 1,000 over 10 queues");
        row(kind, &name, &figures[0][n], "ms", "");
        let name = format!("{what}, 1,000,000 over 100,000 queues");
        row(kind, &name, &figures[1][n], "ms", "");
        let name = format!("{what}, the latter over the former");
        // Here 500 queues are returned against 10.
        let goal = if n == 3 { "" } else { "<= 1.5 x" };
        ratio(kind, &name, &figures[1][n], &figures[0][n], goal);
    }
    few.remove().await;
    many.remove().await;
}

/// Returns a store in which `count` deliveries wait over `queues` queues.
pub(super) async fn prepare(stage: &Stage, count: i64, queues: i64) -> Store {
    let store = stage.fresh().await;
    store.hooks(1, queues.min(1_000), false).await;
    let mut bulk = store.bulk().await;
    bulk.copy_hooks(queues).await;
    let step = TimeDelta::seconds(10);
    let waiting = Waiting {
        count,
        queues,
        due: now() - step * i32::try_from(count / 10 * 9).unwrap(),
        step,
    };
    bulk.waiting(waiting).await;
    store
}

/// Returns the median of each, in milliseconds.
async fn calls(store: &Store) -> [f64; 5] {
    let mut backlog = Backlog::open(store).await;
    let tidy = store.bulk().await;
    let mut waits = [const { Vec::new() }; 5];
    for call in 0..CALLS {
        if call % CLAIMS == 0 {
            // Repeated claims in the 10 queues leave dead rows, which must not be measured.
            tidy.vacuum().await;
        }
        waits[0].push(backlog.claim_and_release(TimeDelta::zero()).await);
        let store = &backlog.store;
        let begun = Instant::now();
        assert!(store.next_due(now()).await.unwrap().is_some());
        waits[1].push(begun.elapsed().as_secs_f64() * 1e3);
        for (n, limit) in [(2, 10), (3, 500)] {
            let after = DuePoint {
                due: now() - TimeDelta::days(2),
                delivery: DeliveryId(0),
            };
            let begun = Instant::now();
            let found = store
                .queues(Queues::Due(after), limit, now())
                .await
                .unwrap();
            assert!(!found.due.is_empty());
            waits[n].push(begun.elapsed().as_secs_f64() * 1e3);
        }
        let begun = Instant::now();
        let swept = store.queues(Queues::Beyond(None), 10, now()).await.unwrap();
        assert!(!swept.due.is_empty());
        waits[4].push(begun.elapsed().as_secs_f64() * 1e3);
    }
    waits.map(|waits| benches::spread(waits).0)
}
