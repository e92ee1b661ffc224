//! Deliveries that are sent again.

use std::time::Duration;

use gatepost_ids::{OwnerId, Quota, Realm, TenantId};
use gatepost_storage::owners::OwnerStore as _;
use gatepost_storage::webhooks::{DeliveryId, DeliveryLog as _};
use gatepost_testkit::fault::Fault;
use tokio::time::Instant;

use super::*;
use crate::access::testing::Manner;

/// Deliveries that ended in error, with the engine to replay them.
async fn failed(count: usize, quota: Quota) -> (Records, Arc<Platform>, Bench, Vec<DeliveryId>) {
    failed_with(count, "x", quota).await
}

async fn failed_with(
    count: usize,
    message: &str,
    quota: Quota,
) -> (Records, Arc<Platform>, Bench, Vec<DeliveryId>) {
    let (records, platform) = (Records::new(), Platform::new());
    platform.set_quota(Some(quota));
    let (limits, script) = (Limits::default(), Script::new(&[]));
    let bench = Bench::of(&records, &limits, script, Rule::OneSystem, &platform).await;
    let webhook = records.webhook(|_| {}).await;
    let mut ids = Vec::new();
    for _ in 0..count {
        ids.push(records.waiting(webhook, message).await);
    }
    bench.engine().cancel(&ids).await.unwrap();
    (records, platform, bench, ids)
}

fn all() -> Replay {
    Replay::Failed {
        webhook: WebhookId(1),
        from: noon(),
        before: noon() + Duration::from_secs(1),
    }
}

async fn queued(records: &Records) -> usize {
    let deliveries = records.deliveries().await;
    let queued = deliveries
        .iter()
        .filter(|d| d.state == DeliveryState::Queued);
    queued.count()
}

#[tokio::test]
async fn replay_all_requeues_only_ended_deliveries_in_batches() {
    let (records, _platform, bench, ids) = failed(250, Quota::UNLIMITED).await;
    let engine = bench.engine();
    assert_eq!(engine.replay(&all()).await.unwrap(), 250);
    assert_eq!(queued(&records).await, 250);
    assert_eq!(engine.replay(&all()).await.unwrap(), 0);
    let again = Replay::Ids(ids[..3].to_vec());
    assert_eq!(engine.replay(&again).await.unwrap(), 0, "they wait");
}

#[tokio::test]
async fn replayed_messages_are_in_the_log_once() {
    let (records, _platform, bench, _ids) = failed(3, Quota::UNLIMITED).await;
    let owner = records.deliveries().await[0].owner;
    bench.core.access.flush().await;
    assert_eq!(bench.engine().replay(&all()).await.unwrap(), 3);
    bench.core.access.flush().await;
    let used = records.store.log_usage(&[owner]).await.unwrap()[0];
    assert_eq!(
        (used.waiting, used.waiting_bytes, used.log_bytes),
        (3, 3, 0)
    );
}

#[tokio::test]
async fn replay_keeps_at_most_8_mib_in_memory() {
    let large = "x".repeat(1024 * 1024);
    let (_records, _platform, bench, ids) = failed_with(20, &large, Quota::UNLIMITED).await;
    let engine = bench.engine();
    for which in [all(), Replay::Ids(ids.clone())] {
        let before = bench.store.calls_of("replay");
        let queued = engine.replay(&which).await.unwrap();
        assert_eq!(queued, 20, "none is left out");
        // Each batch is queued and freed before the next is read: 8, 8 and 4 of them.
        assert_eq!(bench.store.calls_of("replay") - before, 3);
        assert_eq!(engine.cancel(&ids).await.unwrap(), 20);
    }
}

#[tokio::test(start_paused = true)]
async fn interrupted_replay_reports_how_many_were_queued() {
    let (_records, _platform, bench, _) = failed(250, Quota::UNLIMITED).await;
    bench.store.fail("replay", 2, Fault::Refused);
    let engine = bench.engine();
    let error = engine.replay(&all()).await.unwrap_err();
    assert!(
        matches!(error, EngineError::Interrupted { queued: 100, .. }),
        "{error:?}"
    );
    assert_eq!(engine.replay(&all()).await.unwrap(), 150);
}

#[tokio::test(start_paused = true)]
async fn replay_is_charged_as_manual_runs() {
    let quota = Quota::default().with_runs_per_minute(60);
    let (records, _platform, bench, _) = failed(150, quota).await;
    let engine = bench.engine();
    assert_eq!(
        engine.replay(&all()).await.unwrap(),
        100,
        "the largest batch"
    );
    assert_eq!(queued(&records).await, 100);
    let fast = engine.replay(&all()).await.unwrap_err();
    assert!(matches!(fast, EngineError::TooFast { .. }), "{fast:?}");
    tokio::time::advance(Duration::from_secs(120)).await;
    assert_eq!(engine.replay(&all()).await.unwrap(), 50);
}

