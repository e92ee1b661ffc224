//! Records over a memory store and a scripted network.

mod fetching;
mod manual;
mod owners;
mod quotas;
mod record_sets;
mod replays;
mod system_administrators;
mod task_tests;

use std::sync::Arc;

use gatepost_storage::Revision;
use gatepost_storage::webhooks::{Cascade, DeliveryState};
use gatepost_testkit::fault::Passing;
use webhook_model::{
    Activity, EventId, Field, JsonObject, ObjectId, TagId, Target, TaskId, WebhookId,
};

use super::run_context::{RunContext, TriggerInput};
use crate::Replay;
use crate::access::Rule;
use crate::access::testing::Platform;
use crate::config::Limits;
use crate::error::EngineError;
use crate::testing::{Bench, Records, Script, noon};

async fn bench() -> (Records, Bench) {
    let records = Records::new();
    let bench = Bench::new(&records, &Limits::default(), Script::new(&[])).await;
    (records, bench)
}

/// Creates a bench of a platform with tenants.
async fn addressed_only(records: &Records, platform: &Arc<Platform>) -> Bench {
    let (limits, script) = (Limits::default(), Script::new(&[]));
    Bench::of(records, &limits, script, Rule::AddressedOnly, platform).await
}

#[tokio::test]
async fn conflicting_edit_is_reapplied_and_notifies_dispatcher() {
    let (records, bench) = bench().await;
    let engine = bench.engine();
    let id = records.webhook(|_| {}).await;
    bench.admission.take_look();
    let mut calls = 0;
    let edited = engine.edit_webhook(id, |webhook| {
        calls += 1;
        if calls == 1 {
            // Another caller stores first.
            let (records, edit) = (records.clone(), Activity::Paused);
            std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().build();
                runtime.unwrap().block_on(records.set_activity(id, edit));
            })
            .join()
            .unwrap();
        }
        webhook.name = "renamed".parse().unwrap();
        Ok(())
    });
    let row = edited.await.unwrap();
    assert_eq!(row.value.name.as_str(), "renamed");
    assert_eq!(row.value.activity, Activity::Paused, "both edits are kept");
    assert_eq!(calls, 2);
    let admission = &bench.admission;
    assert!(admission.take_look());
}

#[tokio::test]
async fn edit_among_many_is_contended_not_failed() {
    let (records, bench) = bench().await;
    let id = records.webhook(|_| {}).await;
    // Another caller always stores first.
    bench.store.alter(|passing| {
        if let Passing::Webhook(row) = passing {
            row.revision = Revision(0);
        }
    });
    let edited = bench.engine().edit_webhook(id, |_| Ok(())).await;
    assert!(matches!(edited, Err(EngineError::Contended)), "{edited:?}");
}

#[tokio::test]
async fn used_webhook_deletion_names_tasks_unless_cascading() {
    let (records, bench) = bench().await;
    let engine = bench.engine();
    let id = records.tagged("x").await;
    let refused = engine
        .delete_webhook(id, Cascade::Refuse)
        .await
        .unwrap_err();
    assert!(
        matches!(&refused, EngineError::InUse { tasks, more: 0 } if *tasks == ["t"]),
        "{refused:?}"
    );
    engine.delete_webhook(id, Cascade::Tasks).await.unwrap();
    assert!(engine.webhook(id).await.unwrap().is_none());
}

#[tokio::test]
async fn manual_run_of_missing_task_is_not_found() {
    let (records, bench) = bench().await;
    let webhook = records.webhook(|_| {}).await;
    let task = records.task(webhook, "manual", true).await;
    let engine = bench.engine();
    let nothing = RunContext::default;
    let ran = engine.run_task(task, nothing(), None).await.unwrap();
    assert_eq!(ran.deliveries.len(), 1);
    let gone = engine.run_task(task, nothing(), None).await.unwrap_err();
    assert!(matches!(gone, EngineError::NotFound), "{gone:?}");
    let missing = engine.edit_task(TaskId(99), |_| Ok(())).await.unwrap_err();
    assert!(matches!(missing, EngineError::NotFound), "{missing:?}");
}

#[tokio::test]
async fn event_trigger_names_object_and_creation_checks_catalog() {
    let (records, bench) = bench().await;
    let webhook = records.webhook(|_| {}).await;
    let task = records.task(webhook, "${NAME}", false).await;
    records
        .event(Target::Instance(ObjectId::from(9)), task)
        .await;
    let engine = bench.engine();
    let nine = Some("nine".to_owned());
    let fired = engine.trigger_event(EventId(1), nine, TriggerInput::default(), None);
    let id = fired.await.unwrap().deliveries[0];
    assert_eq!(records.stored(id).await.body.as_ref(), "nine");

    let mut event = engine.event(EventId(1)).await.unwrap().unwrap().value;
    event.task = TaskId(99);
    let dangling = engine.create_event(&event).await.unwrap_err();
    assert!(
        matches!(dangling, EngineError::Dangling(Field::Task)),
        "{dangling:?}"
    );
    event.event = "unknown".parse().unwrap();
    event.context = JsonObject::default();
    let unknown = engine.create_event(&event).await.unwrap_err();
    assert!(matches!(unknown, EngineError::Invalid(_)), "{unknown:?}");
}

