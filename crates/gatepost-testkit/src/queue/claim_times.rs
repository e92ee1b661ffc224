//! The time at which a delivery is claimed, and the ends of a claim.

use chrono::TimeDelta;
use gatepost_storage::webhooks::{QueueClass, Queues};

use super::look::names;
use crate::fixtures::{START, UNLIMITED, at, claim, direct, message, queue_claim, queued, webhook};
use crate::harness::Webhooks;

/// A delivery must be claimable at its due time and not a microsecond before.
pub async fn q01_due_is_inclusive(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    let queues = [queue_claim(hook, QueueClass::First)];
    let early = at(0) - TimeDelta::microseconds(1);
    assert!(
        store
            .queue
            .claim(&queues, at(9), early)
            .await
            .unwrap()
            .is_empty(),
        "Q1 early"
    );
    assert_eq!(
        names(&claim(&store, hook, 0).await),
        ["a"],
        "Q1 at its time"
    );
}

/// Due queues must be returned in order, in pages.
pub async fn q17_due_queues_come_in_pages(store: Webhooks) {
    let mut hooks = Vec::new();
    for name in ["x", "y", "z"] {
        let row = store
            .records
            .insert_webhook(&webhook(name), UNLIMITED, at(0))
            .await
            .unwrap();
        let batch = direct(vec![message(row.id, name, at(0))]);
        store.queue.enqueue(batch, at(0)).await.unwrap();
        hooks.push(row.id);
    }
    let asked = async |which| store.queue.queues(which, 2, at(0)).await.unwrap();
    let first = asked(Queues::Due(START)).await;
    let rest = asked(first.more.expect("Q17 there is more")).await;
    let found = first.due.iter().chain(&rest.due);
    let found: Vec<_> = found.map(|due| due.queue.webhook).collect();
    assert_eq!(found, hooks, "Q17");
}
