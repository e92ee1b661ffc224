//! The platform decides who receives an occurrence, and only the affected tasks wait for it.

use gatepost_ids::{Audience, TenantId};
use gatepost_storage::webhooks::{Enqueue, Origin, QueueStore as _, RemainingTasks};
use gatepost_testkit::fixtures::direct;
use webhook_model::{OwnerId, TagId, Target, TaskId, WebhookId, WebhookIds};

use super::*;
use crate::access::Decision;
use crate::access::testing::Manner;
use crate::config::EmitLimits;
use crate::testing::{addressed, new_delivery};

const TENANT: Audience = Audience::Tenant(TenantId(7));

/// Owners 1 and 2 of tenant 7, each with a task.
async fn tenant() -> (Records, Arc<Platform>, Bench, Arc<Emitter>) {
    let (records, platform) = (Records::new(), Platform::new());
    for owner in [1, 2] {
        platform.user(owner, 7);
        records.tagged_of(owner, &format!("of {owner}")).await;
    }
    let rule = Rule::Policy(platform.clone());
    let (bench, emitter) = bench_of(&records, &Limits::default(), rule, &platform).await;
    for owner in [1, 2] {
        bench.authorizer.admit_change(OwnerId(owner)).await.unwrap();
    }
    (records, platform, bench, emitter)
}

#[tokio::test(start_paused = true)]
async fn denied_owner_receives_nothing_other_tenants_not_asked() {
    let (records, platform, _bench, emitter) = tenant().await;
    platform.user(3, 8);
    records.tagged_of(3, "of 3").await;
    emitter.core.access.admit_change(OwnerId(3)).await.unwrap();
    platform.may(2, Decision::No);
    platform.watched();
    let emitted = emitter.emit(&addressed(TENANT, &[1]), Emitter::all()).await;
    assert_eq!(emitted.unwrap().deliveries.len(), 1);
    assert_eq!(records.bodies().await, ["of 1"]);
    let asked: Vec<_> = platform
        .watched()
        .into_iter()
        .flat_map(|(_, of)| of)
        .collect();
    assert_eq!(
        asked,
        [OwnerId(1), OwnerId(2)],
        "once, for all of them together"
    );
}

#[tokio::test(start_paused = true)]
async fn slow_platform_delays_no_emit_and_tasks_follow() {
    let (records, platform, bench, emitter) = tenant().await;
    platform.set_watch_manner(Manner::Later(Duration::from_secs(2)));
    let began = tokio::time::Instant::now();
    let emitted = emitter.emit(&addressed(TENANT, &[1]), Emitter::all()).await;
    assert!(emitted.unwrap().pending);
    assert_eq!(began.elapsed(), Duration::ZERO);
    assert!(
        records.bodies().await.is_empty(),
        "nothing is there to be read"
    );
    let left = &rows(&records).await[0].left;
    assert_eq!(*left, RemainingTasks::Tasks(vec![TaskId(1), TaskId(2)]));
    drain(emitter);
    pass(&bench, Duration::from_secs(4)).await;
    assert_eq!(records.bodies().await, ["of 1", "of 2"]);
    assert!(rows(&records).await.is_empty());
}