#[tokio::test]
async fn triggered_event_keeps_its_context_unless_given_another() {
    let (records, bench) = bench().await;
    let webhook = records.webhook(|_| {}).await;
    let message = "${context.zone} ${data.disk} ${CORES}";
    let task = records.task(webhook, message, false).await;
    let own = r#"{"zone":"own"}"#;
    let tagged = Target::Tag(TagId(1));
    records.event_with(tagged, task, "{}", own).await;
    let engine = bench.engine();
    let brought = TriggerInput::default()
        .with_variables(vec![("CORES".into(), "4".into())])
        .with_data(r#"{"disk":100}"#.parse().unwrap());
    let other = r#"{"zone":"other"}"#.parse().unwrap();
    for (brought, sent) in [
        (TriggerInput::default(), "own  ${CORES}"),
        (brought.clone(), "own 100 4"),
        (brought.with_context(other), "other 100 4"),
    ] {
        let about = engine
            .trigger_about(EventId(1), None, brought.clone())
            .await;
        let example = engine.example(&message.parse().unwrap(), &about.unwrap());
        assert_eq!(example.unwrap().text, sent);
        let fired = engine.trigger_event(EventId(1), None, brought, None).await;
        let id = fired.unwrap().deliveries[0];
        assert_eq!(records.stored(id).await.body.as_ref(), sent);
    }
}

#[tokio::test]
async fn manual_delivery_can_be_cancelled_and_replayed() {
    let (records, bench) = bench().await;
    let webhook = records.webhook(|w| w.activity = Activity::Paused).await;
    let engine = bench.engine();
    let message = "manual".parse().unwrap();
    let id = engine.send(webhook, Some(&message)).await.unwrap();
    assert_eq!(engine.cancel(&[id]).await.unwrap(), 1);
    let ended = records.stored(id).await;
    assert_eq!(ended.state, DeliveryState::Error);
    let again = engine.replay(&Replay::Ids(vec![id])).await;
    assert_eq!(again.unwrap(), 1);
    let queued = records.stored(id).await;
    assert_eq!(queued.state, DeliveryState::Queued);
    assert_eq!(queued.message_id, ended.message_id);
    let nowhere = engine.send(WebhookId(99), None).await.unwrap_err();
    assert!(matches!(nowhere, EngineError::NotFound), "{nowhere:?}");
}

/// In order, the next delivery waits for the cancelled one.
#[tokio::test]
async fn mixed_cancel_still_looks_for_next_ordered_delivery() {
    let (records, bench) = bench().await;
    let (running, in_order) = (records.webhook(|_| {}).await, records.webhook(|_| {}).await);
    let runs = records.claimed(running).await.delivery;
    let waits = records.waiting(in_order, "x").await;
    let engine = bench.engine();
    bench.admission.inquiries.take();
    assert_eq!(engine.cancel(&[runs, waits]).await.unwrap(), 1);
    let asked = bench.admission.inquiries.take().webhooks;
    assert!(asked.contains(&in_order), "{asked:?}");
}

#[tokio::test]
async fn test_of_a_webhook_is_a_marked_delivery() {
    let (records, bench) = bench().await;
    let webhook = records.webhook(|_| {}).await;
    let engine = bench.engine();
    let message = "test of ${NAME}".parse().unwrap();
    let sent = engine.test_webhook(webhook, Some(&message), "web-1");
    let stored = records.stored(sent.await.unwrap()).await;
    assert!(stored.message_id.is_test(), "{}", stored.message_id);
    assert_eq!((stored.task, &*stored.body), (None, "test of web-1"));
}

#[tokio::test]
async fn unreadable_clock_refuses_changes_with_transient_error() {
    let (records, bench) = bench().await;
    let webhook = records.webhook(|_| {}).await;
    let engine = bench.engine();
    bench.broken.set_broken(true);
    let send = engine.send(webhook, None).await.unwrap_err();
    let delete = engine.delete_task(TaskId(1)).await.unwrap_err();
    for error in [send, delete] {
        let EngineError::Store(error) = error else {
            panic!("{error:?}");
        };
        assert!(error.is_transient(), "{error:?}");
    }
    assert!(records.deliveries().await.is_empty());
}
