//! Deliveries that were sent after the backup.

use std::collections::HashSet;
use std::time::Duration;

use gatepost_kv::MemoryStore;
use gatepost_storage::restored::end_deliveries;
use gatepost_storage::webhooks::{
    Delivery, DeliveryQuery, DeliveryState, EndReason, NewDelivery, QueueClass, QueueStore as _,
    RecordStore as _,
};
use gatepost_storage::{AtMost, Clock as _, Page, SystemClock};
use gatepost_testkit::fixtures::{at, direct, message, queue_claim};
use tests::chaos::Counting;

use super::*;

async fn listed(store: &dyn WebhookStore) -> Vec<Delivery> {
    let query = DeliveryQuery::all(Page::first(1_000));
    store.list_deliveries(&query).await.unwrap()
}

/// Checks that waiting and running deliveries end if the platform reports them as sent, and that
/// the others stay as they were.
async fn ends_what_was_sent(store: &dyn WebhookStore) {
    let limit = AtMost::UNLIMITED;
    let hook = webhook("w", "https://example.com/");
    let hook = store.insert_webhook(&hook, limit, at(0)).await.unwrap().id;
    let ids = ["m0", "m1", "m2", "m3", "m4", "m5"];
    let batch = ids.iter().map(|id| message(hook, id, at(0))).collect();
    store.enqueue(direct(batch), at(0)).await.unwrap();
    // Two are being sent at the moment of the backup, under leases that still hold.
    let mut first = queue_claim(hook, QueueClass::First);
    first.limit = 2;
    let claimed = store.claim(&[first], at(150), at(1)).await.unwrap();
    assert_eq!(claimed.len(), 2);

    store.restored(at(2)).await.unwrap();
    let sent = HashSet::from(["m1", "m2", "m3"]);
    let mut asked = Vec::new();
    let was_sent = |delivery: &Delivery| {
        asked.push(delivery.message_id.to_string());
        sent.contains(delivery.message_id.as_str())
    };
    let found = end_deliveries(store, was_sent, at(2)).await.unwrap();
    assert_eq!((found.ended, found.left), (3, 3));
    assert_eq!(asked, ids, "each once, in order, also what was being sent");
    for delivery in listed(store).await {
        let id = delivery.message_id.to_string();
        let (state, info) = (delivery.state, &*delivery.status_info);
        match sent.contains(&*id) {
            true => assert_eq!(
                (state, info),
                (DeliveryState::Error, EndReason::Restored.as_str()),
                "{id}"
            ),
            false => assert_eq!(state, DeliveryState::Queued, "{id}"),
        }
    }
    let usage = store.log_usage(&[OwnerId(1)]).await.unwrap();
    assert_eq!(usage[0].waiting, 3, "what the owner has is counted");
    let again = end_deliveries(store, |_| true, at(3)).await.unwrap();
    assert_eq!((again.ended, again.left), (3, 0), "those that were left");

    // An administrator may decide otherwise: the same message, under the same id.
    let ended: Vec<_> = listed(store).await.iter().map(|d| d.id).collect();
    assert_eq!(store.replay(&ended, at(4)).await.unwrap(), 6);
    let waiting = listed(store).await;
    let waiting: Vec<_> = waiting.iter().map(|d| d.message_id.as_str()).collect();
    assert_eq!(waiting, ids);
}

#[tokio::test]
async fn sent_deliveries_are_ended_and_others_wait() {
    ends_what_was_sent(&MemoryStore::new()).await;
    for place in Place::all() {
        let store = place.open().await;
        ends_what_was_sent(&*store.webhooks()).await;
        store.close().await;
    }
}

#[tokio::test]
async fn deliveries_beyond_one_batch_are_ended() {
    let store = MemoryStore::new();
    let hook = webhook("w", "https://example.com/");
    let hook = store.insert_webhook(&hook, AtMost::UNLIMITED, at(0)).await;
    let hook = hook.unwrap().id;
    let batch = (0..2_500).map(|n| message(hook, &format!("m{n}"), at(0)));
    store.enqueue(direct(batch.collect()), at(0)).await.unwrap();
    let odd = |delivery: &Delivery| delivery.id.0 % 2 == 1;
    let found = end_deliveries(&store, odd, at(1)).await.unwrap();
    assert_eq!((found.ended, found.left), (1_250, 1_250));
}

/// Sends five messages after a backup, restores it, and runs an engine again; returns the ids that
/// the receiver has seen, in order.
async fn sent_across_a_restore(place: &Place, are_ended: bool) -> (Vec<String>, Vec<String>) {
    let receiver = Counting::start().await;
    let url = format!("http://{}/", receiver.addr);
    let store = place.open().await;
    let (now, limit) = (SystemClock.now(), AtMost::UNLIMITED);
    let hook = webhook("w", &url);
    let hook = store.webhooks().insert_webhook(&hook, limit, now).await;
    let hook = hook.unwrap().id;
    // Numbers for which the receiver responds normally.
    let batch = [1, 2, 4, 6, 7].map(|n| NewDelivery {
        body: format!("{n}").into(),
        ..message(hook, &format!("msg_{n}"), now)
    });
    let stored = direct(batch.into());
    store.webhooks().enqueue(stored, now).await.unwrap();
    let backup = place.back_up(&store).await;
    run_until_sent(&store).await;
    store.close().await;
    let before: Vec<String> = receiver.seen().into_iter().map(|seen| seen.id).collect();
    place.put_back(&backup);

    let store = place.open().await;
    store.keys().restored(SystemClock.now()).await.unwrap();
    if are_ended {
        let sent: HashSet<&str> = before.iter().map(String::as_str).collect();
        let was_sent = |delivery: &Delivery| sent.contains(delivery.message_id.as_str());
        let now = SystemClock.now();
        let ended = end_deliveries(&*store.webhooks(), was_sent, now).await;
        assert_eq!(ended.unwrap().ended, 5);
    }
    // Later deliveries are sent, whatever was ended.
    let (now, webhooks) = (SystemClock.now(), store.webhooks());
    let late = message(hook, "msg_8", now);
    webhooks.enqueue(direct(vec![late]), now).await.unwrap();
    run_until_sent(&store).await;
    store.close().await;
    let all: Vec<String> = receiver.seen().into_iter().map(|seen| seen.id).collect();
    let after = all[before.len()..].to_vec();
    (before, after)
}

async fn run_until_sent(store: &Store) {
    let engine = engine(store.webhooks()).await;
    let is_open = |delivery: &Delivery| !delivery.state.is_final();
    while listed(&*store.webhooks()).await.iter().any(is_open) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    engine.shutdown(Duration::from_secs(60)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deliveries_known_as_sent_are_not_resent() {
    for place in Place::all() {
        let (before, after) = sent_across_a_restore(&place, true).await;
        assert_eq!(before.len(), 5);
        assert_eq!(after, ["msg_8"]);
    }
}

/// A platform without records of its deliveries loses nothing: each is sent at least once, with the
/// same ids.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unended_deliveries_are_resent_with_same_ids() {
    for place in Place::all() {
        let (before, mut after) = sent_across_a_restore(&place, false).await;
        let mut all = [before, vec!["msg_8".to_owned()]].concat();
        all.sort();
        after.sort();
        assert_eq!(after, all);
    }
}
