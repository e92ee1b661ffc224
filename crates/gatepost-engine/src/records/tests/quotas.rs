//! Limits of owners.

use std::time::Duration;

use gatepost_ids::{AccessLevel, Quota};
use gatepost_storage::webhooks::{RecordId, RecordStore as _};
use webhook_model::{Action, OwnerId, Task};

use super::*;
use crate::access::testing::Manner;

pub(super) async fn of(quota: Quota) -> (Records, Bench) {
    on(&Platform::new(), quota).await
}

async fn on(platform: &Arc<Platform>, quota: Quota) -> (Records, Bench) {
    let records = Records::new();
    platform.set_quota(Some(quota));
    let (limits, script) = (Limits::default(), Script::new(&[]));
    let bench = Bench::of(&records, &limits, script, Rule::OneSystem, platform).await;
    (records, bench)
}

pub(super) fn webhook(owner: u128, name: &str) -> webhook_model::Webhook {
    let url = "https://example.com/".parse().unwrap();
    webhook_model::Webhook::new(OwnerId(owner), name.parse().unwrap(), url)
}

pub(super) fn task(webhook: WebhookId, once: bool) -> Task {
    Task {
        delete_after_run: once,
        ..Task::new(
            OwnerId(99),
            "t".parse().unwrap(),
            Action::Send {
                webhook,
                message: "x".parse().unwrap(),
            },
        )
    }
}

#[tokio::test]
async fn record_limit_error_states_count_and_maximum() {
    let quota = Quota::default().with_webhooks(2).with_tasks(1);
    let (_records, bench) = of(quota).await;
    let engine = bench.engine();
    let first = engine.create_webhook(&webhook(1, "a")).await.unwrap();
    engine.create_webhook(&webhook(1, "b")).await.unwrap();
    let full = engine.create_webhook(&webhook(1, "c")).await.unwrap_err();
    assert_eq!(full.to_string(), "You have 2 of 2 webhooks");
    engine.create_webhook(&webhook(2, "c")).await.unwrap();

    engine.create_task(&task(first.id, false)).await.unwrap();
    let full = engine
        .create_task(&task(first.id, false))
        .await
        .unwrap_err();
    assert_eq!(full.to_string(), "You have 1 of 1 tasks");
    // At its limit, a record can still be edited.
    let edited = engine.edit_webhook(first.id, |w| {
        w.name = "z".parse()?;
        Ok(())
    });
    assert_eq!(edited.await.unwrap().value.name.as_str(), "z");
}

#[tokio::test]
async fn edit_naming_another_owner_counts_for_the_first() {
    let platform = Platform::new();
    let (_records, bench) = on(&platform, Quota::default().with_webhooks(1)).await;
    let engine = bench.engine();
    let row = engine.create_webhook(&webhook(1, "a")).await.unwrap();
    platform.asked();
    let given = engine.edit_webhook(row.id, |webhook| {
        webhook.owner = OwnerId(2);
        Ok(())
    });
    assert_eq!(given.await.unwrap().value.owner, OwnerId(1));
    assert!(!platform.asked().contains(&OwnerId(2)));
}

