//! Fetched deliveries: they wait as during a pause, and end when their receiver acknowledges them.

use gatepost_storage::Page;
use gatepost_storage::webhooks::{
    ChangedDelivery, Delivery, DeliveryQuery, DeliveryState, Disposition, EndReason, IfWaiting,
    WaitingChange,
};
use webhook_model::{DeliveryMode, OwnerId, WebhookId};

use super::look::names;
use crate::fixtures::{at, change, claim, direct, end, message, queued, settlement, webhook};
use crate::harness::Webhooks;
use crate::runtime::racing;

/// A fetched delivery must end as `sent`, with one more attempt, only once. The store must skip it
/// if it is another webhook's, is running, was attempted or replayed since then, or has ended.
pub async fn q54_a_fetched_delivery_ends_once(store: Webhooks) {
    let hook = queued(&store, &["a", "b", "c", "d"]).await;
    let other = store
        .records
        .insert_webhook(
            &{
                let mut other = webhook("other");
                other.mode = DeliveryMode::Fetch;
                other
            },
            crate::fixtures::UNLIMITED,
            at(0),
        )
        .await;
    let other = other.unwrap().id;
    let theirs = vec![message(other, "theirs", at(0))];
    store.queue.enqueue(direct(theirs), at(0)).await.unwrap();
    let retried = claim(&store, hook, 0).await;
    let again = Disposition::Retry { due: at(20) };
    let again = vec![settlement(&retried[1], again)];
    store.queue.settle(again, at(1)).await.unwrap();
    let back = Disposition::Release { due: at(2) };
    let back = [&retried[0], &retried[2]].map(|c| settlement(c, back.clone()));
    store.queue.settle(back.to_vec(), at(1)).await.unwrap();
    change(&store, hook, |w| w.mode = DeliveryMode::Fetch).await;

    let open = waiting(&store, hook).await;
    let handed: Vec<IfWaiting> = open.iter().map(IfWaiting::as_is).collect();
    assert_eq!(
        open.iter().map(|one| one.attempts).collect::<Vec<_>>(),
        [0, 1, 0],
        "Q54 how often they were attempted"
    );
    let before = vec![IfWaiting {
        attempts: Some(0),
        ..handed[1]
    }];
    assert_eq!(say(&store, before).await, [], "Q54 as it was before");
    let running = IfWaiting::as_is(&retried[3].delivery);
    assert_eq!(say(&store, vec![running]).await, [], "Q54 being sent");
    let theirs = waiting(&store, other).await[0].id;
    let theirs = vec![IfWaiting {
        delivery: theirs,
        ..handed[0]
    }];
    assert_eq!(
        say(&store, theirs.clone()).await,
        [],
        "Q54 another webhook's"
    );
    assert_eq!(waiting(&store, other).await.len(), 1, "Q54 which waits on");

    let first_two = vec![handed[1], handed[0]];
    let racers = (0..4).map(|_| {
        let (store, all) = (store.clone(), first_two.clone());
        async move { say(&store, all).await }
    });
    let mut ended = racing(racers).await.concat();
    ended.sort_unstable();
    let found: Vec<_> = ended.iter().map(|one| one.delivery).collect();
    let expected = [handed[0].delivery, handed[1].delivery];
    assert_eq!(found, expected, "Q54 once, in order");
    // Sealed messages are longer.
    assert!(ended.iter().all(|one| one.bytes >= 2), "Q54 their bytes");
    assert_eq!(say(&store, first_two.clone()).await, [], "Q54 again");
    let found = store.log.delivery(handed[1].delivery).await.unwrap();
    let found = found.unwrap();
    assert_eq!(found.state, DeliveryState::Sent, "Q54 sent");
    assert_eq!(
        found.status_info,
        EndReason::Fetched.as_str(),
        "Q54 in words"
    );
    assert_eq!(
        (found.attempts, found.tries, found.class.as_str()),
        (2, 2, "ok"),
        "Q54 one attempt more"
    );
    assert_eq!(found.last_attempt, Some(at(3)), "Q54 when");
    assert_eq!(found.response_status, None, "Q54 no response");
    assert_eq!(&*found.body, "{}", "Q54 the message is kept");
    let attempts = store.log.attempts(found.id, 9).await.unwrap();
    let attempts: Vec<_> = attempts.iter().map(|a| (a.number, &*a.info)).collect();
    assert_eq!(
        attempts,
        [(1, "200 OK"), (2, EndReason::Fetched.as_str())],
        "Q54 logged"
    );

    let replay = [handed[0].delivery];
    assert_eq!(store.log.replay(&replay, at(4)).await.unwrap(), 1, "Q54");
    assert_eq!(say(&store, first_two).await, [], "Q54 not a replay");
    let replayed = waiting(&store, hook).await;
    assert_eq!(replayed[0].attempts, 1, "Q54 handed out again");
    let unkept = WaitingChange::Fetched {
        keep_messages: false,
    };
    let one = vec![IfWaiting::as_is(&replayed[0])];
    let done = store.log.change_waiting(one, unkept, at(5)).await.unwrap();
    assert_eq!(done.len(), 1, "Q54 the replay");
    let found = store.log.delivery(handed[0].delivery).await.unwrap();
    assert!(found.is_some_and(|d| !d.message_kept), "Q54 not kept");
    change(&store, hook, |w| w.mode = DeliveryMode::Push).await;
    assert_eq!(
        names(&claim(&store, hook, 5).await),
        ["c"],
        "Q54 what is left is sent"
    );
    store.queue.reclaim(9, at(40)).await.unwrap();
    end(&store, hook, Disposition::Sent, 41).await;
    let late = vec![handed[2]];
    assert_eq!(say(&store, late).await, [], "Q54 what was sent since");
    let usage = store.log.recount_usage(OwnerId(1), u64::MAX).await;
    let counted = usage.unwrap().log_bytes;
    assert!(counted >= attempt_bytes(&store).await, "Q54 attempts count");
}

/// Returns the waiting deliveries of a webhook, the oldest first.
async fn waiting(store: &Webhooks, hook: WebhookId) -> Vec<Delivery> {
    let query = DeliveryQuery {
        webhook: Some(hook),
        states: vec![DeliveryState::Queued],
        ..DeliveryQuery::all(Page::first(9))
    };
    store.log.list_deliveries(&query).await.unwrap()
}

async fn say(store: &Webhooks, deliveries: Vec<IfWaiting>) -> Vec<ChangedDelivery> {
    let kept = WaitingChange::Fetched {
        keep_messages: true,
    };
    let changed = store.log.change_waiting(deliveries, kept, at(3));
    changed.await.unwrap()
}

/// Returns the bytes that all attempts count for the log.
async fn attempt_bytes(store: &Webhooks) -> u64 {
    let (mut bytes, all) = (0, DeliveryQuery::all(Page::first(9)));
    for row in store.log.list_deliveries(&all).await.unwrap() {
        let attempts = store.log.attempts(row.id, 9).await.unwrap();
        bytes += attempts.iter().map(|a| a.kept_bytes()).sum::<u64>();
    }
    bytes
}
