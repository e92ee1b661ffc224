//! How much an owner may have and do.

use std::time::Duration;

use gatepost_ids::{AccessLevel, Quota};
use gatepost_storage::webhooks::{RecordId, RecordStore as _};
use webhook_model::{Action, Description, OwnerId, Task};

use super::*;
use crate::judge::Rule;
use crate::judge::testing::{Manner, Platform};

async fn of(quota: Quota) -> (Records, Bench) {
    let (records, platform) = (Records::new(), Platform::new());
    platform.set_quota(Some(quota));
    let (limits, script) = (Limits::default(), Script::new(&[]));
    let bench = Bench::of(&records, &limits, script, Rule::OneSystem, &platform).await;
    (records, bench)
}

fn webhook(owner: u128, name: &str) -> webhook_model::Webhook {
    let url = "https://example.com/".parse().unwrap();
    webhook_model::Webhook::new(OwnerId(owner), name.parse().unwrap(), url)
}

fn task(webhook: WebhookId, once: bool) -> Task {
    Task {
        creator: OwnerId(99),
        name: "t".parse().unwrap(),
        description: Description::default(),
        enabled: true,
        delete_after_run: once,
        action: Action::Send {
            webhook,
            message: "x".parse().unwrap(),
        },
    }
}

#[tokio::test]
async fn who_has_as_many_as_allowed_is_told_so_in_figures() {
    let quota = Quota::default().with_webhooks(2).with_tasks(1);
    let (_records, bench) = of(quota).await;
    let webhooks = webhooks(&bench);
    let first = webhooks.create(&webhook(1, "a")).await.unwrap();
    webhooks.create(&webhook(1, "b")).await.unwrap();
    let full = webhooks.create(&webhook(1, "c")).await.unwrap_err();
    assert_eq!(full.to_string(), "You have 2 of 2 webhooks");
    webhooks.create(&webhook(2, "c")).await.unwrap();

    let tasks = tasks(&bench);
    tasks.create(&task(first.id, false)).await.unwrap();
    let full = tasks.create(&task(first.id, false)).await.unwrap_err();
    assert_eq!(full.to_string(), "You have 1 of 1 tasks");
    // At its limit, a record can still be edited.
    let edited = webhooks.edit(first.id, |w| {
        w.name = "z".parse()?;
        Ok(())
    });
    assert_eq!(edited.await.unwrap().value.name.as_str(), "z");
}

