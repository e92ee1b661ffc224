//! Claims from a webhook in order, and the effect of a pause.

use gatepost_storage::webhooks::{DeliveryState, Disposition};
use webhook_model::{Activity, DeliveryOrder};

use super::look::names;
use crate::fixtures::{at, change, claim, due_lanes, queued, settlement};
use crate::harness::Webhooks;

/// Of a webhook in order never two are sent at once, and never one before an older one that is
/// open: not across lost claims, releases and replays, and not by many who claim at once.
pub async fn q41_in_order_holds_across_reclaims_and_replays(store: Webhooks) {
    let hook = queued(&store, &["a", "b", "c"]).await;
    change(&store, hook, |w| w.order = DeliveryOrder::InOrder).await;
    let racers = (0..8).map(|_| {
        let store = store.clone();
        tokio::spawn(async move { claim(&store, hook, 0).await })
    });
    let mut head = Vec::new();
    for racer in racers.collect::<Vec<_>>() {
        head.extend(racer.await.unwrap());
    }
    assert_eq!(names(&head), ["a"], "Q41 one of all that ask");
    assert_eq!(due_lanes(&store, 1).await, [], "Q41 not due while it runs");
    let back = store.queue.reclaim(9, at(10)).await.unwrap();
    assert_eq!(back.requeued, 1, "Q41 lost");
    let head = claim(&store, hook, 10).await;
    assert_eq!(names(&head), ["a"], "Q41 after a loss");
    let back = settlement(&head[0], Disposition::Release { due: at(11) });
    store.queue.settle(vec![back], at(10)).await.unwrap();
    assert!(claim(&store, hook, 10).await.is_empty(), "Q41 given back");
    assert_eq!(due_lanes(&store, 10).await, [], "Q41 its head is not due");
    let head = claim(&store, hook, 11).await;
    assert_eq!(names(&head), ["a"], "Q41 after a release");
    let sent = settlement(&head[0], Disposition::Failed);
    store.queue.settle(vec![sent], at(12)).await.unwrap();
    let next = claim(&store, hook, 12).await;
    assert_eq!(names(&next), ["b"], "Q41 the next");
    let again = [head[0].delivery.id];
    assert_eq!(store.log.replay(&again, at(13)).await.unwrap(), 1, "Q41");
    assert!(claim(&store, hook, 13).await.is_empty(), "Q41 one at once");
    let sent = settlement(&next[0], Disposition::Sent);
    store.queue.settle(vec![sent], at(14)).await.unwrap();
    let head = claim(&store, hook, 14).await;
    assert_eq!(names(&head), ["a"], "Q41 what is replayed is the oldest");
    let retry = settlement(&head[0], Disposition::Retry { due: at(20) });
    store.queue.settle(vec![retry], at(15)).await.unwrap();
    assert!(
        claim(&store, hook, 19).await.is_empty(),
        "Q41 and waited for"
    );
    let head = claim(&store, hook, 20).await;
    assert_eq!(names(&head), ["a"], "Q41 when it is due");
    let cancelled = store.log.cancel(&[head[0].delivery.id], "x", at(21)).await;
    assert_eq!(cancelled.unwrap(), 0, "Q41 it is being sent");
    let deleted = store.log.delete_delivery(head[0].delivery.id, at(21)).await;
    assert!(deleted.is_ok(), "Q41 deleted");
    let last = claim(&store, hook, 21).await;
    assert_eq!(names(&last), ["c"], "Q41 what is gone holds nothing up");
}

/// A pause holds every lane: what waits for the first time, for a retry, and what lost a claim.
/// What is being sent ends as it does. All is there when the webhook is active again.
pub async fn q42_a_pause_holds_every_lane(store: Webhooks) {
    let hook = queued(&store, &["lost", "retried", "sent", "released"]).await;
    let given = claim(&store, hook, 0).await;
    change(&store, hook, |w| w.activity = Activity::Paused).await;
    let ends = [
        Disposition::Retry { due: at(2) },
        Disposition::Sent,
        Disposition::Release { due: at(2) },
    ];
    let ends = given[1..]
        .iter()
        .zip(ends)
        .map(|(c, end)| settlement(c, end));
    store.queue.settle(ends.collect(), at(1)).await.unwrap();
    let sent = store.log.delivery(given[2].delivery.id).await.unwrap();
    assert_eq!(sent.map(|d| d.state), Some(DeliveryState::Sent), "Q42 sent");
    let back = store.queue.reclaim(9, at(10)).await.unwrap();
    assert_eq!(back.requeued, 1, "Q42 lost");
    assert_eq!(due_lanes(&store, 20).await, [], "Q42 none is due");
    assert!(
        claim(&store, hook, 20).await.is_empty(),
        "Q42 none is given"
    );
    change(&store, hook, |w| w.activity = Activity::Active).await;
    assert_eq!(due_lanes(&store, 21).await.len(), 3, "Q42 all lanes");
    let mut found = claim(&store, hook, 21).await;
    found.sort_unstable_by_key(|c| c.delivery.id);
    assert_eq!(names(&found), ["lost", "retried", "released"], "Q42 all");
}
