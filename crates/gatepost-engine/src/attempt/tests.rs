//! The worker over a scripted network.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use delivery::{Attempt, ErrorClass, Preview, Request, TargetRefusal};
use gatepost_ids::{Quota, Realm};
use gatepost_storage::webhooks::{
    ClaimToken, DeliveryId, DeliveryLog as _, DeliveryState, QueueClass,
};
use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use tokio::time::Instant;
use webhook_model::{Activity, TargetUrl, WebhookId};

use super::job::{Job, Outgoing};
use super::worker::REST;
use crate::access::testing::Manner;
use crate::config::{InFlightLimits, Limits};
use crate::scheduler::SLOW;
use crate::testing::{Bench, RETRY_AFTER, Records, Script, noon};
use crate::transport::Transport;

/// Creates a bench, and a claimed delivery to `webhook`.
async fn bench(statuses: &[u16]) -> (Records, Bench, WebhookId) {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    let bench = Bench::new(&records, &Limits::default(), Script::new(statuses)).await;
    (records, bench, webhook)
}

async fn job(records: &Records, bench: &Bench, webhook: WebhookId) -> Job {
    let route = records.route(webhook).await;
    let permit = bench.admission.try_now(&route, Realm::Shared);
    Job {
        claim: records.claimed(webhook).await,
        claimed: noon(),
        lease_until: noon() + Duration::from_secs(60),
        untold: false,
        message: Outgoing {
            id: "msg_1".parse().unwrap(),
            body: "hello".into(),
            trace: None,
        },
        route,
        class: QueueClass::First,
        attempts: 0,
        tries: 0,
        status_info: "not yet".to_owned(),
        permit: permit.unwrap(),
    }
}

impl Bench {
    /// Starts a job and waits for its end.
    async fn run(&self, job: Job) {
        self.worker.start(job);
        self.lifecycle.shutdown(Duration::from_secs(600)).await;
        assert_eq!(self.admission.in_flight(), 0);
    }
}

/// Runs a job to its end.
async fn run_job(records: &Records, bench: &Bench, webhook: WebhookId) -> DeliveryId {
    let job = job(records, bench, webhook).await;
    let id = job.claim.delivery;
    bench.run(job).await;
    id
}

