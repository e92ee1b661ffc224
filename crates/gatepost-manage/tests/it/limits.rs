//! Quotas, in error texts and in numbers.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta};
use gatepost_keys::{OwnerId, Quota};
use gatepost_manage::ManageError;
use gatepost_storage::webhooks::{DeliveryLog as _, RejectReason, RejectedCount};

use crate::users::{BESIDE, OWNER, TENANT};
use crate::world::{World, draft, event, task, webhook};

/// The quota that the rows of one user fill exactly.
fn quota() -> Quota {
    Quota::UNLIMITED
        .with_keys(1)
        .with_webhooks(2)
        .with_tasks(1)
        .with_events(1)
}

#[tokio::test]
async fn quota_excess_is_refused_with_owners_counts() {
    let world = World::with(quota()).await;
    for (user, who) in [(OWNER, "You have"), (TENANT, "This user has")] {
        let actor = world.of(user);
        let made = task(user, "new", world.rows.webhook);
        let answers = [
            (
                actor.create_key(draft(OWNER, "new")).await.map(drop),
                "1 of 1 keys",
            ),
            (
                actor.create_webhook(webhook(OWNER, "new")).await.map(drop),
                "2 of 2 webhooks",
            ),
            (actor.create_task(made).await.map(drop), "1 of 1 tasks"),
            (
                actor.create_event(event(world.rows.task)).await.map(drop),
                "1 of 1 events",
            ),
        ];
        for (answer, numbers) in answers {
            let full = answer.unwrap_err();
            assert!(matches!(full, ManageError::Full { .. }), "{full:?}");
            assert_eq!(full.to_string(), format!("{who} {numbers}"));
        }
    }
    // The administrator's own are not used up by that.
    let admin = world.of(TENANT);
    admin.create_webhook(webhook(TENANT, "own")).await.unwrap();
}

/// A quota that is added is found by its name, since this crate cannot take one apart whole.
#[tokio::test]
async fn each_quota_is_among_the_limits() {
    let world = World::with(Quota::default()).await;
    let limits = world.of(OWNER).limits(OwnerId(OWNER)).await.unwrap();
    let told: BTreeSet<&str> = limits.iter().map(|limit| limit.name).collect();
    let shown = format!("{:?}", Quota::default());
    let (_, fields) = shown.split_once(" { ").unwrap();
    let fields = fields
        .split(", ")
        .map(|field| field.split_once(':').unwrap());
    assert_eq!(told, fields.map(|(name, _)| name).collect());
}

#[tokio::test]
async fn too_many_bytes_are_refused_with_their_numbers() {
    let quota = Quota::UNLIMITED.with_record_bytes(2_000);
    let world = World::with(quota).await;
    let actor = world.of(OWNER);
    let edited = actor.edit_webhook(world.rows.webhook, |webhook| {
        webhook.url = format!("http://10.0.0.1/{}", "x".repeat(1_900)).parse()?;
        Ok(())
    });
    let full = edited.await.unwrap_err();
    let words = full.to_string();
    assert!(
        words.starts_with("You have ") && words.ends_with(" of 2000 bytes of records"),
        "{words}"
    );
}

#[tokio::test]
async fn too_fast_says_when_to_come_again() {
    let quota = Quota::UNLIMITED
        .with_runs_per_minute(6)
        .with_key_changes_per_minute(2);
    let world = World::with(quota).await;
    let actor = world.of(OWNER);
    // One message was sent for the rows.
    for _ in 0..5 {
        actor.run_task(world.rows.task).await.unwrap();
    }
    let runs = actor.run_task(world.rows.task).await.map(drop);
    let sent = actor.send(world.rows.webhook, None).await.map(drop);
    actor
        .edit_key(world.rows.key, Default::default())
        .await
        .unwrap();
    let keys = actor.edit_key(world.rows.key, Default::default()).await;
    for answer in [runs, sent, keys.map(drop)] {
        let Err(ManageError::TooFast { retry_after }) = answer else {
            panic!("{answer:?}");
        };
        assert!((1..=60).contains(&retry_after.as_secs()), "{retry_after:?}");
    }
    let told = actor.limits(OwnerId(OWNER)).await.unwrap();
    let told = |name| told.iter().find(|limit| limit.name == name).unwrap();
    assert_eq!(told("runs_per_minute").used, 6);
    assert_eq!(told("key_changes_per_minute").used, 2);
}

#[tokio::test]
async fn limits_are_shown_only_to_managers_of_user() {
    let world = World::with(quota()).await;
    for user in [OWNER, TENANT] {
        let limits = world.of(user).limits(OwnerId(OWNER)).await.unwrap();
        let told: Vec<_> = limits
            .iter()
            .map(|limit| (limit.name, limit.used, limit.most))
            .collect();
        let most = u64::MAX;
        assert_eq!(told[0], ("keys", 1, 1));
        assert_eq!(told[1], ("webhooks", 2, 2));
        assert_eq!(told[2], ("tasks", 1, 1));
        assert_eq!(told[3], ("events", 1, 1));
        assert_eq!((told[4].0, told[4].2), ("record_bytes", most));
        assert!(told[4].1 > 0);
        let others = ["waiting", "waiting_bytes", "log_bytes", "runs_per_minute"];
        for (at, name) in others.into_iter().enumerate() {
            assert_eq!((told[5 + at].0, told[5 + at].2), (name, most));
        }
        assert_eq!(told[9], ("key_changes_per_minute", 1, most));
    }
    let hidden = world.of(BESIDE).limits(OwnerId(OWNER)).await;
    assert!(matches!(hidden, Err(ManageError::NotFound)), "{hidden:?}");
}

#[tokio::test]
async fn rejected_counts_of_webhook_are_found_behind_others() {
    let world = World::start().await;
    let count = |webhook, minutes| RejectedCount {
        webhook,
        reason: RejectReason::Waiting,
        minute: DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes),
        count: 1,
    };
    let (own, other) = (world.rows.webhook, world.rows.paused);
    let mut counts = vec![count(own, 0)];
    counts.extend((1..1_500).map(|minutes| count(other, minutes)));
    world.store.count_rejected(&counts).await.unwrap();
    let found = world.of(OWNER).rejected_of(own, 10).await.unwrap();
    assert_eq!(found, counts[..1]);
    let found = world.of(OWNER).rejected_of(other, 10).await.unwrap();
    assert_eq!(found.len(), 10);
}