#[tokio::test(start_paused = true)]
async fn replay_after_an_hour_checks_the_owner_again() {
    let (records, platform, bench, ids) = failed(1, Quota::UNLIMITED).await;
    let (engine, which) = (bench.engine(), Replay::Ids(ids));
    platform.enable(1, false);
    bench.broken.clock.advance(Duration::from_secs(3_601));
    let refused = engine.replay(&which).await.unwrap_err();
    assert!(matches!(refused, EngineError::Forbidden(_)), "{refused:?}");
    assert_eq!(queued(&records).await, 0);
    platform.enable(1, true);
    tokio::time::advance(Duration::from_secs(6)).await;
    assert_eq!(engine.replay(&which).await.unwrap(), 1);
}

#[tokio::test]
async fn replay_over_waiting_quota_is_refused() {
    let quota = Quota::default().with_waiting(1);
    let (records, _platform, bench, ids) = failed(2, quota).await;
    let engine = bench.engine();
    let full = engine.replay(&Replay::Ids(ids.clone())).await.unwrap_err();
    assert!(matches!(full, EngineError::Full { .. }), "{full:?}");
    assert_eq!(queued(&records).await, 0);
    let one = Replay::Ids(ids[..1].to_vec());
    assert_eq!(engine.replay(&one).await.unwrap(), 1);
}

#[tokio::test(start_paused = true)]
async fn retry_now_skips_due_deliveries_and_limits_rate() {
    let quota = Quota::default().with_runs_per_minute(2);
    let (records, _platform, bench, ended) = failed(1, quota).await;
    let (webhook, engine) = (WebhookId(1), bench.engine());
    let due = records.waiting(webhook, "x").await;
    for _ in 0..5 {
        assert_eq!(engine.retry_now(&[ended[0], due]).await.unwrap(), 0);
    }
    assert_eq!(bench.store.calls_of("hasten"), 0);
    let in_an_hour = noon() + Duration::from_secs(3_600);
    for _ in 0..3 {
        records.due(webhook, "x", in_an_hour).await;
    }
    let stored = records.deliveries().await;
    let later = stored.iter().filter(|d| d.due == in_an_hour);
    let later: Vec<_> = later.map(|d| d.id).collect();
    for id in &later[..2] {
        assert_eq!(engine.retry_now(&[*id]).await.unwrap(), 1);
    }
    let fast = engine.retry_now(&later[2..]).await.unwrap_err();
    assert!(matches!(fast, EngineError::TooFast { .. }), "{fast:?}");
    assert_eq!(bench.store.calls_of("hasten"), 2);
}

/// Creates a user of this tenant with a paused webhook, and an ended delivery of it.
async fn ended_of(
    (records, platform): (&Records, &Platform),
    owner: u128,
    tenant: u128,
) -> (WebhookId, DeliveryId) {
    platform.user(owner, tenant);
    let place = Realm::Tenant(TenantId(tenant));
    let placed = records.store.assign_realm(OwnerId(owner), place, noon());
    placed.await.unwrap();
    let paused = records.webhook(|webhook| {
        webhook.owner = OwnerId(owner);
        webhook.activity = Activity::Paused;
    });
    let webhook = paused.await;
    let id = records.waiting(webhook, "x").await;
    let ended = records.store.cancel(&[id], "cancelled", noon()).await;
    assert_eq!(ended.unwrap(), 1);
    (webhook, id)
}

#[tokio::test(start_paused = true)]
async fn hanging_replays_and_sends_block_no_other_tenant() {
    let (records, platform) = (Records::new(), Platform::new());
    let bench = addressed_only(&records, &platform).await;
    let engine = bench.engine();
    let world = (&records, &*platform);
    let mut made = Vec::new();
    for owner in 100..200 {
        made.push(ended_of(world, owner, 7).await);
    }
    let (_, other) = ended_of(world, 1, 8).await;
    // The replayed deliveries are old enough that the platform is asked about their owner.
    bench.broken.clock.advance(Duration::from_secs(3_601));
    (100..200).for_each(|owner| platform.set_manner_about(owner, Manner::Hangs));
    let mut hanging = Vec::new();
    for two in made.chunks(2) {
        let ((_, ended), (webhook, _)) = (two[0], two[1]);
        let (replays, sends) = (engine.clone(), engine.clone());
        hanging.push(tokio::spawn(async move {
            replays.replay(&Replay::Ids(vec![ended])).await.is_ok()
        }));
        hanging.push(tokio::spawn(async move {
            sends.send(webhook, None).await.is_ok()
        }));
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let later = Manner::Later(Duration::from_millis(1));
    platform.set_manner(later);
    let began = Instant::now();
    let replayed = engine.replay(&Replay::Ids(vec![other])).await;
    assert_eq!(replayed.unwrap(), 1);
    assert!(began.elapsed() < Duration::from_secs(1));
    for hanging in hanging {
        assert!(!hanging.await.unwrap());
    }
}