/// For a task that waited it is not known any more which of its events matched.
#[tokio::test(start_paused = true)]
async fn waiting_task_shows_context_of_a_matching_event() {
    let (records, platform) = (Records::new(), Platform::new());
    platform.user(1, 7);
    let webhook = records.webhook(|_| {}).await;
    let task = records.task(webhook, "in ${context.zone}", false).await;
    let (tag, other) = (Target::Tag(TagId(1)), Target::Tag(TagId(2)));
    for (target, filter, context) in [
        (other, "{}", r#"{"zone":"of another tag"}"#),
        (tag, r#"{"free":7}"#, r#"{"zone":"of other data"}"#),
        (tag, "{}", r#"{"zone":"north"}"#),
    ] {
        records.event_with(target, task, filter, context).await;
    }
    let rule = Rule::Policy(platform.clone());
    let (bench, emitter) = bench_of(&records, &Limits::default(), rule, &platform).await;
    bench.authorizer.admit_change(OwnerId(1)).await.unwrap();
    platform.set_watch_manner(Manner::Later(Duration::from_secs(2)));
    let emitted = emitter.emit(&addressed(TENANT, &[1]), Emitter::all()).await;
    assert!(emitted.unwrap().pending);
    drain(emitter.clone());
    pass(&bench, Duration::from_secs(4)).await;
    assert_eq!(records.bodies().await, ["in north"]);
    let at_once = emitter.emit(&addressed(TENANT, &[1]), Emitter::all()).await;
    assert_eq!(at_once.unwrap().deliveries.len(), 1);
    assert_eq!(records.bodies().await, ["in north"; 2]);
}

#[tokio::test(start_paused = true)]
async fn failing_platform_delays_only_tasks_that_need_it() {
    for manner in [
        Manner::Fails,
        Manner::FailsLater,
        Manner::Hangs,
        Manner::Panics,
        Manner::PanicsLater,
    ] {
        let (records, platform, bench, emitter) = tenant().await;
        platform.set_watch_manner(manner);
        let drain = drain(emitter.clone());
        let emitted = emitter.emit(&addressed(TENANT, &[1]), Emitter::all()).await;
        assert!(emitted.unwrap().pending, "{manner:?}");
        pass(&bench, Duration::from_secs(20)).await;
        assert!(records.bodies().await.is_empty(), "{manner:?}");
        assert_eq!(rows(&records).await.len(), 1, "{manner:?}");

        // This has no receiver, so that the platform need not be asked: it is not held up.
        drain.push(&addressed(TENANT, &[99])).await.unwrap();
        pass(&bench, Duration::from_secs(1)).await;
        assert_eq!(rows(&records).await.len(), 1, "{manner:?}");

        platform.set_watch_manner(Manner::Now);
        pass(&bench, Duration::from_secs(60)).await;
        assert_eq!(records.bodies().await, ["of 1", "of 2"], "{manner:?}");
        assert!(rows(&records).await.is_empty(), "{manner:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn without_an_answer_for_a_day_it_ends() {
    let (records, platform, bench, emitter) = tenant().await;
    platform.set_watch_manner(Manner::Fails);
    drain(emitter.clone());
    emitter
        .emit(&addressed(TENANT, &[1]), Emitter::all())
        .await
        .unwrap();
    for _ in 0..23 {
        bench.broken.clock.advance(Duration::from_secs(3_600));
        tokio::time::sleep(Duration::from_secs(20)).await;
    }
    assert_eq!(rows(&records).await.len(), 1);
    let asked = platform.watched().len();
    assert!(asked >= 10, "{asked} times");
    bench.broken.clock.advance(Duration::from_secs(2 * 3_600));
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert!(rows(&records).await.is_empty());
    platform.set_watch_manner(Manner::Now);
    bench.broken.clock.advance(Duration::from_secs(3_600));
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert!(records.bodies().await.is_empty());
}

/// Nobody asked while no process ran, which is not a refusal.
#[tokio::test(start_paused = true)]
async fn rows_waiting_for_days_while_stopped_are_sent() {
    let (records, platform, bench, emitter) = tenant().await;
    platform.set_watch_manner(Manner::Later(Duration::from_secs(2)));
    let emitted = emitter.emit(&addressed(TENANT, &[1]), Emitter::all()).await;
    assert!(emitted.unwrap().pending);
    bench.broken.clock.advance(Duration::from_secs(72 * 3_600));
    drain(emitter);
    pass(&bench, Duration::from_secs(30)).await;
    assert_eq!(records.bodies().await, ["of 1", "of 2"]);
    assert!(rows(&records).await.is_empty());
}

/// A platform that is not available yet when the process starts again has time to come back.
#[tokio::test(start_paused = true)]
async fn rows_waiting_for_days_survive_failed_first_question() {
    let (records, platform, bench, emitter) = tenant().await;
    platform.set_watch_manner(Manner::Fails);
    let emitted = emitter.emit(&addressed(TENANT, &[1]), Emitter::all()).await;
    assert!(emitted.unwrap().pending);
    bench.broken.clock.advance(Duration::from_secs(72 * 3_600));
    drain(emitter);
    pass(&bench, Duration::from_secs(600)).await;
    assert_eq!(rows(&records).await.len(), 1);
    platform.set_watch_manner(Manner::Now);
    pass(&bench, Duration::from_secs(600)).await;
    assert_eq!(records.bodies().await, ["of 1", "of 2"]);
}

#[tokio::test(start_paused = true)]
async fn waiting_rows_are_bounded_and_block_no_others() {
    let (records, platform, bench, emitter) = tenant().await;
    platform.set_watch_manner(Manner::Hangs);
    for n in 0..300_u32 {
        let owner = u128::from(100 + n % 50);
        if n < 50 {
            platform.user(owner, owner);
            records.tagged_of(owner, "x").await;
            bench.authorizer.admit_change(OwnerId(owner)).await.unwrap();
        }
        let mut occurrence = addressed(Audience::Tenant(TenantId(owner)), &[1]);
        occurrence.object.as_mut().unwrap().id = n.into();
        let emitted = emitter.emit(&occurrence, Emitter::all()).await.unwrap();
        assert!(emitted.pending);
    }
    let outbox = drain(emitter);
    outbox.push(&addressed(TENANT, &[99])).await.unwrap();
    pass(&bench, Duration::from_secs(1)).await;
    assert_eq!(rows(&records).await.len(), 300, "the other one went by");
    let (of_one, all) = outbox.waiting.count(Audience::Tenant(TenantId(100)));
    assert!(
        of_one <= 16 && (30..=128).contains(&all),
        "{of_one} of {all}"
    );
    platform.set_watch_manner(Manner::Now);
    pass(&bench, Duration::from_secs(60)).await;
    assert_eq!(records.bodies().await.len(), 300);
}

/// Reading it took so long that another process had its audience by then.
#[tokio::test(start_paused = true)]
async fn row_advanced_by_another_process_is_not_repeated() {
    let (records, platform, bench, emitter) = tenant().await;
    platform.set_watch_manner(Manner::Later(Duration::from_secs(2)));
    let emitted = emitter.emit(&addressed(TENANT, &[1]), Emitter::all()).await;
    assert!(emitted.unwrap().pending);
    let old = rows(&records).await.remove(0);
    let both = RemainingTasks::Tasks(vec![TaskId(1), TaskId(2)]);
    assert_eq!((old.turn, &old.left), (0, &both));
    let second = RemainingTasks::Tasks(vec![TaskId(2)]);
    let moved_on = Enqueue {
        origin: Origin::Outbox {
            row: old.id,
            turn: 0,
            occurrence: None,
            left: Some((second.clone(), noon() + Duration::from_secs(3_600))),
        },
        ..direct(vec![new_delivery(1)])
    };
    records.store.enqueue(moved_on, noon()).await.unwrap();

    let drain = Arc::new(OutboxDrain::new(emitter, Duration::from_secs(1)));
    let row = drain.readable(old).await.unwrap().unwrap();
    drain.wait(row, noon()).await.unwrap();
    pass(&bench, Duration::from_secs(4)).await;
    assert_eq!(records.bodies().await, ["x"], "the first has run once");
    assert_eq!(rows(&records).await[0].left, second);
}

#[tokio::test(start_paused = true)]
async fn waiting_tasks_count_toward_owner_share_of_occurrence() {
    let limits = EmitLimits::default()
        .with_deliveries(2)
        .with_deliveries_per_owner(3);
    let (records, platform) = (Records::new(), Platform::new());
    platform.user(1, 7);
    for n in 0..5 {
        records.tagged_of(1, &format!("{n}")).await;
    }
    let (rule, limits) = (
        Rule::Policy(platform.clone()),
        Limits::default().with_emit(limits),
    );
    let (bench, emitter) = bench_of(&records, &limits, rule, &platform).await;
    bench.authorizer.admit_change(OwnerId(1)).await.unwrap();
    platform.set_watch_manner(Manner::Fails);
    let emitted = emitter.emit(&addressed(TENANT, &[1]), Emitter::all()).await;
    assert!(emitted.unwrap().pending);
    drain(emitter);
    pass(&bench, Duration::from_secs(1)).await;
    let waiting = rows(&records).await.into_iter().map(|row| row.left);
    let expected = [vec![TaskId(1), TaskId(2)], vec![TaskId(3)]].map(RemainingTasks::Tasks);
    assert_eq!(waiting.collect::<Vec<_>>(), expected);
    platform.set_watch_manner(Manner::Now);
    pass(&bench, Duration::from_secs(10)).await;
    assert_eq!(records.bodies().await, ["0", "1", "2"]);
}

#[tokio::test(start_paused = true)]
async fn allowed_owner_is_stored_while_another_is_unknown() {
    let (records, platform, bench, emitter) = tenant().await;
    // The answer about the second account is late, though the owner is placed.
    tokio::time::advance(Duration::from_secs(61)).await;
    platform.set_manner_about(2, Manner::Later(Duration::from_secs(1)));
    let emitted = emitter.emit(&addressed(TENANT, &[1]), Emitter::all()).await;
    let emitted = emitted.unwrap();
    assert_eq!((emitted.deliveries.len(), emitted.pending), (1, true));
    drain(emitter);
    pass(&bench, Duration::from_secs(3)).await;
    assert_eq!(records.bodies().await, ["of 1", "of 2"]);
}

#[tokio::test(start_paused = true)]
async fn shutdown_ignores_hanging_platform_and_loses_nothing() {
    let (records, platform, bench, emitter) = tenant().await;
    platform.set_watch_manner(Manner::Hangs);
    drain(emitter.clone());
    let emitted = emitter.emit(&addressed(TENANT, &[1]), Emitter::all()).await;
    assert!(emitted.unwrap().pending);
    pass(&bench, Duration::from_secs(1)).await;
    let began = tokio::time::Instant::now();
    bench.lifecycle.shutdown(Duration::from_secs(60)).await;
    assert!(
        began.elapsed() < Duration::from_secs(1),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(
        rows(&records).await.len(),
        1,
        "the next process continues it"
    );
    assert!(records.bodies().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn selected_webhooks_widen_no_audience_and_stay_selected() {
    let (records, platform, bench, emitter) = tenant().await;
    let chosen = |webhooks: &[i64]| {
        addressed(TENANT, &[1])
            .with_to(WebhookIds::new(webhooks.iter().copied().map(WebhookId)).unwrap())
    };
    platform.may(2, Decision::No);
    let emitted = emitter.emit(&chosen(&[2]), Emitter::all()).await.unwrap();
    assert!(emitted.deliveries.is_empty() && !emitted.pending);

    platform.may(2, Decision::Yes);
    // An answer is kept for a few seconds.
    pass(&bench, Duration::from_secs(10)).await;
    platform.set_watch_manner(Manner::Later(Duration::from_secs(2)));
    let emitted = emitter.emit(&chosen(&[2]), Emitter::all()).await.unwrap();
    assert!(emitted.pending);
    let waits = rows(&records).await.remove(0);
    assert_eq!(waits.left, RemainingTasks::Tasks(vec![TaskId(2)]));
    assert_eq!(waits.occurrence.unwrap().to, chosen(&[2]).to);
    drain(emitter);
    pass(&bench, Duration::from_secs(4)).await;
    assert_eq!(records.bodies().await, ["of 2"]);
}
