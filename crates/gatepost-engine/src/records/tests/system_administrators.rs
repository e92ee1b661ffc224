//! System administrators without a tenant make few changes: every occurrence reads their realm.

use std::time::Duration;

use gatepost_ids::{AccessLevel, Realm};
use gatepost_storage::owners::OwnerStore as _;
use webhook_model::{Action, OwnerId};

use super::*;

/// A webhook of a system administrator, and one of a user of a tenant.
async fn world() -> (Records, Bench, [WebhookId; 2]) {
    let (records, platform) = (Records::new(), Platform::new());
    platform.account(1, AccessLevel::SystemAdministrator, None);
    platform.user(2, 7);
    let bench = addressed_only(&records, &platform).await;
    let operators = Realm::System;
    let placed = records.store.assign_realm(OwnerId(1), operators, noon());
    placed.await.unwrap();
    let mut webhooks = [WebhookId(0); 2];
    for (owner, webhook) in (1..).zip(&mut webhooks) {
        *webhook = records.webhook(|w| w.owner = OwnerId(owner)).await;
    }
    (records, bench, webhooks)
}

fn is_too_fast<T>(result: &Result<T, EngineError>) -> bool {
    matches!(result, Err(EngineError::TooFast { .. }))
}

#[tokio::test(start_paused = true)]
async fn administrator_pauses_are_rate_limited_policy_disabling_not() {
    let (records, bench, [operators, users]) = world().await;
    let activities = &bench.worker.watch.activities;
    for _ in 0..5 {
        activities.set(operators, Activity::Paused).await.unwrap();
        activities.set(operators, Activity::Active).await.unwrap();
    }
    let paused = activities.set(operators, Activity::Paused).await;
    assert!(is_too_fast(&paused), "{paused:?}");
    activities.disable(operators, "it failed").await.unwrap();
    assert_eq!(records.activity(operators).await, Activity::Disabled);
    let resumed = activities.set(operators, Activity::Active).await;
    assert!(is_too_fast(&resumed), "{resumed:?}");
    tokio::time::advance(Duration::from_secs(6)).await;
    activities.set(operators, Activity::Active).await.unwrap();
    for _ in 0..15 {
        activities.set(users, Activity::Paused).await.unwrap();
        activities.set(users, Activity::Active).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn repeated_pause_stores_nothing_and_is_no_change() {
    let (_records, bench, [operators, _]) = world().await;
    let (activities, inquiries) = (&bench.worker.watch.activities, &bench.admission.inquiries);
    let paused = activities.set(operators, Activity::Paused).await.unwrap();
    for _ in 0..30 {
        inquiries.take();
        let again = activities.set(operators, Activity::Paused).await;
        assert_eq!(again.unwrap().revision, paused.revision);
        assert!(inquiries.take().webhooks.contains(&operators));
    }
    for made in 1..10 {
        let activity = [Activity::Paused, Activity::Active][made % 2];
        activities.set(operators, activity).await.unwrap();
    }
    let resumed = activities.set(operators, Activity::Active).await;
    assert_eq!(resumed.unwrap().value.activity, Activity::Active);
    let paused = activities.set(operators, Activity::Paused).await;
    assert!(is_too_fast(&paused), "{paused:?}");
}

#[tokio::test(start_paused = true)]
async fn transfer_to_another_owner_counts_as_system_change() {
    let (records, bench, [operators, users]) = world().await;
    let engine = bench.engine();
    let mut made = Vec::new();
    for _ in 0..12 {
        made.push(records.task(operators, "x", false).await);
    }
    let target = Target::Instance(ObjectId::from(9));
    records.event(target, made[11]).await;
    let give = async |task| {
        let given = engine.edit_task(task, |task| {
            let Action::Send { webhook, .. } = &mut task.action else {
                panic!("it sends");
            };
            *webhook = users;
            Ok(())
        });
        given.await
    };
    for task in &made[..10] {
        assert_eq!(give(*task).await.unwrap().owner, OwnerId(2));
    }
    let given = give(made[10]).await;
    assert!(is_too_fast(&given), "{given:?}");
    let to_users = |event: &mut webhook_model::Event| {
        event.task = made[0];
        Ok(())
    };
    let given = engine.edit_event(EventId(1), to_users).await;
    assert!(is_too_fast(&given), "{given:?}");
    tokio::time::advance(Duration::from_secs(6)).await;
    let given = engine.edit_event(EventId(1), to_users).await;
    assert_eq!(given.unwrap().owner, OwnerId(2));
}
