//! Manual messages are sent as those of an emit are.

use gatepost_storage::webhooks::{DeliveryState, RecordStore as _};
use webhook_model::{Activity, DeliveryOrder, OwnerId};

use super::bench;
use crate::config::Limits;
use crate::emit::ManualMessage;

#[tokio::test(start_paused = true)]
async fn manual_delivery_is_leased_on_insert_without_polling() {
    let (records, bench) = bench().await;
    let webhook = records.webhook(|_| {}).await;
    let admission = &bench.admission;
    admission.take_look(); // As an engine begins.
    bench.script.hold();
    let engine = bench.engine();
    let id = engine.send(webhook, None).await.unwrap();
    assert_eq!(records.stored(id).await.state, DeliveryState::Running);
    assert_eq!(bench.admission.in_flight(), 1);
    assert!(!admission.has_ready(), "it waits for no pass");
    assert!(!admission.take_look(), "the store is asked for nothing");

    // A delivery over the limit is in its queue; the dispatcher finds it there without asking the
    // store.
    let busy = records.webhook(|w| w.order = DeliveryOrder::InOrder).await;
    let waiting = engine.send(busy, None).await.unwrap();
    assert_eq!(records.stored(waiting).await.state, DeliveryState::Queued);
    assert!(admission.has_ready() && !admission.take_look());
}

#[tokio::test(start_paused = true)]
async fn manual_message_makes_only_two_store_calls() {
    let (records, bench) = bench().await;
    let webhook = records.webhook(|_| {}).await;
    let engine = bench.engine();
    bench.script.hold();
    engine.send(webhook, None).await.unwrap();
    let before = bench.store.calls();
    engine.send(webhook, None).await.unwrap();
    assert_eq!(
        bench.store.calls() - before,
        2,
        "the owner's realm is known"
    );
}

#[tokio::test(start_paused = true)]
async fn manual_message_to_changed_webhook_waits_in_queue() {
    let (records, bench) = bench().await;
    let webhook = records.webhook(|_| {}).await;
    let row = records.store.webhook(webhook).await.unwrap();
    records.set_activity(webhook, Activity::Paused).await;
    let admission = &bench.admission;
    admission.take_look();
    let letter = ManualMessage {
        to: webhook,
        owner: OwnerId(1),
        webhook: row,
        body: "x".into(),
        is_test: false,
        test_of: None,
    };
    let emitter = bench.emitter(&Limits::default());
    let id = emitter.post_detached(letter).await.unwrap();
    assert_eq!(records.stored(id).await.state, DeliveryState::Queued);
    assert!(bench.admission.in_flight() == 0 && bench.script.sent().is_empty());
    assert!(admission.take_look());
}
