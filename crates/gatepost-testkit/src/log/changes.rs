//! Replay, cancel, delete.

use gatepost_storage::ErrorKind;
use gatepost_storage::webhooks::{DeliveryId, DeliveryState, Disposition, QueueClass, Settled};

use super::look::number;
use crate::fixtures::{at, claim, direct, end, message, queued, settlement};
use crate::harness::Webhooks;

/// A replay queues ended deliveries again, with the same id and bytes, counts at zero and the
/// attempts kept; others are skipped.
pub async fn l04_a_replay_starts_over_with_the_same_bytes(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    end(&store, hook, Disposition::Failed, 0).await;
    let batch = direct(vec![message(hook, "open", at(90))]);
    store.queue.enqueue(batch, at(1)).await.unwrap();
    let (ended, open) = (number(&store, "a").await, number(&store, "open").await);
    let before = store.log.delivery(ended).await.unwrap().unwrap();
    let ids = [ended, open, DeliveryId(open.0 + 1000), ended];
    assert_eq!(
        store.log.replay(&ids, at(20)).await.unwrap(),
        1,
        "L4 one had ended"
    );
    let after = store.log.delivery(ended).await.unwrap().unwrap();
    assert_eq!(
        (after.message_id, after.body),
        (before.message_id, before.body),
        "L4 same"
    );
    let stood = (after.state, after.due, after.tries, after.lost_claims);
    assert_eq!(
        stood,
        (DeliveryState::Queued, at(20), 0, 0),
        "L4 from the start"
    );
    assert_eq!(after.attempts, 1, "L4 attempts ever");
    let open = store.log.delivery(open).await.unwrap().unwrap();
    assert_eq!(open.due, at(90), "L4 the open one untouched");
    end(&store, hook, Disposition::Sent, 20).await;
    let kept = store.log.attempts(ended, 99).await.unwrap();
    assert_eq!(
        kept.iter().map(|a| a.number).collect::<Vec<_>>(),
        [1, 2],
        "L4 history kept"
    );
}

/// A cancelled delivery ends in `error` with the reason; one that is being sent or has ended is
/// skipped.
pub async fn l06_a_cancelled_delivery_ends(store: Webhooks) {
    let hook = queued(&store, &["sent"]).await;
    end(&store, hook, Disposition::Sent, 0).await;
    let batch = direct(vec![message(hook, "running", at(1))]);
    store.queue.enqueue(batch, at(1)).await.unwrap();
    let running = claim(&store, hook, 1).await;
    let batch = direct(vec![message(hook, "open", at(2))]);
    store.queue.enqueue(batch, at(2)).await.unwrap();
    let mut ids = Vec::new();
    for id in ["sent", "running", "open"] {
        ids.push(number(&store, id).await);
    }
    let count = store
        .log
        .cancel(&ids, "cancelled by x", at(3))
        .await
        .unwrap();
    assert_eq!(count, 1, "L6 one was open");
    let row = store.log.delivery(ids[2]).await.unwrap().unwrap();
    let stood = (row.state, row.status_info.as_str());
    assert_eq!(stood, (DeliveryState::Error, "cancelled by x"), "L6");
    assert!(
        claim(&store, hook, 4).await.is_empty(),
        "L6 not sent any more"
    );
    let settled = store
        .queue
        .settle(vec![settlement(&running[0], Disposition::Sent)], at(4))
        .await;
    assert_eq!(
        settled.unwrap(),
        [Settled::Done],
        "L6 the running one goes on"
    );
}

/// What waits for later is due at once when it is hastened, with its tries and its lane, also when
/// it is claimed; what is due, is being sent or has ended is skipped.
pub async fn l32_what_waits_for_later_is_hastened(store: Webhooks) {
    let hook = queued(&store, &["sent"]).await;
    end(&store, hook, Disposition::Sent, 0).await;
    let batch = direct(vec![message(hook, "running", at(1))]);
    store.queue.enqueue(batch, at(1)).await.unwrap();
    let running = claim(&store, hook, 1).await;
    let batch = direct(vec![message(hook, "retried", at(2))]);
    store.queue.enqueue(batch, at(2)).await.unwrap();
    end(&store, hook, Disposition::Retry { due: at(900) }, 2).await;
    let batch = direct(vec![
        message(hook, "due", at(3)),
        message(hook, "later", at(999)),
    ]);
    store.queue.enqueue(batch, at(3)).await.unwrap();
    let mut ids = Vec::new();
    for id in ["sent", "running", "due", "retried", "later"] {
        ids.push(number(&store, id).await);
    }
    assert_eq!(store.log.hasten(&ids, at(5)).await.unwrap(), 2, "L32 two");
    assert_eq!(store.log.hasten(&ids, at(5)).await.unwrap(), 0, "L32 once");
    let row = store.log.delivery(ids[3]).await.unwrap().unwrap();
    let stood = (row.state, row.due, row.tries, row.attempts);
    assert_eq!(stood, (DeliveryState::Queued, at(5), 1, 1), "L32 retried");
    let due = store.queue.next_due(at(4)).await.unwrap();
    assert!(due.is_some_and(|due| due <= at(5)), "L32 next due {due:?}");
    let mut claimed = Vec::new();
    loop {
        let some = claim(&store, hook, 5).await;
        if some.is_empty() {
            break;
        }
        claimed.extend(some);
    }
    let mut found: Vec<_> = claimed
        .iter()
        .map(|claimed| (claimed.delivery.id, claimed.class))
        .collect();
    found.sort_unstable_by_key(|(id, _)| *id);
    let mut wanted = vec![
        (ids[2], QueueClass::First),
        (ids[3], QueueClass::Retry),
        (ids[4], QueueClass::First),
    ];
    wanted.sort_unstable_by_key(|(id, _)| *id);
    assert_eq!(found, wanted, "L32 claimed");
    let settled = vec![settlement(&running[0], Disposition::Sent)];
    let settled = store.queue.settle(settled, at(6)).await.unwrap();
    assert_eq!(settled, [Settled::Done], "L32 the running one goes on");
}

/// A deleted delivery is gone with its attempts, and the settlement of one that was being sent is
/// stale.
pub async fn l07_a_deleted_delivery_is_gone(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    end(&store, hook, Disposition::Retry { due: at(5) }, 0).await;
    let claimed = claim(&store, hook, 5).await;
    let id = claimed[0].delivery.id;
    store.log.delete_delivery(id, at(6)).await.unwrap();
    assert_eq!(store.log.delivery(id).await.unwrap(), None, "L7 delivery");
    assert_eq!(store.log.attempts(id, 99).await.unwrap(), [], "L7 attempts");
    let late = store
        .queue
        .settle(vec![settlement(&claimed[0], Disposition::Sent)], at(7))
        .await;
    assert_eq!(late.unwrap(), [Settled::Stale], "L7 settlement");
    let again = store.log.delete_delivery(id, at(8)).await.err();
    assert_eq!(
        again.map(|e| e.kind()),
        Some(ErrorKind::NotFound),
        "L7 again"
    );
}
