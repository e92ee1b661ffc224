//! A watch over one webhook in memory, and a platform that listens, or hangs.

use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

use gatepost_storage::webhooks::{DeliveryLog as _, HourlyCount, WebhookStore};
use gatepost_testkit::fault::{Fault, FaultStore};
use webhook_model::{Activity, OwnerId, Webhook};

use super::*;
use crate::observer::Observer;
use crate::testing::{Records, core, noon, responded};

/// Passes notices on, and hangs until the other end of the second channel is dropped.
#[derive(Debug)]
struct PassesOn(mpsc::Sender<Notice>, Mutex<mpsc::Receiver<()>>);

impl Observer for PassesOn {
    fn notice(&self, notice: Notice) {
        let _ = self.0.send(notice);
        let hang = self.1.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = hang.recv();
    }
}

/// Creates a watch over one webhook, with the notices that it gives.
async fn watch(
    records: &Records,
    policy: DisablePolicy,
) -> (Watch, Arc<Route>, mpsc::Receiver<Notice>) {
    watch_that_hangs(records, policy, mpsc::channel().1).await
}

/// As [`watch`], with an observer that hangs on this channel.
async fn watch_that_hangs(
    records: &Records,
    policy: DisablePolicy,
    hang: mpsc::Receiver<()>,
) -> (Watch, Arc<Route>, mpsc::Receiver<Notice>) {
    watch_over(records.store.clone(), records, policy, hang).await
}

/// As [`watch_that_hangs`], over this store.
async fn watch_over(
    store: Arc<dyn WebhookStore>,
    records: &Records,
    policy: DisablePolicy,
    hang: mpsc::Receiver<()>,
) -> (Watch, Arc<Route>, mpsc::Receiver<Notice>) {
    let (passed_on, notices) = mpsc::channel();
    let id = records.webhook(|_| {}).await;
    let route = records.route(id).await;
    let activities = Activities {
        core: core(store, records.engine_clock().await),
        ..records.activities().await
    };
    let observers = Observers::new(Arc::new(PassesOn(passed_on, Mutex::new(hang))));
    let watch = Watch::new(policy, observers, activities, Traces::default());
    (watch, route, notices)
}

/// Records an attempt that failed.
async fn tried(watch: &Watch, route: &Route, attempt: &Attempt) {
    watch.note(route, attempt);
    watch.authorizer(route.id, attempt.started).await;
}

/// Records an attempt that failed this many hours after noon.
async fn failed_after(watch: &Watch, route: &Route, hours: i64) {
    let at = noon() + TimeDelta::hours(hours);
    tried(watch, route, &responded(500, at)).await;
}

/// Returns the count of an attempt that failed.
fn failed_at(webhook: WebhookId, at: DateTime<Utc>) -> HourlyCount {
    HourlyCount {
        milliseconds: 5,
        ..HourlyCount::failed(webhook, at)
    }
}