#[tokio::test]
async fn records_that_grow_too_large_are_refused_and_may_shrink() {
    let quota = Quota::default().with_record_bytes(700);
    let (_records, bench) = of(quota).await;
    let webhooks = webhooks(&bench);
    let row = webhooks.create(&webhook(1, "a")).await.unwrap();
    let url = |length| format!("https://example.com/{}", "x".repeat(length));
    let set = async |length| {
        let edited = webhooks.edit(row.id, |w| {
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
async fn what_is_done_by_hand_is_done_at_a_rate_all_together() {
    let quota = Quota::default().with_runs_per_minute(2);
    let (records, bench) = of(quota).await;
    let webhook = records.webhook(|_| {}).await;
    let once = records.task(webhook, "x", false).await;
    let (tasks, deliveries) = (tasks(&bench), deliveries(&bench));
    deliveries.send(webhook, None).await.unwrap();
    tasks.run(once, RunAbout::default(), None).await.unwrap();
    let fast = deliveries.send(webhook, None).await.unwrap_err();
    let EngineError::TooFast { retry_after } = fast else {
        panic!("{fast:?}");
    };
    assert!((Duration::from_secs(1)..=Duration::from_secs(60)).contains(&retry_after));
    let fast = tasks
        .run(once, RunAbout::default(), None)
        .await
        .unwrap_err();
    assert!(matches!(fast, EngineError::TooFast { .. }), "{fast:?}");
    tokio::time::advance(retry_after).await;
    deliveries.send(webhook, None).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn who_has_as_much_waiting_as_allowed_sends_and_runs_nothing_more() {
    let quota = Quota::default().with_waiting(1);
    let (records, bench) = of(quota).await;
    let webhook = records.tagged("x").await;
    records.set_activity(webhook, Activity::Paused).await;
    let (tasks, deliveries) = (tasks(&bench), deliveries(&bench));
    let id = deliveries.send(webhook, None).await.unwrap();
    let full = deliveries.send(webhook, None).await.unwrap_err();
    assert_eq!(full.to_string(), "You have 1 of 1 waiting deliveries");
    let full = tasks
        .run(TaskId(1), RunAbout::default(), None)
        .await
        .unwrap_err();
    assert!(matches!(full, EngineError::Full { .. }), "{full:?}");
    let emitter = bench.emitter(&Limits::default());
    let occurrence = crate::testing::poweron(7, &[1]);
    let emitted = emitter.emit(&occurrence, crate::emit::Emitter::all()).await;
    let emitted = emitted.unwrap();
    assert_eq!((emitted.deliveries.len(), emitted.dropped), (0, 1));
    assert_eq!(deliveries.cancel(&[id]).await.unwrap(), 1);
    deliveries.send(webhook, None).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn deleted_webhook_makes_room_at_once() {
    let (records, bench) = of(Quota::default().with_waiting(3)).await;
    let webhooks = webhooks(&bench);
    let full = webhooks.create(&webhook(1, "full")).await.unwrap().id;
    records.tagged("x").await;
    records.set_activity(full, Activity::Paused).await;
    let deliveries = deliveries(&bench);
    for _ in 0..3 {
        deliveries.send(full, None).await.unwrap();
    }
    let emitter = bench.emitter(&Limits::default());
    let occurrence = crate::testing::poweron(7, &[1]);
    let all = crate::emit::Emitter::all;
    // As other processes know it, too.
    bench.judge.flush().await;
    let before = emitter.emit(&occurrence, all()).await.unwrap();
    assert_eq!((before.deliveries.len(), before.dropped), (0, 1));
    bench.judge.flush().await;
    webhooks.delete(full, Cascade::Refuse).await.unwrap();
    let after = emitter.emit(&occurrence, all()).await.unwrap();
    assert_eq!((after.deliveries.len(), after.dropped), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn system_administrator_changes_ten_records_a_minute() {
    let (records, platform) = (Records::new(), Platform::new());
    platform.account(1, AccessLevel::SystemAdministrator, None);
    platform.user(2, 7);
    let (limits, script) = (Limits::default(), Script::new(&[]));
    let bench = Bench::of(&records, &limits, script, Rule::AddressedOnly, &platform).await;
    let (webhooks, tasks) = (webhooks(&bench), tasks(&bench));
    let administrators = webhooks.create(&webhook(1, "w")).await.unwrap().id;
    let users = webhooks.create(&webhook(2, "w")).await.unwrap().id;
    for _ in 0..9 {
        tasks.create(&task(administrators, false)).await.unwrap();
    }
    let fast = tasks.create(&task(administrators, false)).await;
    assert!(matches!(fast, Err(EngineError::TooFast { .. })), "{fast:?}");
    for _ in 0..30 {
        tasks.create(&task(users, false)).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn system_administrators_one_time_task_counts_twice() {
    let (records, platform) = (Records::new(), Platform::new());
    platform.account(1, AccessLevel::SystemAdministrator, None);
    let (limits, script) = (Limits::default(), Script::new(&[]));
    let bench = Bench::of(&records, &limits, script, Rule::AddressedOnly, &platform).await;
    let (webhooks, tasks) = (webhooks(&bench), tasks(&bench));
    let administrators = webhooks.create(&webhook(1, "w")).await.unwrap().id;
    let mut first = tasks.create(&task(administrators, true)).await.unwrap();
    assert!(first.value.delete_after_run);
    for _ in 0..3 {
        tasks.create(&task(administrators, true)).await.unwrap();
    }
    let fast = tasks.create(&task(administrators, true)).await;
    assert!(matches!(fast, Err(EngineError::TooFast { .. })), "{fast:?}");
    tokio::time::advance(Duration::from_secs(60)).await;
    for once in [false, true] {
        let edited = tasks.edit(first.id, |task| {
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
    let (limits, script) = (Limits::default(), Script::new(&[]));
    let bench = Bench::of(&records, &limits, script, Rule::AddressedOnly, &platform).await;
    let (webhooks, tasks) = (webhooks(&bench), tasks(&bench));
    let administrators = webhooks.create(&webhook(1, "w")).await.unwrap().id;
    for _ in 0..30 {
        let made = tasks.create(&task(administrators, true)).await.unwrap();
        tasks.delete(made.id).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn an_operators_deletions_are_changes_too_and_what_cannot_be_read_can_be_deleted() {
    let (records, platform) = (Records::new(), Platform::new());
    platform.account(1, AccessLevel::SystemAdministrator, None);
    platform.user(2, 7);
    let (limits, script) = (Limits::default(), Script::new(&[]));
    let bench = Bench::of(&records, &limits, script, Rule::AddressedOnly, &platform).await;
    let (webhooks, tasks, events) = (webhooks(&bench), tasks(&bench), events(&bench));
    let operators = webhooks.create(&webhook(1, "w")).await.unwrap().id;
    let mut made = Vec::new();
    for _ in 0..10 {
        made.push(records.task(operators, "x", false).await);
        records.event(Target::Generic, made[0]).await;
    }
    for task in &made[1..] {
        tasks.delete(*task).await.unwrap();
    }
    let (task, event) = (made[0], EventId(1));
    for fast in [
        webhooks.delete(operators, Cascade::Tasks).await,
        tasks.delete(task).await,
        events.delete(event).await,
    ] {
        assert!(matches!(fast, Err(EngineError::TooFast { .. })), "{fast:?}");
    }
    tokio::time::advance(Duration::from_secs(6)).await;
    events.delete(event).await.unwrap();

    for record in [
        RecordId::Event(EventId(2)),
        RecordId::Task(task),
        RecordId::Webhook(operators),
    ] {
        bench.store.set_unreadable(record, true);
    }
    events.delete(EventId(2)).await.unwrap();
    tasks.delete(task).await.unwrap();
    webhooks.delete(operators, Cascade::Tasks).await.unwrap();

    let users = webhooks.create(&webhook(2, "w")).await.unwrap().id;
    for _ in 0..30 {
        let task = records.task(users, "x", false).await;
        tasks.delete(task).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn without_an_answer_of_the_platform_nothing_is_made_and_all_can_be_deleted() {
    let (records, platform) = (Records::new(), Platform::new());
    platform.user(1, 7);
    let (limits, script) = (Limits::default(), Script::new(&[]));
    let bench = Bench::of(&records, &limits, script, Rule::AddressedOnly, &platform).await;
    let webhooks = webhooks(&bench);
    let made = webhooks.create(&webhook(1, "a")).await.unwrap().id;
    tokio::time::advance(Duration::from_secs(6)).await;
    for manner in [Manner::Fails, Manner::Hangs, Manner::Panics] {
        platform.set_manner(manner);
        tokio::time::advance(Duration::from_secs(6)).await;
        let refused = webhooks.create(&webhook(1, "b")).await.unwrap_err();
        assert!(matches!(refused, EngineError::Platform(_)), "{refused:?}");
    }
    webhooks.delete(made, Cascade::Refuse).await.unwrap();
    assert!(records.store.webhook(made).await.unwrap().is_none());
}
