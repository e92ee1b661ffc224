//! Records over a memory store and a network that is a script.

mod by_hand;
mod operators;
mod owned;
mod quotas;
mod replayed;
mod tested;

use std::sync::Arc;

use gatepost_storage::Revision;
use gatepost_storage::webhooks::{Cascade, DeliveryState, Replay};
use gatepost_testkit::fault::Passing;
use webhook_model::{
    Activity, Catalog, EventId, Field, JsonObject, ObjectId, Specificity, TagId, Target, TaskId,
    WebhookId,
};

use super::allowance::Allowance;
use super::at_once::{AtOnce, TESTS};
use super::brought::Brought;
use super::by_hand::ByHand;
use super::deliveries::Deliveries;
use super::events::Events;
use super::owners::Owners;
use super::replays::Replays;
use super::run_about::RunAbout;
use super::targets::Targets;
use super::tasks::Tasks;
use super::webhooks::Webhooks;
use crate::activity::Activities;
use crate::config::{Limits, RetryScheduleLimits};
use crate::error::EngineError;
use crate::testing::{Bench, Records, Script, noon};

async fn bench() -> (Records, Bench) {
    let records = Records::new();
    let bench = Bench::new(&records, &Limits::default(), Script::new(&[])).await;
    (records, bench)
}

fn allowance(bench: &Bench) -> Allowance {
    Allowance {
        store: bench.store.clone(),
        judge: bench.judge.clone(),
    }
}

fn by_hand(bench: &Bench) -> ByHand {
    ByHand {
        emitter: bench.emitter(&Limits::default()),
        judge: bench.judge.clone(),
    }
}

fn activities(bench: &Bench) -> Activities {
    Activities {
        core: bench.core.clone(),
        admission: bench.admission.clone(),
        troubles: Arc::default(),
    }
}

fn targets(bench: &Bench) -> Targets {
    Targets::new(bench.script.clone(), bench.judge.clone())
}

fn webhooks(bench: &Bench) -> Webhooks {
    Webhooks {
        store: bench.store.clone(),
        clock: bench.clock.clone(),
        admission: bench.admission.clone(),
        allowance: allowance(bench),
        troubles: Arc::default(),
        targets: targets(bench),
        schedules: RetryScheduleLimits::default(),
    }
}

fn tasks(bench: &Bench) -> Tasks {
    Tasks {
        store: bench.store.clone(),
        clock: bench.clock.clone(),
        allowance: allowance(bench),
        by_hand: by_hand(bench),
    }
}

fn events(bench: &Bench) -> Events {
    let events = [("poweron", "Powered on")];
    let catalog = Catalog::builder().event_type("vms", "VMs", Specificity::InstanceOrTag, &events);
    Events {
        store: bench.store.clone(),
        clock: bench.clock.clone(),
        catalog: catalog.unwrap().build(),
        allowance: allowance(bench),
        by_hand: by_hand(bench),
    }
}

fn deliveries(bench: &Bench) -> Deliveries {
    let emitter = bench.emitter(&Limits::default());
    Deliveries {
        store: bench.store.clone(),
        clock: bench.clock.clone(),
        renderer: emitter.renderer.clone(),
        counts: emitter.launcher.worker.settler.counts.clone(),
        emitter,
        transport: bench.script.clone(),
        judge: bench.judge.clone(),
        at_once: AtOnce::new(TESTS),
    }
}

fn owners(bench: &Bench) -> Owners {
    Owners {
        store: bench.store.clone(),
        clock: bench.clock.clone(),
        judge: bench.judge.clone(),
    }
}

fn replays(bench: &Bench) -> Replays {
    Replays {
        store: bench.store.clone(),
        clock: bench.clock.clone(),
        admission: bench.admission.clone(),
        judge: bench.judge.clone(),
    }
}

