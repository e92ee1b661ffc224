//! Rows that retention hides, and rows that it never hides.

use gatepost_storage::ErrorKind;
use gatepost_storage::webhooks::{
    DeliveryId, DeliveryQuery, DeliveryState, Disposition, NewDelivery, PurgeBounds,
};
use webhook_model::OwnerId;

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

/// What is beyond its owner's share is hidden in every way: not found, not listed by anything,
/// without attempts, not replayed, not cancelled, not to be deleted. What is open is shown however
/// old it is, does not count, and is hidden when it has ended and its owner is counted again.
pub async fn l23_what_is_hidden_is_hidden_in_every_way(store: Webhooks) {
    let (hook, ids) = some(&store).await;
    let recount = async |share| store.log.recount_usage(OwnerId(1), share).await.unwrap();
    let used = recount(u64::MAX).await;
    let each = (used.log_bytes - used.waiting_bytes) / 4;
    recount(2 * each).await;
    let shown = ["open", "runs", "c", "d"];
    assert_eq!(listed(&store, &all()).await, shown, "L23 open ones stay");
    for hidden in [ids[0], ids[2]] {
        let row = store.log.delivery(hidden).await.unwrap();
        assert_eq!(row, None, "L23 not found");
        let attempts = store.log.attempts(hidden, 99).await.unwrap();
        assert_eq!(attempts, [], "L23 no attempts");
        let count = store.log.replay(&[hidden], at(6)).await.unwrap();
        assert_eq!(count, 0, "L23 not replayed");
        let count = store.log.cancel(&[hidden], "x", at(6)).await.unwrap();
        assert_eq!(count, 0, "L23 not cancelled");
        let gone = store.log.delete_delivery(hidden, at(6)).await.err();
        let gone = gone.map(|error| error.kind());
        assert_eq!(gone, Some(ErrorKind::NotFound), "L23 not to be deleted");
    }
    let by = |states: &[DeliveryState]| DeliveryQuery {
        states: states.to_vec(),
        webhook: Some(hook),
        ..all()
    };
    let failed = listed(&store, &by(&[DeliveryState::Error])).await;
    assert_eq!(failed, [""; 0], "L23 failed");
    let sent = listed(&store, &by(&[DeliveryState::Sent])).await;
    assert_eq!(sent, ["c", "d"], "L23 sent");
    let count = store.log.replay(&[ids[4]], at(6)).await.unwrap();
    assert_eq!(count, 1, "L23 one that is shown is replayed");
    for one in claim(&store, hook, 90).await {
        let sent = vec![settlement(&one, Disposition::Sent)];
        store.queue.settle(sent, at(91)).await.unwrap();
    }
    // A replayed delivery has two attempts.
    recount(3 * each).await;
    purge(&store, &keep_all(), 92).await;
    let shown = listed(&store, &all()).await;
    assert_eq!(shown, ["runs", "c", "d"], "L23 what had been open");
    let open = store.log.count_queue(at(93)).await.unwrap();
    assert_eq!((open.queued, open.running), (0, 1), "L23 counted");
}

/// The same of what is too old; what was open then goes on, may be replayed as long as it is shown,
/// and leaves with its age.
pub async fn l24_what_is_too_old_is_hidden_in_every_way(store: Webhooks) {
    let (hook, ids) = some(&store).await;
    let late = direct(vec![message(hook, "young", at(90))]);
    store.queue.enqueue(late, at(5)).await.unwrap();
    let keep = PurgeBounds {
        created_before: at(5),
        ..keep_all()
    };
    purge(&store, &keep, 6).await;
    let shown = listed(&store, &all()).await;
    assert_eq!(shown, ["open", "runs", "young"], "L24 open ones stay");
    let count = store.log.replay(&ids, at(6)).await.unwrap();
    assert_eq!(count, 0, "L24 not replayed");
    for hidden in [ids[0], ids[2], ids[5]] {
        let row = store.log.delivery(hidden).await.unwrap();
        assert_eq!(row, None, "L24 not found");
        let attempts = store.log.attempts(hidden, 99).await.unwrap();
        assert_eq!(attempts, [], "L24 no attempts");
    }
    let given = claim(&store, hook, 90).await;
    assert_eq!(given.len(), 2, "L24 what is open is sent");
    let ends = given.iter().map(|c| settlement(c, Disposition::Failed));
    store.queue.settle(ends.collect(), at(91)).await.unwrap();
    purge(&store, &keep, 92).await;
    let shown = listed(&store, &all()).await;
    assert_eq!(shown, ["runs", "young"], "L24 when it had ended");
    let young = number(&store, "young").await;
    let ids: Vec<_> = ids.into_iter().chain([young]).collect();
    let count = store.log.replay(&ids, at(93)).await.unwrap();
    assert_eq!(count, 1, "L24 the young one");
}

/// Where the log takes more bytes than it may, the oldest of what has ended leaves first, and
/// nothing that is open; what comes after is stored and shown. As many as there are: nothing
/// leaves.
pub async fn l25_retention_by_bytes_takes_the_oldest(store: Webhooks) {
    let (hook, _) = some(&store).await;
    let before = listed(&store, &all()).await;
    let bound = |bytes| PurgeBounds {
        bytes: Some(bytes),
        ..keep_all()
    };
    purge(&store, &bound(u64::MAX / 2), 5).await;
    assert_eq!(listed(&store, &all()).await, before, "L25 enough room");
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