#[tokio::test]
async fn record_growth_over_quota_is_refused_shrinking_allowed() {
    let quota = Quota::default().with_record_bytes(700);
    let (_records, bench) = of(quota).await;
    let engine = bench.engine();
    let row = engine.create_webhook(&webhook(1, "a")).await.unwrap();
    let url = |length| format!("https://example.com/{}", "x".repeat(length));
    let set = async |length| {
        let edited = engine.edit_webhook(row.id, |w| {
            w.url = url(length).parse()?;
            Ok(())
        });
        edited.await.map(|_| ())
    };
    set(300).await.unwrap();
    let full = set(900).await.unwrap_err();
    assert!(
        matches!(
            full,
            EngineError::Full {
                what: "bytes of records",
                most: 700,
                ..
            }
        ),
        "{full:?}"
    );
    set(10).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn manual_actions_share_one_rate_limit() {
    let quota = Quota::default().with_runs_per_minute(2);
    let (records, bench) = of(quota).await;
    let webhook = records.webhook(|_| {}).await;
    let once = records.task(webhook, "x", false).await;
    let engine = bench.engine();
    engine.send(webhook, None).await.unwrap();
    engine
        .run_task(once, RunContext::default(), None)
        .await
        .unwrap();
    let fast = engine.send(webhook, None).await.unwrap_err();
    let EngineError::TooFast { retry_after } = fast else {
        panic!("{fast:?}");
    };
    assert!((Duration::from_secs(1)..=Duration::from_secs(60)).contains(&retry_after));
    let fast = engine
        .run_task(once, RunContext::default(), None)
        .await
        .unwrap_err();
    assert!(matches!(fast, EngineError::TooFast { .. }), "{fast:?}");
    tokio::time::advance(retry_after).await;
    engine.send(webhook, None).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn owner_at_waiting_limit_cannot_send_or_run() {
    let quota = Quota::default().with_waiting(1);
    let (records, bench) = of(quota).await;
    let webhook = records.tagged("x").await;
    records.set_activity(webhook, Activity::Paused).await;
    let engine = bench.engine();
    let id = engine.send(webhook, None).await.unwrap();
    let full = engine.send(webhook, None).await.unwrap_err();
    assert_eq!(full.to_string(), "You have 1 of 1 waiting deliveries");
    let full = engine
        .run_task(TaskId(1), RunContext::default(), None)
        .await
        .unwrap_err();
    assert!(matches!(full, EngineError::Full { .. }), "{full:?}");
    let emitter = bench.emitter(&Limits::default());
    let occurrence = crate::testing::poweron(7, &[1]);
    let emitted = emitter.emit(&occurrence, crate::emit::Emitter::all()).await;
    let emitted = emitted.unwrap();
    assert_eq!((emitted.deliveries.len(), emitted.rejected), (0, 1));
    assert_eq!(engine.cancel(&[id]).await.unwrap(), 1);
    engine.send(webhook, None).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn deleted_webhook_frees_its_quota_immediately() {
    let (records, bench) = of(Quota::default().with_waiting(3)).await;
    let engine = bench.engine();
    let full = engine.create_webhook(&webhook(1, "full")).await.unwrap().id;
    records.tagged("x").await;
    records.set_activity(full, Activity::Paused).await;
    for _ in 0..3 {
        engine.send(full, None).await.unwrap();
    }
    let emitter = bench.emitter(&Limits::default());
    let occurrence = crate::testing::poweron(7, &[1]);
    let all = crate::emit::Emitter::all;
    // Other processes know it, too.
    bench.authorizer.flush().await;
    let before = emitter.emit(&occurrence, all()).await.unwrap();
    assert_eq!((before.deliveries.len(), before.rejected), (0, 1));
    bench.authorizer.flush().await;
    engine.delete_webhook(full, Cascade::Refuse).await.unwrap();
    let after = emitter.emit(&occurrence, all()).await.unwrap();
    assert_eq!((after.deliveries.len(), after.rejected), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn system_administrator_changes_ten_records_a_minute() {
    let (records, platform) = (Records::new(), Platform::new());
    platform.account(1, AccessLevel::SystemAdministrator, None);
    platform.user(2, 7);
    let bench = addressed_only(&records, &platform).await;
    let engine = bench.engine();
    let administrators = engine.create_webhook(&webhook(1, "w")).await.unwrap().id;
    let users = engine.create_webhook(&webhook(2, "w")).await.unwrap().id;
    for _ in 0..9 {
        engine
            .create_task(&task(administrators, false))
            .await
            .unwrap();
    }
    let fast = engine.create_task(&task(administrators, false)).await;
    assert!(matches!(fast, Err(EngineError::TooFast { .. })), "{fast:?}");
    for _ in 0..30 {
        engine.create_task(&task(users, false)).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn system_administrators_one_time_task_counts_twice() {
    let (records, platform) = (Records::new(), Platform::new());
    platform.account(1, AccessLevel::SystemAdministrator, None);
    let bench = addressed_only(&records, &platform).await;
    let engine = bench.engine();
    let administrators = engine.create_webhook(&webhook(1, "w")).await.unwrap().id;
    let mut first = engine
        .create_task(&task(administrators, true))
        .await
        .unwrap();
    assert!(first.value.delete_after_run);
    for _ in 0..3 {
        engine
            .create_task(&task(administrators, true))
            .await
            .unwrap();
    }
    let fast = engine.create_task(&task(administrators, true)).await;
    assert!(matches!(fast, Err(EngineError::TooFast { .. })), "{fast:?}");
    tokio::time::advance(Duration::from_secs(60)).await;
    for once in [false, true] {
        let edited = engine.edit_task(first.id, |task| {
            task.delete_after_run = once;
            Ok(())
        });
        first = edited.await.unwrap();
        assert_eq!(first.value.delete_after_run, once);
    }
}

#[tokio::test(start_paused = true)]
async fn unlimited_system_administrator_changes_without_pace() {
    let (records, platform) = (Records::new(), Platform::new());
    platform.account(1, AccessLevel::SystemAdministrator, None);
    platform.set_quota(Some(Quota::UNLIMITED));
    let bench = addressed_only(&records, &platform).await;
    let engine = bench.engine();
    let administrators = engine.create_webhook(&webhook(1, "w")).await.unwrap().id;
    for _ in 0..30 {
        let made = engine
            .create_task(&task(administrators, true))
            .await
            .unwrap();
        engine.delete_task(made.id).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn administrator_deletions_are_limited_and_unreadable_records_deletable() {
    let (records, platform) = (Records::new(), Platform::new());
    platform.account(1, AccessLevel::SystemAdministrator, None);
    platform.user(2, 7);
    let bench = addressed_only(&records, &platform).await;
    let engine = bench.engine();
    let operators = engine.create_webhook(&webhook(1, "w")).await.unwrap().id;
    let mut made = Vec::new();
    for _ in 0..10 {
        made.push(records.task(operators, "x", false).await);
        records.event(Target::Generic, made[0]).await;
    }
    for task in &made[1..] {
        engine.delete_task(*task).await.unwrap();
    }
    let (task, event) = (made[0], EventId(1));
    for fast in [
        engine.delete_webhook(operators, Cascade::Tasks).await,
        engine.delete_task(task).await,
        engine.delete_event(event).await,
    ] {
        assert!(matches!(fast, Err(EngineError::TooFast { .. })), "{fast:?}");
    }
    tokio::time::advance(Duration::from_secs(6)).await;
    engine.delete_event(event).await.unwrap();

    for record in [
        RecordId::Event(EventId(2)),
        RecordId::Task(task),
        RecordId::Webhook(operators),
    ] {
        bench.store.set_unreadable(record, true);
    }
    engine.delete_event(EventId(2)).await.unwrap();
    engine.delete_task(task).await.unwrap();
    engine
        .delete_webhook(operators, Cascade::Tasks)
        .await
        .unwrap();

    let users = engine.create_webhook(&webhook(2, "w")).await.unwrap().id;
    for _ in 0..30 {
        let task = records.task(users, "x", false).await;
        engine.delete_task(task).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn unavailable_platform_prevents_creation_but_not_deletion() {
    let (records, platform) = (Records::new(), Platform::new());
    platform.user(1, 7);
    let bench = addressed_only(&records, &platform).await;
    let engine = bench.engine();
    let made = engine.create_webhook(&webhook(1, "a")).await.unwrap().id;
    tokio::time::advance(Duration::from_secs(6)).await;
    for manner in [Manner::Fails, Manner::Hangs, Manner::Panics] {
        platform.set_manner(manner);
        tokio::time::advance(Duration::from_secs(6)).await;
        let refused = engine.create_webhook(&webhook(1, "b")).await.unwrap_err();
        assert!(matches!(refused, EngineError::Platform(_)), "{refused:?}");
    }
    engine.delete_webhook(made, Cascade::Refuse).await.unwrap();
    assert!(records.store.webhook(made).await.unwrap().is_none());
}