#[tokio::test(start_paused = true)]
async fn success_is_sent_and_failure_requeued_after_delay() {
    for (status, expected) in [(200, DeliveryState::Sent), (500, DeliveryState::Queued)] {
        let (records, bench, webhook) = bench(&[status]).await;
        let job = job(&records, &bench, webhook).await;
        let (id, began) = (job.claim.delivery, Instant::now());
        bench.run(job).await;
        let stored = records.stored(id).await;
        assert_eq!((stored.state, stored.attempts), (expected, 1));
        assert_eq!(bench.script.sent(), ["hello"]);
        let delay = (stored.due - noon()).to_std().unwrap();
        let next = bench.admission.next_time();
        assert_eq!(next.is_some(), status == 500);
        let waits = next.map_or(delay, |next| next - began);
        let late = waits.abs_diff(delay);
        assert!(late <= Duration::from_millis(100), "{late:?}");
        let expected = RETRY_AFTER.mul_f32(0.8)..=RETRY_AFTER.mul_f32(1.2);
        assert!(status == 200 || expected.contains(&delay), "{delay:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn delivery_of_paused_webhook_is_released_unsent() {
    let (records, bench, webhook) = bench(&[]).await;
    let mut job = job(&records, &bench, webhook).await;
    let id = job.claim.delivery;
    records.set_activity(webhook, Activity::Paused).await;
    job.route = records.route(webhook).await;
    bench.run(job).await;
    assert_given_back(&records, &bench, id).await;
}

#[tokio::test(start_paused = true)]
async fn delivery_that_could_outlast_lease_is_released_unsent() {
    for (left, is_sent) in [(0, true), (1, false)] {
        let (records, bench, webhook) = bench(&[]).await;
        let mut job = job(&records, &bench, webhook).await;
        let id = job.claim.delivery;
        let timeout = job.route.webhook.timeout.as_duration();
        job.lease_until = noon() + timeout - Duration::from_millis(left);
        bench.run(job).await;
        match is_sent {
            true => assert_eq!(bench.script.sent().len(), 1),
            false => assert_given_back(&records, &bench, id).await,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn unreadable_clock_releases_delivery_unsent_once_readable() {
    let (records, bench, webhook) = bench(&[]).await;
    let job = job(&records, &bench, webhook).await;
    let id = job.claim.delivery;
    bench.broken.set_broken(true);
    bench.worker.start(job);
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(records.stored(id).await.state, DeliveryState::Running);
    assert!(!bench.worker.is_ready(), "nothing new is begun");
    bench.broken.set_broken(false);
    bench.lifecycle.shutdown(Duration::from_secs(600)).await;
    assert_given_back(&records, &bench, id).await;
}

/// Otherwise it would look as if it waited by the earlier clock.
#[tokio::test(start_paused = true)]
async fn attempt_across_step_back_starts_before_it_ends() {
    let (records, bench, webhook) = bench(&[503]).await;
    let job = job(&records, &bench, webhook).await;
    let id = job.claim.delivery;
    bench.script.hold();
    bench.worker.start(job);
    tokio::time::sleep(Duration::from_secs(1)).await;
    bench.broken.clock.jump(TimeDelta::days(-1));
    bench.script.gate.add_permits(1);
    bench.lifecycle.shutdown(Duration::from_secs(600)).await;
    let stored = records.stored(id).await;
    assert_eq!(stored.state, DeliveryState::Queued);
    assert!(stored.last_attempt.unwrap() <= noon() - TimeDelta::hours(23));
}

async fn assert_given_back(records: &Records, bench: &Bench, id: DeliveryId) {
    let stored = records.stored(id).await;
    let end = (stored.state, stored.attempts, stored.lost_claims);
    assert_eq!(end, (DeliveryState::Queued, 0, 0));
    assert_eq!(stored.status_info, "not yet");
    assert!(bench.script.sent().is_empty());
}

#[tokio::test(start_paused = true)]
async fn request_unfinished_at_grace_end_is_released() {
    let (records, bench, webhook) = bench(&[]).await;
    bench.script.hold();
    let id = run_job(&records, &bench, webhook).await;
    let stored = records.stored(id).await;
    let end = (stored.state, stored.attempts);
    assert_eq!(end, (DeliveryState::Queued, 0));
    assert_eq!(bench.script.sent().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_was_lost_changes_nothing() {
    let (records, bench, webhook) = bench(&[]).await;
    let mut lost = job(&records, &bench, webhook).await;
    let id = lost.claim.delivery;
    lost.claim.token = ClaimToken(lost.claim.token.0 + 1);
    bench.run(lost).await;
    assert_eq!(records.stored(id).await.state, DeliveryState::Running);
    assert_eq!(bench.script.sent().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn delivery_of_disabled_owner_is_released_and_delayed() {
    for manner in [Manner::Now, Manner::Later(Duration::from_secs(1))] {
        let (records, bench, webhook) = bench(&[]).await;
        bench.platform.enable(1, false);
        bench.platform.set_manner(manner);
        let id = run_job(&records, &bench, webhook).await;
        assert_given_back(&records, &bench, id).await;
        let due = records.stored(id).await.due;
        assert_eq!(due, noon() + REST, "it is not claimed again and again");
    }
}

#[tokio::test(start_paused = true)]
async fn unanswered_owner_lookup_releases_delivery_unsent() {
    for manner in [
        Manner::Fails,
        Manner::Hangs,
        Manner::Panics,
        Manner::PanicsLater,
    ] {
        let (records, bench, webhook) = bench(&[]).await;
        bench.platform.set_manner_about(1, manner);
        let id = run_job(&records, &bench, webhook).await;
        assert_given_back(&records, &bench, id).await;
    }
}

#[tokio::test(start_paused = true)]
async fn request_frees_its_quick_slot_after_two_seconds() {
    let records = Records::new();
    let in_flight = InFlightLimits::default().with_total(1);
    let limits = Limits::default().with_in_flight(in_flight);
    let bench = Bench::new(&records, &limits, Script::new(&[])).await;
    let (one, other) = (records.webhook(|_| {}).await, records.webhook(|_| {}).await);
    let other = records.route(other).await;
    bench.script.hold();
    let job = job(&records, &bench, one).await;
    bench.worker.start(job);
    let has_room = || bench.admission.try_now(&other, Realm::Shared).is_some();
    tokio::time::sleep(SLOW - Duration::from_millis(1)).await;
    assert!(!has_room());
    tokio::time::sleep(Duration::from_millis(2)).await;
    assert!(has_room());
    bench.script.gate.add_permits(1);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(bench.admission.in_flight(), 0);
}

#[tokio::test(start_paused = true)]
async fn log_over_quota_keeps_outcome_without_text() {
    for (log_bytes, kept) in [(0, false), (u64::MAX, true)] {
        let (records, bench, webhook) = bench(&[]).await;
        bench
            .platform
            .set_quota(Some(Quota::default().with_log_bytes(log_bytes)));
        let id = run_job(&records, &bench, webhook).await;
        let stored = records.stored(id).await;
        assert_eq!(
            (stored.state, stored.message_kept),
            (DeliveryState::Sent, kept)
        );
        let attempt = &records.store.attempts(id, 99).await.unwrap()[0];
        assert_eq!(
            (attempt.kept, attempt.response_body.is_empty()),
            (kept, !kept)
        );
        assert_eq!(attempt.status, Some(200));
    }
}

#[tokio::test(start_paused = true)]
async fn failed_attempt_counts_toward_log_quota_immediately() {
    let (records, bench, webhook) = bench(&[500]).await;
    bench
        .platform
        .set_quota(Some(Quota::default().with_log_bytes(5)));
    let job = job(&records, &bench, webhook).await;
    let (id, owner) = (job.claim.delivery, job.route.webhook.owner);
    assert!(!bench.authorizer.log_is_full(owner));
    bench.run(job).await;
    assert_eq!(records.stored(id).await.state, DeliveryState::Queued);
    assert!(bench.authorizer.log_is_full(owner));
}

/// Panics instead of sending.
#[derive(Debug)]
struct Explodes;

impl Transport for Explodes {
    fn send<'a>(
        &'a self,
        _: &'a Request,
        _: DateTime<Utc>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'a>> {
        Box::pin(async { panic!("on purpose") })
    }

    fn preview(&self, _: &Request, _: DateTime<Utc>) -> Result<Preview, ErrorClass> {
        Err(ErrorClass::Protocol)
    }

    fn check_url(&self, _: &TargetUrl) -> Result<(), TargetRefusal> {
        Ok(())
    }

    fn check_target<'a>(
        &'a self,
        _: &'a TargetUrl,
    ) -> Pin<Box<dyn Future<Output = Result<(), ErrorClass>> + Send + 'a>> {
        Box::pin(async { panic!("on purpose") })
    }
}

#[tokio::test(start_paused = true)]
async fn panicking_job_loses_claim_and_frees_slot() {
    let (records, mut bench, webhook) = bench(&[]).await;
    let worker = Arc::get_mut(&mut bench.worker).unwrap();
    worker.transport = Arc::new(Explodes);
    let id = run_job(&records, &bench, webhook).await;
    let stored = records.stored(id).await;
    assert_eq!(stored.state, DeliveryState::Running, "until its lease ends");
    assert!(bench.admission.in_flight() == 0);
}

/// Panics at every metric.
#[derive(Debug, Default)]
struct Panics(Arc<AtomicUsize>);

impl Panics {
    fn panic(&self) -> ! {
        self.0.fetch_add(1, Ordering::SeqCst);
        panic!("on purpose")
    }
}

impl Recorder for Panics {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, _: &Key, _: &Metadata<'_>) -> Counter {
        self.panic()
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        self.panic()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        self.panic()
    }
}

#[tokio::test(start_paused = true)]
async fn panicking_recorder_after_response_keeps_the_settlement() {
    let (records, bench, webhook) = bench(&[]).await;
    let recorder = Panics::default();
    let calls = recorder.0.clone();
    let _recorder = metrics::set_default_local_recorder(&recorder);
    let id = run_job(&records, &bench, webhook).await;
    assert!(calls.load(Ordering::SeqCst) > 0);
    assert_eq!(records.stored(id).await.state, DeliveryState::Sent);
}
