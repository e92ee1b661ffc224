//! Many occurrences in one call.

use gatepost_ids::{Audience, Quota, TenantId};
use gatepost_storage::webhooks::RecordStore as _;
use gatepost_testkit::fault::{Fault, When};
use webhook_model::{Occurrence, TagId, Target};

use super::*;
use crate::MAX_EMIT_MANY;
use crate::config::EmitLimits;
use crate::testing::addressed;

/// Returns how many deliveries each made, or the error.
fn told(answers: Vec<Result<Emitted, EmitError>>) -> Vec<String> {
    let one = |answer| match answer {
        Ok(Emitted { repeated: true, .. }) => "repeated".to_owned(),
        Ok(Emitted { pending: true, .. }) => "pending".to_owned(),
        Ok(emitted) => emitted.deliveries.len().to_string(),
        Err(EmitError::WrongAudience(_)) => "wrong audience".to_owned(),
        Err(error) => error.to_string(),
    };
    answers.into_iter().map(one).collect()
}

fn named(id: i64, name: &str) -> Occurrence {
    poweron(id, &[1]).with_id(name.parse().unwrap())
}

#[tokio::test(start_paused = true)]
async fn emit_many_commits_once_and_isolates_refused_occurrences() {
    let records = Records::new();
    records.tagged("${NAME}").await;
    records.tagged("${NAME} too").await;
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    let answers = emitter
        .emit_many(vec![
            named(1, "a"),
            addressed(Audience::Tenant(TenantId(5)), &[1]),
            poweron(2, &[]),
            named(3, "a"),
            poweron(4, &[1]),
        ])
        .await;
    assert_eq!(told(answers), ["2", "wrong audience", "0", "repeated", "2"]);
    let expected = ["vm 1", "vm 1 too", "vm 4", "vm 4 too"];
    assert_eq!(records.bodies().await, expected);
    assert_eq!(bench.store.calls_of("enqueue_all"), 1);
    assert_eq!(bench.store.calls_of("enqueue"), 0);
    let again = emitter.emit_many(vec![named(9, "a")]).await;
    assert_eq!(told(again), ["repeated"]);
    assert!(emitter.emit_many(Vec::new()).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn emit_many_runs_one_time_task_once() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    let once = records.task(webhook, "once ${NAME}", true).await;
    records.event(Target::Tag(TagId(1)), once).await;
    records.tagged("${NAME}").await;
    let (_bench, emitter) = bench(&records, &Limits::default()).await;
    let all = (1..=3).map(|id| poweron(id, &[1])).collect();
    assert_eq!(told(emitter.emit_many(all).await), ["2", "1", "1"]);
    let expected = ["once vm 1", "vm 1", "vm 2", "vm 3"];
    assert_eq!(records.bodies().await, expected);
    assert!(records.store.task(once).await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn change_during_emit_many_is_seen_by_all() {
    let records = Records::new();
    records.tagged("${NAME}").await;
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    emitter.emit_tagged().await.unwrap();
    let gate = bench.store.gate();
    gate.hold("enqueue_all", 1, When::Before);
    let all = vec![poweron(1, &[1]), poweron(2, &[1])];
    let other = emitter.clone();
    let emit = tokio::spawn(async move { other.emit_many(all).await });
    gate.arrived().await;
    records.tagged("${NAME} too").await;
    gate.open();
    assert_eq!(told(emit.await.unwrap()), ["2", "2"]);
}

#[tokio::test(start_paused = true)]
async fn emit_many_has_same_limits_as_single_emits() {
    let records = Records::new();
    records.tagged("${NAME}").await;
    let platform = Platform::new();
    let mut quota = Quota::UNLIMITED;
    quota.waiting = 2;
    platform.set_quota(Some(quota));
    let (_bench, emitter) =
        bench_of(&records, &Limits::default(), Rule::OneSystem, &platform).await;
    let all = (1..=4).map(|id| poweron(id, &[1])).collect();
    let answers = emitter.emit_many(all).await;
    let rejected: Vec<_> = answers
        .iter()
        .map(|a| a.as_ref().unwrap().rejected)
        .collect();
    assert_eq!(rejected, [0, 0, 1, 1]);
    assert_eq!(records.bodies().await, ["vm 1", "vm 2"]);
}

#[tokio::test(start_paused = true)]
async fn emit_many_defers_large_occurrence_and_stores_others() {
    let records = Records::new();
    for _ in 0..3 {
        records.tagged("${NAME}").await;
    }
    let webhook = records.webhook(|_| {}).await;
    let task = records.task(webhook, "few", false).await;
    records.event(Target::Tag(TagId(2)), task).await;
    let limits = Limits::default().with_emit(EmitLimits::default().with_deliveries(2));
    let (bench, emitter) = bench(&records, &limits).await;
    let all = vec![named(1, "a"), poweron(2, &[2]), named(3, "a")];
    let answers = emitter.emit_many(all).await;
    assert_eq!(told(answers), ["pending", "1", "repeated"]);
    assert_eq!(records.bodies().await, ["few"]);
    drain(emitter);
    pass(&bench, Duration::from_secs(1)).await;
    assert_eq!(records.bodies().await, ["few", "vm 1", "vm 1", "vm 1"]);
}

#[tokio::test(start_paused = true)]
async fn emit_many_store_error_fails_each_without_duplicates() {
    let records = Records::new();
    records.tagged("${NAME}").await;
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    emitter.emit_tagged().await.unwrap();
    bench.store.fail("enqueue_all", 1, Fault::AnswerLost);
    let all = vec![poweron(1, &[1]), poweron(2, &[1])];
    let answers = emitter.emit_many(all).await;
    assert!(answers.iter().all(Result::is_err) && answers.len() == 2);
    // It had stored them: an occurrence without an id is never tried again automatically.
    assert_eq!(records.bodies().await, ["vm 7", "vm 1", "vm 2"]);
}

#[tokio::test(start_paused = true)]
async fn emit_many_refuses_over_a_thousand_entirely() {
    let records = Records::new();
    records.tagged("${NAME}").await;
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    let many = |count| (0..count).map(|_| poweron(1, &[1])).collect::<Vec<_>>();
    let refused = emitter.emit_many_detached(many(MAX_EMIT_MANY + 1)).await;
    assert!(matches!(
        refused,
        Err(EmitError::TooMany { count: 1_001, .. })
    ));
    let later = emitter.emit_many_later(&many(MAX_EMIT_MANY + 1)).await;
    assert!(matches!(
        later,
        Err(EmitError::TooMany { count: 1_001, .. })
    ));
    assert!(records.bodies().await.is_empty() && rows(&records).await.is_empty());
    let answers = emitter
        .emit_many_detached(many(MAX_EMIT_MANY))
        .await
        .unwrap();
    assert!(
        answers
            .iter()
            .all(|answer| answer.as_ref().unwrap().deliveries.len() == 1)
    );
    // 256 at a time.
    assert_eq!(bench.store.calls_of("enqueue_all"), 4);
}

#[tokio::test(start_paused = true)]
async fn emit_many_later_writes_outbox_in_one_commit() {
    let records = Records::new();
    records.tagged("${NAME}").await;
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    let all: Vec<_> = vec![named(1, "a"), named(2, "a"), poweron(3, &[1])];
    emitter.emit_many_later(&all).await.unwrap();
    emitter.emit_many_later(&[]).await.unwrap();
    assert_eq!(bench.store.calls_of("enqueue"), 1);
    let stored: Vec<_> = rows(&records)
        .await
        .into_iter()
        .map(|row| row.occurrence.unwrap())
        .collect();
    assert_eq!(stored, all);
    drain(emitter);
    pass(&bench, Duration::from_secs(1)).await;
    assert_eq!(records.bodies().await, ["vm 1", "vm 3"], "the id was known");
}