#[tokio::test]
async fn an_edit_that_meets_another_is_applied_again_and_wakes_the_dispatcher() {
    let records = Records::new();
    let webhooks = records.webhooks().await;
    let id = records.webhook(|_| {}).await;
    webhooks.admission.lanes.take_look(noon());
    let mut calls = 0;
    let edited = webhooks.edit(id, |webhook| {
        calls += 1;
        if calls == 1 {
            // Somebody else is faster.
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
    let lanes = &webhooks.admission.lanes;
    assert!(lanes.take_look(noon()));
}

#[tokio::test]
async fn edit_among_many_is_contended_not_failed() {
    let (records, bench) = bench().await;
    let id = records.webhook(|_| {}).await;
    // Somebody else is always faster.
    bench.store.alter(|passing| {
        if let Passing::Webhook(row) = passing {
            row.revision = Revision(0);
        }
    });
    let edited = webhooks(&bench).edit(id, |_| Ok(())).await;
    assert!(matches!(edited, Err(EngineError::Contended)), "{edited:?}");
}

#[tokio::test]
async fn a_webhook_that_is_used_names_its_tasks_and_goes_with_them_only_on_request() {
    let records = Records::new();
    let webhooks = records.webhooks().await;
    let id = records.tagged("x").await;
    let refused = webhooks.delete(id, Cascade::Refuse).await.unwrap_err();
    assert!(
        matches!(&refused, EngineError::InUse { tasks, more: 0 } if *tasks == ["t"]),
        "{refused:?}"
    );
    webhooks.delete(id, Cascade::Tasks).await.unwrap();
    assert!(webhooks.get(id).await.unwrap().is_none());
}

#[tokio::test]
async fn a_task_is_run_by_hand_and_one_that_is_not_there_is_not_found() {
    let (records, bench) = bench().await;
    let webhook = records.webhook(|_| {}).await;
    let task = records.task(webhook, "by hand", true).await;
    let tasks = tasks(&bench);
    let nothing = RunAbout::default;
    let ran = tasks.run(task, nothing(), None).await.unwrap();
    assert_eq!(ran.deliveries.len(), 1);
    let gone = tasks.run(task, nothing(), None).await.unwrap_err();
    assert!(matches!(gone, EngineError::NotFound), "{gone:?}");
    let missing = tasks.edit(TaskId(99), |_| Ok(())).await.unwrap_err();
    assert!(matches!(missing, EngineError::NotFound), "{missing:?}");
}

#[tokio::test]
async fn an_event_is_triggered_with_its_object_and_checked_against_the_catalog() {
    let (records, bench) = bench().await;
    let webhook = records.webhook(|_| {}).await;
    let task = records.task(webhook, "${NAME}", false).await;
    records
        .event(Target::Instance(ObjectId::from(9)), task)
        .await;
    let events = events(&bench);
    let nine = Some("nine".to_owned());
    let fired = events.trigger(EventId(1), nine, Brought::default(), None);
    let id = fired.await.unwrap().deliveries[0];
    assert_eq!(records.stored(id).await.body.as_ref(), "nine");

    let mut event = events.get(EventId(1)).await.unwrap().unwrap().value;
    event.task = TaskId(99);
    let dangling = events.create(&event).await.unwrap_err();
    assert!(
        matches!(dangling, EngineError::Dangling(Field::Task)),
        "{dangling:?}"
    );
    event.event = "unknown".parse().unwrap();
    event.context = JsonObject::default();
    let unknown = events.create(&event).await.unwrap_err();
    assert!(matches!(unknown, EngineError::Invalid(_)), "{unknown:?}");
}

#[tokio::test]
async fn a_triggered_event_has_its_own_context_beside_data_unless_it_brings_another() {
    let (records, bench) = bench().await;
    let webhook = records.webhook(|_| {}).await;
    let message = "${context.room} ${data.disk} ${CORES}";
    let task = records.task(webhook, message, false).await;
    let own = r#"{"room":"own"}"#;
    let tagged = Target::Tag(TagId(1));
    records.event_with(tagged, task, "{}", own).await;
    let events = events(&bench);
    let brought = Brought::default()
        .with_variables(vec![("CORES".into(), "4".into())])
        .with_data(r#"{"disk":100}"#.parse().unwrap());
    let other = r#"{"room":"other"}"#.parse().unwrap();
    for (brought, sent) in [
        (Brought::default(), "own  ${CORES}"),
        (brought.clone(), "own 100 4"),
        (brought.with_context(other), "other 100 4"),
    ] {
        let about = events.about(EventId(1), None, brought.clone()).await;
        let example = deliveries(&bench).example(&message.parse().unwrap(), &about.unwrap());
        assert_eq!(example.unwrap().text, sent);
        let fired = events.trigger(EventId(1), None, brought, None).await;
        let id = fired.unwrap().deliveries[0];
        assert_eq!(records.stored(id).await.body.as_ref(), sent);
    }
}

#[tokio::test]
async fn a_delivery_is_queued_by_hand_cancelled_and_replayed() {
    let (records, bench) = bench().await;
    let webhook = records.webhook(|w| w.activity = Activity::Paused).await;
    let deliveries = deliveries(&bench);
    let message = "by hand".parse().unwrap();
    let id = deliveries.send(webhook, Some(&message)).await.unwrap();
    assert_eq!(deliveries.cancel(&[id]).await.unwrap(), 1);
    let ended = records.stored(id).await;
    assert_eq!(ended.state, DeliveryState::Error);
    let again = replays(&bench).replay(&Replay::Ids(vec![id])).await;
    assert_eq!(again.unwrap(), 1);
    let queued = records.stored(id).await;
    assert_eq!(queued.state, DeliveryState::Queued);
    assert_eq!(queued.message_id, ended.message_id);
    let nowhere = deliveries.send(WebhookId(99), None).await.unwrap_err();
    assert!(matches!(nowhere, EngineError::NotFound), "{nowhere:?}");
}

/// Where order was asked for, the next waits for what is cancelled.
#[tokio::test]
async fn what_comes_after_a_delivery_that_is_cancelled_is_looked_for_whatever_else_was_named() {
    let (records, bench) = bench().await;
    let (running, in_order) = (records.webhook(|_| {}).await, records.webhook(|_| {}).await);
    let runs = records.claimed(running).await.delivery;
    let waits = records.waiting(in_order, "x").await;
    let deliveries = deliveries(&bench);
    bench.admission.lanes.inquiries.take();
    assert_eq!(deliveries.cancel(&[runs, waits]).await.unwrap(), 1);
    let asked = bench.admission.lanes.inquiries.take().webhooks;
    assert!(asked.contains(&in_order), "{asked:?}");
}

#[tokio::test]
async fn a_test_is_sent_past_the_queue_and_not_recorded() {
    let (records, bench) = bench().await;
    let webhook = records.webhook(|_| {}).await;
    let row = records
        .webhooks()
        .await
        .get(webhook)
        .await
        .unwrap()
        .unwrap();
    let message = "test of ${NAME}".parse().unwrap();
    let sent = deliveries(&bench)
        .send_now(&row.value, Some(&message), "web-1")
        .await;
    assert_eq!(sent.unwrap().attempt.status, Some(200));
    assert_eq!(bench.script.sent(), ["test of web-1"]);
    assert!(records.deliveries().await.is_empty());
}

#[tokio::test]
async fn without_a_clock_nothing_is_changed_and_the_caller_receives_an_error() {
    let (records, bench) = bench().await;
    let webhook = records.webhook(|_| {}).await;
    let (tasks, deliveries) = (Arc::new(tasks(&bench)), deliveries(&bench));
    bench.broken.set_broken(true);
    let send = deliveries.send(webhook, None).await.unwrap_err();
    let delete = tasks.delete(TaskId(1)).await.unwrap_err();
    for error in [send, delete] {
        let EngineError::Store(error) = error else {
            panic!("{error:?}");
        };
        assert!(error.is_transient(), "{error:?}");
    }
    assert!(records.deliveries().await.is_empty());
}