/// Stores the counts of another process.
async fn counted(records: &Records, count: HourlyCount) {
    records.store.add_counts(&[count]).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn response_410_disables_webhook_if_policy_says_so() {
    let records = Records::new();
    let policy = DisablePolicy::default().with_on_gone(true);
    let (watch, route, notices) = watch(&records, policy).await;
    watch.note(&route, &responded(410, noon()));
    let webhook = route.id;
    // Each on a separate thread: in any order.
    let both = [notices.recv().unwrap(), notices.recv().unwrap()];
    assert!(both.contains(&Notice::Gone { webhook }), "{both:?}");
    assert!(both.contains(&Notice::Disabled { webhook }), "{both:?}");
    assert_eq!(records.activity(webhook).await, Activity::Disabled);
    assert!(watch.error_rate.get() > 0.99);
}

#[tokio::test(flavor = "multi_thread")]
async fn failure_streak_notifies_but_disables_only_on_request() {
    for (policy, hours, expected) in [
        (None, 5 * 24, Activity::Active),
        (Some(Duration::from_secs(3600)), 1, Activity::Disabled),
    ] {
        let records = Records::new();
        let policy = DisablePolicy::default().with_after_failing_for(policy);
        let (watch, route, notices) = watch(&records, policy).await;
        let webhook = route.id;
        tried(&watch, &route, &responded(500, noon())).await;
        let later = noon() + TimeDelta::hours(hours);
        tried(&watch, &route, &responded(500, later)).await;
        assert_eq!(notices.recv().unwrap(), Notice::Failing { webhook });
        if expected == Activity::Disabled {
            assert_eq!(notices.recv().unwrap(), Notice::Disabled { webhook });
        }
        assert_eq!(records.activity(webhook).await, expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn notice_without_capacity_is_given_with_next_attempt() {
    let records = Records::new();
    let (let_go, hang) = mpsc::channel();
    let policy = DisablePolicy::default();
    let (watch, route, notices) = watch_that_hangs(&records, policy, hang).await;
    let webhook = route.id;
    tried(&watch, &route, &responded(500, noon())).await;
    let (owner, count) = (OwnerId(2), 1);
    let of_others = Notice::Rejected { owner, count };
    while watch.observers.notify(of_others.clone()) {}
    // It responds 410, and has failed for long.
    let gone = responded(410, noon() + TimeDelta::days(5));
    tried(&watch, &route, &gone).await;
    drop(let_go);
    watch.observers.idle().await;
    assert!(notices.try_iter().all(|notice| notice == of_others));
    tried(&watch, &route, &gone).await;
    watch.observers.idle().await;
    let given: Vec<_> = notices.try_iter().collect();
    assert_eq!(given.len(), 2, "{given:?}");
    assert!(given.contains(&Notice::Gone { webhook }), "{given:?}");
    assert!(given.contains(&Notice::Failing { webhook }), "{given:?}");
    tried(&watch, &route, &gone).await;
    watch.observers.idle().await;
    assert_eq!(notices.try_iter().next(), None, "each is given once");
}

/// On one thread: once the webhook is disabled, the notice has asked for a permit.
#[tokio::test]
async fn disabled_notice_is_given_when_capacity_is_free() {
    let records = Records::new();
    let (let_go, hang) = mpsc::channel();
    let policy = DisablePolicy::default().with_on_gone(true);
    let (watch, route, notices) = watch_that_hangs(&records, policy, hang).await;
    let webhook = route.id;
    let (owner, count) = (OwnerId(2), 1);
    let of_others = Notice::Rejected { owner, count };
    while watch.observers.notify(of_others.clone()) {}
    watch.note(&route, &responded(410, noon()));
    while records.activity(webhook).await != Activity::Disabled {
        tokio::task::yield_now().await;
    }
    drop(let_go);
    watch.observers.idle().await;
    let given = notices.try_iter().filter(|notice| *notice != of_others);
    assert_eq!(given.collect::<Vec<_>>(), [Notice::Disabled { webhook }]);
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_410_responses_disable_webhook_once() {
    let records = Records::new();
    let policy = DisablePolicy::default().with_on_gone(true);
    let (watch, route, notices) = watch(&records, policy).await;
    let metrics = tokio::runtime::Handle::current().metrics();
    let alive = metrics.num_alive_tasks();
    for _ in 0..10 {
        watch.note(&route, &responded(410, noon()));
    }
    while metrics.num_alive_tasks() > alive {
        tokio::task::yield_now().await;
    }
    watch.observers.idle().await;
    let webhook = route.id;
    let disabled = Notice::Disabled { webhook };
    let given = notices.try_iter().filter(|notice| *notice == disabled);
    assert_eq!(given.count(), 1);
    let stored = records.route(webhook).await;
    assert_eq!(stored.revision, route.revision.next());
    assert_eq!(records.activity(webhook).await, Activity::Disabled);
}

/// A policy that disables after this many hours.
fn after(hours: u64) -> DisablePolicy {
    let limit = Duration::from_secs(hours * 3_600);
    DisablePolicy::default().with_after_failing_for(Some(limit))
}

#[tokio::test]
async fn webhook_that_another_process_delivers_to_stays_enabled() {
    let records = Records::new();
    let (watch, route, _notices) = watch(&records, after(10)).await;
    let failed = async |hours| {
        failed_after(&watch, &route, hours).await;
        watch.observers.idle().await;
        records.activity(route.id).await
    };
    assert_eq!(failed(0).await, Activity::Active);
    let sent = noon() + TimeDelta::minutes(5 * 60 + 30);
    let sent = HourlyCount {
        sent: 1,
        last_sent: Some(sent),
        ..HourlyCount::none(route.id, sent)
    };
    counted(&records, sent).await;
    // It began to fail again at 10.
    for hours in [10, 12, 15, 16, 19] {
        assert_eq!(failed(hours).await, Activity::Active, "{hours}");
    }
    failed(20).await;
    until_disabled(&records, route.id).await;
}

#[tokio::test]
async fn webhook_that_failed_before_a_restart_is_disabled() {
    let records = Records::new();
    let (watch, route, _notices) = watch(&records, after(10)).await;
    for hours in [0, 4] {
        let then = noon() + TimeDelta::hours(hours);
        counted(&records, failed_at(route.id, then)).await;
    }
    failed_after(&watch, &route, 9).await;
    assert_eq!(records.activity(route.id).await, Activity::Active);
    failed_after(&watch, &route, 11).await;
    until_disabled(&records, route.id).await;
}

#[tokio::test]
async fn webhook_that_was_enabled_again_begins_anew() {
    let records = Records::new();
    let (watch, route, _notices) = watch(&records, after(10)).await;
    counted(&records, failed_at(route.id, noon())).await;
    let edited = noon() + TimeDelta::hours(20);
    let renamed = |webhook: &mut Webhook| webhook.name = "again".parse().unwrap();
    records.edit_at(route.id, edited, renamed).await;
    for hours in [21, 29] {
        failed_after(&watch, &route, hours).await;
        assert_eq!(records.activity(route.id).await, Activity::Active);
    }
    failed_after(&watch, &route, 30).await;
    until_disabled(&records, route.id).await;
}

/// On one thread: spawned tasks have ended when the next attempt is made.
#[tokio::test]
async fn webhook_that_could_not_be_disabled_is_later() {
    let records = Records::new();
    let store = Arc::new(FaultStore::new(records.store.clone()));
    let hang = mpsc::channel().1;
    let (watch, route, _notices) = watch_over(store.clone(), &records, after(10), hang).await;
    store.fail("update_webhook", 1, Fault::Refused);
    for hours in [0, 10] {
        failed_after(&watch, &route, hours).await;
    }
    while !store.has_failed() {
        tokio::task::yield_now().await;
    }
    watch.observers.idle().await;
    assert_eq!(records.activity(route.id).await, Activity::Active);
    failed_after(&watch, &route, 11).await;
    until_disabled(&records, route.id).await;
}

#[tokio::test]
async fn webhook_enabled_without_repair_is_disabled_again() {
    let records = Records::new();
    let (watch, route, _notices) = watch(&records, after(10)).await;
    let failed = async |hours| {
        failed_after(&watch, &route, hours).await;
        watch.observers.idle().await;
        records.activity(route.id).await
    };
    failed(0).await;
    failed(10).await;
    until_disabled(&records, route.id).await;
    let enable = |webhook: &mut Webhook| webhook.activity = Activity::Active;
    let enabled = noon() + TimeDelta::hours(12);
    records.edit_at(route.id, enabled, enable).await;
    assert_eq!(failed(13).await, Activity::Active);
    assert_eq!(failed(21).await, Activity::Active);
    failed(22).await;
    until_disabled(&records, route.id).await;
}

async fn until_disabled(records: &Records, webhook: WebhookId) {
    for _ in 0..1_000 {
        if records.activity(webhook).await == Activity::Disabled {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("it is not disabled");
}
