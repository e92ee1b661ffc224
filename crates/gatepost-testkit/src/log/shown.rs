//! Rows that retention hides, and rows that it never hides.

use gatepost_storage::webhooks::{
    DeliveryId, DeliveryState, Disposition, NewDelivery, PurgeBounds,
};

use super::look::{all, listed, number};
use crate::fixtures::{at, claim, direct, keep_all, message, purge, queued, settlement};
use crate::harness::Webhooks;

/// Stores one of each: `failed`, `open`, `sent`, `runs` and two more that were sent; in that order.
async fn some(store: &Webhooks) -> (webhook_model::WebhookId, Vec<DeliveryId>) {
    let hook = queued(store, &[]).await;
    let mut ids = Vec::new();
    for name in ["failed", "open", "sent", "runs", "c", "d"] {
        let due = if name == "open" { 90 } else { 0 };
        let batch = direct(vec![message(hook, name, at(due))]);
        store.queue.enqueue(batch, at(0)).await.unwrap();
        ids.push(number(store, name).await);
        if name == "open" || name == "runs" {
            let leased = claim(store, hook, 0).await;
            assert_eq!(leased.len(), usize::from(name == "runs"), "given");
            continue;
        }
        for one in claim(store, hook, 0).await {
            let end = if name == "failed" {
                Disposition::Failed
            } else {
                Disposition::Sent
            };
            let settled = vec![settlement(&one, end)];
            store.queue.settle(settled, at(1)).await.unwrap();
        }
    }
    (hook, ids)
}

/// If the log takes more bytes than it may, the oldest ended deliveries must be removed first, and
/// no open one; later ones must be stored and shown. Within the limit nothing may be removed.
pub async fn l25_retention_by_bytes_takes_the_oldest(store: Webhooks) {
    let (hook, _) = some(&store).await;
    let before = listed(&store, &all()).await;
    let bound = |bytes| PurgeBounds {
        bytes: Some(bytes),
        ..keep_all()
    };
    purge(&store, &bound(u64::MAX / 2), 5).await;
    assert_eq!(listed(&store, &all()).await, before, "L25 within the limit");
    purge(&store, &bound(1), 5).await;
    let shown = listed(&store, &all()).await;
    let ended = ["failed", "sent", "c", "d"];
    let (ended, open): (Vec<_>, Vec<_>) = shown.iter().partition(|id| ended.contains(&id.as_str()));
    assert_eq!(open, ["open", "runs"], "L25 what is open stays");
    let was = ["failed", "sent", "c", "d"];
    assert_eq!(ended, was[4 - ended.len()..], "L25 the oldest first");
    let new = NewDelivery {
        body: "x".repeat(5_000).into(),
        ..message(hook, "new", at(6))
    };
    store.queue.enqueue(direct(vec![new]), at(6)).await.unwrap();
    let given = claim(&store, hook, 6).await;
    assert_eq!(given.len(), 1, "L25 the new one");
    let sent = vec![settlement(&given[0], Disposition::Sent)];
    store.queue.settle(sent, at(7)).await.unwrap();
    let row = store.log.delivery(given[0].delivery.id).await.unwrap();
    let found = row.map(|row| (row.state, row.body.len()));
    assert_eq!(found, Some((DeliveryState::Sent, 5_000)), "L25 is shown");
}
