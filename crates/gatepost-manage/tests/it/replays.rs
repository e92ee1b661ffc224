//! An administrator replays another's webhook, as far as its owner may send.

use chrono::{DateTime, Utc};
use gatepost_keys::Quota;
use gatepost_manage::{ManageError, Operation};
use gatepost_storage::webhooks::{Enqueued, MessageId, NewDelivery, QueueStore as _};
use gatepost_storage::{Clock as _, SystemClock};
use gatepost_testkit::fixtures::direct;

use crate::users::TENANT;
use crate::world::World;

/// Lets these messages of the webhook fail. The webhook is paused, so that replayed ones stay in
/// the queue.
async fn fail(world: &World, bodies: impl Iterator<Item = String>) {
    let (webhook, now) = (world.rows.webhook, SystemClock.now());
    world.engine.pause_webhook(webhook).await.unwrap();
    let new = |(body, random): (String, u128)| NewDelivery {
        message_id: MessageId::new(now, random),
        webhook,
        task: None,
        cause: None,
        body: body.into(),
        due: now,
        lease_until: None,
    };
    let batch = direct(bodies.zip(0..).map(new).collect());
    let ids: Vec<_> = match world.store.enqueue(batch, now).await.unwrap() {
        Enqueued::Stored { deliveries, .. } => deliveries.iter().map(|stored| stored.id).collect(),
        other => panic!("{other:?}"),
    };
    let cancelled = world.engine.cancel(&ids).await.unwrap();
    assert_eq!(cancelled, ids.len() as u64);
}

async fn replayed(world: &World) -> Result<u64, ManageError> {
    let (from, before) = (DateTime::UNIX_EPOCH, DateTime::<Utc>::MAX_UTC);
    let admin = world.of(TENANT);
    admin.replay_failed(world.rows.webhook, from, before).await
}

/// The first page has 500: the second is refused, or already the rest of the first.
#[tokio::test]
async fn replay_refused_midway_reports_queued_count_and_audits() {
    for (in_a_minute, expected) in [(250, 200), (510, 500)] {
        let quota = Quota::UNLIMITED.with_runs_per_minute(in_a_minute);
        let world = World::with(quota).await;
        fail(&world, (0..600).map(|_| "x".to_owned())).await;
        assert_eq!(replayed(&world).await.unwrap(), expected);
        let record = (
            TENANT,
            "webhook_urls",
            world.rows.webhook.into(),
            Operation::Replay,
        );
        assert_eq!(world.heard(), [record]);
        // This call queued nothing.
        let refused = replayed(&world).await;
        let too_fast = matches!(refused, Err(ManageError::TooFast { .. }));
        assert!(too_fast, "{refused:?}");
        assert_eq!(world.heard(), [record]);
    }
}

/// The later, small message would fit.
#[tokio::test]
async fn replay_over_the_limit_is_not_overtaken() {
    let quota = Quota::UNLIMITED.with_waiting_bytes(50_000);
    let world = World::with(quota).await;
    // One delivery has failed before.
    let sizes = [(99, 1), (400, 1_000), (101, 1)];
    let sizes = sizes
        .iter()
        .flat_map(|(count, size)| std::iter::repeat_n(*size, *count));
    fail(&world, sizes.map(|size| "x".repeat(size))).await;
    assert_eq!(replayed(&world).await.unwrap(), 100);
}
