//! The drain of the outbox.

use gatepost_ids::{Audience, TenantId};
use gatepost_storage::Revision;
use gatepost_testkit::fault::Fault;
use webhook_model::{Target, WebhookId};

use super::*;

#[tokio::test(start_paused = true)]
async fn outbox_rows_are_fanned_out_once() {
    let records = Records::new();
    let webhook = records.tagged("${NAME}").await;
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    bench.webhooks.get(webhook, Revision::FIRST).await.unwrap();
    let outbox = drain(emitter);
    let named = poweron(1, &[1]).with_id("evt-1".parse().unwrap());
    for occurrence in [&named, &poweron(2, &[1]), &named] {
        outbox.push(occurrence).await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let bodies = records.bodies().await;
    assert_eq!(bodies, ["vm 1", "vm 2"]);
    // The webhook is new: it has one request in flight until it has responded.
    assert_eq!(bench.script.sent(), ["vm 1"]);
    assert!(rows(&records).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn outbox_occurrence_data_is_filtered_and_rendered() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    for filter in [r#"{"n":1}"#, r#"{"n":{"$gt":1}}"#] {
        let message = format!(r#"{{"n":${{data.n}},"by":{filter:?}}}"#);
        let task = records.task(webhook, &message, false).await;
        records.filtered(Target::Generic, task, filter).await;
    }
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    let outbox = drain(emitter);
    for data in [r#"{"n":1}"#, r#"{"n":7}"#, r#"{"n":0}"#] {
        let occurrence = poweron(1, &[]).with_data(data.parse().unwrap());
        outbox.push(&occurrence).await.unwrap();
    }
    outbox.push(&poweron(1, &[])).await.unwrap();
    pass(&bench, Duration::from_secs(2)).await;
    let expected = [
        r#"{"n":1,"by":"{\"n\":1}"}"#,
        r#"{"n":7,"by":"{\"n\":{\"$gt\":1}}"}"#,
    ];
    let mut bodies = records.bodies().await;
    bodies.sort();
    assert_eq!(bodies, expected);
}

#[tokio::test(start_paused = true)]
async fn outbox_row_waits_during_store_failure_or_panic() {
    let records = Records::new();
    records.tagged("${NAME}").await;
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    bench.store.set_refused("enqueue", true);
    let outbox = drain(emitter);
    outbox.push(&poweron(1, &[1])).await.unwrap();
    pass(&bench, Duration::from_secs(5)).await;
    assert_eq!(rows(&records).await.len(), 1);
    bench.store.set_refused("enqueue", false);
    bench.store.fail("take_outbox", 1, Fault::Panic);
    pass(&bench, Duration::from_secs(10)).await;
    assert!(bench.store.has_failed());
    assert_eq!(records.deliveries().await.len(), 1);
    bench.broken.set_broken(true);
    assert!(outbox.push(&poweron(2, &[1])).await.is_err());
}

/// The platform writes it in its own transaction: only the platform knows when.
#[tokio::test(start_paused = true)]
async fn written_row_is_fanned_out_when_said() {
    let records = Records::new();
    records.tagged("${NAME}").await;
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    let outbox = drain(emitter);
    // Long enough that only each fifth second has a poll, and this is between two.
    pass(&bench, Duration::from_secs(302)).await;
    let platform = &records.store;
    let now = bench.clock.now().unwrap();
    platform.push_outbox(&poweron(1, &[1]), now).await.unwrap();
    pass(&bench, Duration::from_millis(10)).await;
    assert_eq!(records.deliveries().await.len(), 0, "not noticed by itself");
    outbox.written();
    pass(&bench, Duration::from_millis(10)).await;
    assert_eq!(records.deliveries().await.len(), 1);
    let told = bench.store.calls_of("outbox_written");
    assert_eq!(told, 1, "other processes are notified, too");
}

/// Otherwise each of a hundred waits as long as all of them did, while the rows of others wait.
#[tokio::test(start_paused = true)]
async fn outbox_rows_are_not_retried_singly_during_outage() {
    let records = Records::new();
    records.tagged("${NAME}").await;
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    bench.store.set_refused("take_outbox", true);
    let outbox = drain(emitter);
    for number in 0..20 {
        outbox.push(&poweron(number, &[1])).await.unwrap();
    }
    for call in ["enqueue", "enqueue_all"] {
        bench.store.set_refused(call, true);
    }
    bench.store.set_refused("take_outbox", false);
    pass(&bench, Duration::from_secs(5)).await;
    let [single, together] = ["enqueue", "enqueue_all"].map(|call| bench.store.calls_of(call));
    assert!(together > 0 && single <= together, "{single} {together}");
    for call in ["enqueue", "enqueue_all"] {
        bench.store.set_refused(call, false);
    }
    pass(&bench, Duration::from_secs(60)).await;
    assert_eq!(records.deliveries().await.len(), 20);
}

#[tokio::test(start_paused = true)]
async fn row_without_audience_is_set_aside_delaying_none() {
    let records = Records::new();
    let platform = Platform::new();
    platform.user(1, 7);
    let (bench, emitter) =
        bench_of(&records, &Limits::default(), Rule::AddressedOnly, &platform).await;
    records.tagged_of(1, "x").await;
    let authorizer = bench.authorizer.clone();
    authorizer
        .admit_change(webhook_model::OwnerId(1))
        .await
        .unwrap();
    bench.store.fail("put_back", 1, Fault::Late(Duration::ZERO));
    let outbox = drain(emitter);
    outbox.push(&poweron(1, &[1])).await.unwrap();
    let fine = poweron(2, &[1]).with_audience(Audience::Owner(webhook_model::OwnerId(1)));
    outbox.push(&fine).await.unwrap();
    pass(&bench, Duration::from_secs(1)).await;
    assert!(rows(&records).await.is_empty());
    assert!(bench.store.has_failed(), "it was late to be set aside");
    let made = records.deliveries().await;
    assert_eq!(made.len(), 1);
    assert_eq!(made[0].webhook, WebhookId(1));
    assert_eq!(made[0].tenant, Some(TenantId(7)));
}

/// Creates users, `owner` in tenant `7 + owner % 4`, with a task for objects with tag 1.
async fn addressees(platform: &Platform, bench: &Bench, records: &Records, count: u128) {
    for owner in 1..=count {
        platform.user(owner, 7 + owner % 4);
        records.tagged_of(owner, "${NAME}").await;
        let owner = webhook_model::OwnerId(owner);
        bench.authorizer.admit_change(owner).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn audience_rows_are_stored_in_order_by_hundreds() {
    let (records, platform) = (Records::new(), Platform::new());
    let (bench, emitter) =
        bench_of(&records, &Limits::default(), Rule::AddressedOnly, &platform).await;
    addressees(&platform, &bench, &records, 1).await;
    let outbox = drain(emitter);
    bench.store.set_refused("take_outbox", true);
    for n in 0..300 {
        let occurrence = poweron(n, &[1]).with_audience(Audience::Owner(webhook_model::OwnerId(1)));
        outbox.push(&occurrence).await.unwrap();
    }
    let before = bench.store.calls_of("enqueue_all");
    bench.store.set_refused("take_outbox", false);
    pass(&bench, Duration::from_secs(2)).await;
    let deliveries = records.deliveries().await;
    let mut bodies: Vec<_> = deliveries
        .iter()
        .map(|d| (d.id, d.body.to_string()))
        .collect();
    bodies.sort();
    let bodies: Vec<_> = bodies.into_iter().map(|(_, body)| body).collect();
    assert_eq!(
        bodies,
        (0..300).map(|n| format!("vm {n}")).collect::<Vec<_>>()
    );
    let sets = bench.store.calls_of("enqueue_all") - before;
    assert!((3..=4).contains(&sets), "{sets}");
    assert!(rows(&records).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn audiences_are_processed_concurrently_each_by_one_worker() {
    let (records, platform) = (Records::new(), Platform::new());
    let (bench, emitter) =
        bench_of(&records, &Limits::default(), Rule::AddressedOnly, &platform).await;
    addressees(&platform, &bench, &records, 8).await;
    let outbox = drain(emitter);
    bench
        .store
        .fail("enqueue_all", 1, Fault::Late(Duration::from_secs(20)));
    for n in 0..400_u32 {
        let audience = Audience::Owner((1 + n % 8).into());
        let occurrence = poweron(n.into(), &[1]).with_audience(audience);
        records.push_outbox(&occurrence).await;
    }
    outbox.push(&poweron(1, &[])).await.unwrap();
    pass(&bench, Duration::from_secs(2)).await;
    assert!(bench.store.has_failed());
    let stored = records.deliveries().await.len();
    assert!(stored >= 350, "one audience waits for its commit: {stored}");
    pass(&bench, Duration::from_secs(40)).await;
    assert_eq!(records.deliveries().await.len(), 400);
}

#[tokio::test(start_paused = true)]
async fn waiting_rows_in_one_set_count_toward_quota() {
    let records = Records::new();
    records.tagged("${NAME}").await;
    let platform = Platform::new();
    let (bench, emitter) = bench_of(&records, &Limits::default(), Rule::OneSystem, &platform).await;
    platform.set_quota(Some(gatepost_ids::Quota::default().with_waiting(30)));
    for n in 0..100 {
        records.push_outbox(&poweron(n, &[1])).await;
    }
    drain(emitter);
    pass(&bench, Duration::from_secs(1)).await;
    assert_eq!(records.deliveries().await.len(), 30);
    assert!(rows(&records).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn refused_set_is_stored_row_by_row_once() {
    for fault in [Fault::Refused, Fault::AnswerLost, Fault::Panic] {
        let records = Records::new();
        let once = records.webhook(|_| {}).await;
        let once = records.task(once, "once", true).await;
        records
            .event(Target::Tag(webhook_model::TagId(1)), once)
            .await;
        records.tagged("${NAME}").await;
        let (bench, emitter) = bench(&records, &Limits::default()).await;
        for n in 0..50 {
            records.push_outbox(&poweron(n, &[1])).await;
        }
        bench.store.fail("enqueue_all", 1, fault);
        drain(emitter);
        pass(&bench, Duration::from_secs(60)).await;
        assert!(bench.store.has_failed(), "{fault:?}");
        let mut bodies = records.deliveries().await;
        bodies.retain(|delivery| delivery.task != Some(once));
        let mut bodies: Vec<_> = bodies.iter().map(|d| d.body.to_string()).collect();
        bodies.sort();
        let mut expected: Vec<_> = (0..50).map(|n| format!("vm {n}")).collect();
        expected.sort();
        assert_eq!(bodies, expected, "{fault:?}");
        assert_eq!(
            records.deliveries().await.len(),
            51,
            "{fault:?}: once is once"
        );
        assert!(rows(&records).await.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn idle_outbox_is_polled_less_until_a_write() {
    let records = Records::new();
    records.tagged("x").await;
    let (bench, emitter) = bench(&records, &Limits::default()).await;
    let _outbox = drain(emitter);
    let asked = async || {
        let before = bench.store.calls_of("take_outbox");
        pass(&bench, Duration::from_secs(10)).await;
        bench.store.calls_of("take_outbox") - before
    };
    assert!(asked().await >= 40);
    assert!(asked().await <= 12);
    // Another process writes.
    let occurrence = poweron(1, &[1]);
    records.push_outbox(&occurrence).await;
    pass(&bench, Duration::from_secs(1)).await;
    assert!(rows(&records).await.is_empty());
    assert!(asked().await >= 38);
}
