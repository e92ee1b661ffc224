//! Owners of records, and the objects that owners may watch.

use gatepost_ids::{Quota, Realm, TenantId};
use gatepost_storage::Scope;
use gatepost_storage::owners::OwnerStore as _;
use gatepost_storage::webhooks::{RecordId, RecordStore as _};
use webhook_model::{Event, OwnerId};

use super::*;
use crate::access::testing::Platform;
use crate::access::{Decision, Rule};

/// Owners 1 and 2 of tenant 7; the platform's `SubscriptionPolicy` decides.
async fn tenant() -> (Records, Arc<Platform>, Bench) {
    let (records, platform) = (Records::new(), Platform::new());
    platform.user(1, 7);
    platform.user(2, 7);
    let rule = Rule::Policy(platform.clone());
    let (limits, script) = (Limits::default(), Script::new(&[]));
    let bench = Bench::of(&records, &limits, script, rule, &platform).await;
    (records, platform, bench)
}

fn event(target: Target, task: TaskId) -> Event {
    Event::new(
        "vms".parse().unwrap(),
        "poweron".parse().unwrap(),
        target,
        task,
    )
}

#[tokio::test]
async fn task_owner_follows_webhook_and_event_follows_task() {
    let (records, _platform, bench) = tenant().await;
    let webhook = |owner| records.webhook(move |w| w.owner = OwnerId(owner));
    let (ones, twos) = (webhook(1).await, webhook(2).await);
    let task = records.task(twos, "x", false).await;
    records
        .event(Target::Instance(ObjectId::from(9)), task)
        .await;
    let engine = bench.engine();
    let owner = async |record| engine.owner_of(record).await.unwrap();
    assert_eq!(engine.task(task).await.unwrap().unwrap().owner, OwnerId(2));
    assert_eq!(owner(RecordId::Event(EventId(1))).await, Some(OwnerId(2)));
    let edited = engine.edit_task(task, |task| {
        let webhook_model::Action::Send { webhook, .. } = &mut task.action else {
            panic!("it sends");
        };
        *webhook = ones;
        Ok(())
    });
    assert_eq!(edited.await.unwrap().owner, OwnerId(1));
    assert_eq!(owner(RecordId::Event(EventId(1))).await, Some(OwnerId(1)));
    assert_eq!(owner(RecordId::Webhook(WebhookId(99))).await, None);
}

#[tokio::test]
async fn event_requires_watch_permission_but_can_be_disabled() {
    let (records, platform, bench) = tenant().await;
    let webhook = records.webhook(|_| {}).await;
    let task = records.task(webhook, "x", false).await;
    let engine = bench.engine();
    let on = |id: u32| event(Target::Instance(id.into()), task);
    let made = engine.create_event(&on(1)).await.unwrap().id;
    platform.may(1, Decision::No);
    let refused = engine.create_event(&on(2)).await.unwrap_err();
    assert!(matches!(&refused, EngineError::Forbidden(_)), "{refused:?}");
    let refused = engine.edit_event(made, |event| {
        event.target = Target::Instance(ObjectId::from(3));
        Ok(())
    });
    let refused = refused.await.unwrap_err();
    assert!(matches!(refused, EngineError::Forbidden(_)), "{refused:?}");
    let off = engine.edit_event(made, |event| {
        event.enabled = false;
        Ok(())
    });
    assert!(!off.await.unwrap().value.enabled);
    platform.may(1, Decision::NoSuchObject);
    let missing = engine.create_event(&on(4)).await.unwrap_err();
    assert!(!matches!(missing, EngineError::Forbidden(_)), "{missing:?}");
    assert_eq!(engine.event(EventId(2)).await.unwrap(), None);
}

#[tokio::test]
async fn manual_run_uses_owner_and_requires_receive_permission() {
    let (records, platform, bench) = tenant().await;
    let webhook = records.webhook(|_| {}).await;
    let task = records.task(webhook, "x", false).await;
    bench.authorizer.admit_change(OwnerId(1)).await.unwrap();
    let engine = bench.engine();
    let ran = engine
        .run_task(task, RunContext::default(), None)
        .await
        .unwrap();
    let delivery = records.stored(ran.deliveries[0]).await;
    assert_eq!(
        (delivery.owner, delivery.tenant),
        (OwnerId(1), Some(TenantId(7)))
    );
    platform.may(1, Decision::No);
    tokio::time::pause();
    tokio::time::advance(std::time::Duration::from_secs(6)).await;
    let refused = engine
        .run_task(task, RunContext::default(), None)
        .await
        .unwrap_err();
    assert!(matches!(refused, EngineError::Forbidden(_)), "{refused:?}");
}

#[tokio::test(start_paused = true)]
async fn manual_sends_for_disabled_owner_are_forbidden() {
    let (records, platform, bench) = tenant().await;
    let webhook = records.webhook(|_| {}).await;
    platform.enable(1, false);
    let engine = bench.engine();
    let refused = engine.send(webhook, None).await.unwrap_err();
    assert!(matches!(refused, EngineError::Forbidden(_)), "{refused:?}");
    let refused = engine.test_webhook(webhook, None, "").await.unwrap_err();
    assert!(matches!(refused, EngineError::Forbidden(_)), "{refused:?}");
    let task = records.task(webhook, "x", false).await;
    let run = bench
        .engine()
        .run_task(task, RunContext::default(), None)
        .await;
    let refused = run.unwrap_err();
    assert!(matches!(refused, EngineError::Forbidden(_)), "{refused:?}");
    assert!(bench.script.sent().is_empty());
}

#[tokio::test]
async fn an_owner_is_moved_counted_and_removed() {
    let (records, _platform, bench) = tenant().await;
    let webhook = records.tagged("x").await;
    let (owner, engine) = (OwnerId(1), bench.engine());
    let place = Realm::Tenant(TenantId(8));
    engine.move_owner(owner, place).await.unwrap();
    let row = records.store.owner(owner).await.unwrap().unwrap();
    assert_eq!(row.realm, place);
    engine.owner_changed(owner).await.unwrap();
    let row = records.store.owner(owner).await.unwrap().unwrap();
    assert_eq!(
        row.realm,
        Realm::Tenant(TenantId(7)),
        "as the platform says"
    );

    let usage = engine.usage(owner).await.unwrap();
    assert_eq!(usage.quota, Quota::default());
    let records_used = usage.records;
    let counts = (
        records_used.webhooks,
        records_used.tasks,
        records_used.events,
    );
    assert_eq!(counts, (1, 1, 1));
    engine.remove_owner(owner).await.unwrap();
    assert!(records.store.webhook(webhook).await.unwrap().is_none());
    assert!(
        engine
            .rejected_counts(Scope::Owner(owner), None, 9)
            .await
            .unwrap()
            .is_empty()
    );
    assert!(engine.unreadable(Scope::All, 9).await.unwrap().is_empty());
}
