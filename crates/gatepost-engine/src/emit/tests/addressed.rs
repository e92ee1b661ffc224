//! Occurrences for selected webhooks, and in channels, in every path of an emit.

use gatepost_storage::webhooks::RemainingTasks;
use webhook_model::{Occurrence, TagId, Target, WebhookId, WebhookIds};

use super::*;
use crate::emit::Run;

fn to(webhook: WebhookId) -> Occurrence {
    poweron(7, &[1]).with_to(WebhookIds::new([webhook]).unwrap())
}

#[tokio::test(start_paused = true)]
async fn only_matching_selected_webhooks_receive_also_through_outbox() {
    let records = Records::new();
    records.tagged("first").await;
    let second = records.tagged("second").await;
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    let emitted = emitter.emit(&to(second), Emitter::all()).await.unwrap();
    assert_eq!(emitted.deliveries.len(), 1);
    // Being selected does not make a webhook match.
    let elsewhere = to(second).with_tags(vec![TagId(2)]);
    let none = emitter.emit(&elsewhere, Emitter::all()).await.unwrap();
    assert!(none.deliveries.is_empty());
    let drain = drain(emitter);
    drain.push(&to(second)).await.unwrap();
    pass(&bench, Duration::from_secs(1)).await;
    assert_eq!(records.bodies().await, ["second", "second"]);
}

#[tokio::test(start_paused = true)]
async fn webhook_with_channels_still_runs_manually() {
    let records = Records::new();
    let webhook = records.webhook(|w| w.channels = "a".parse().unwrap()).await;
    let task = records.task(webhook, "x", false).await;
    records.event(Target::Tag(TagId(1)), task).await;
    let (_bench, emitter) = bench(&records, &Limits::default()).await;
    let unheard = emitter.emit_tagged().await.unwrap();
    assert!(unheard.deliveries.is_empty());
    let run = Run::from(RemainingTasks::Tasks(vec![task]));
    let by_hand = emitter.emit(&poweron(7, &[]), run).await.unwrap();
    assert_eq!(by_hand.deliveries.len(), 1);
    let heard = poweron(7, &[1]).with_channel("a".parse().unwrap());
    let heard = emitter.emit(&heard, Emitter::all()).await.unwrap();
    assert_eq!(heard.deliveries.len(), 1);
}
