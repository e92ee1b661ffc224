//! The number of deliveries that are sent but cannot be recorded is bounded: a receiver gets them
//! twice if the process dies then.

use super::*;

/// Counts bodies that were sent more than once.
fn repeats(bench: &Bench) -> usize {
    let sent = bench.script.sent();
    let different: std::collections::BTreeSet<_> = sent.iter().collect();
    sent.len() - different.len()
}

#[tokio::test(start_paused = true)]
async fn nothing_is_claimed_while_nothing_can_be_recorded() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    let first = records.waiting(webhook, "first").await;
    let bench = run(&records, Limits::default(), Script::new(&[])).await;
    bench.store.set_refused("settle", true);
    a_second().await;
    records.waiting(webhook, "second").await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(bench.script.sent(), ["first"]);
    bench.store.set_refused("settle", false);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(bench.script.sent(), ["first", "second"]);
    assert_eq!(records.stored(first).await.attempts, 1);
}

#[tokio::test(start_paused = true)]
async fn hanging_settle_is_reported_and_bounds_unrecorded_sends() {
    const WEBHOOKS: usize = 10;
    const EACH: usize = 300;
    let records = Records::new();
    for _ in 0..WEBHOOKS {
        let webhook = records.webhook(|_| {}).await;
        for n in 0..EACH {
            records.waiting(webhook, &format!("{webhook} {n}")).await;
        }
    }
    let limits = Limits::default();
    let bench = Bench::new(&records, &limits, Script::new(&[])).await;
    let hang = Fault::Hang(Duration::from_secs(600));
    bench.store.fail("settle", 1, hang);
    let bench = run_on(bench, limits.clone());
    assert!(!bench.worker.settler.is_failing());
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert!(bench.worker.settler.is_failing(), "health says so");
    let sent = bench.script.sent().len();
    let most = UNRECORDED + limits.in_flight.total;
    assert!(
        (UNRECORDED..=most).contains(&sent),
        "{sent} sent, none recorded"
    );
    tokio::time::sleep(Duration::from_secs(300)).await;
    assert_eq!(bench.script.sent().len(), sent, "nothing since");
    assert_eq!(states(&records, DeliveryState::Sent).await, 0);

    tokio::time::sleep(Duration::from_secs(300)).await;
    let all = WEBHOOKS * EACH;
    assert_eq!(states(&records, DeliveryState::Sent).await, all);
    assert_eq!((bench.script.sent().len(), repeats(&bench)), (all, 0));
    assert!(!bench.worker.settler.is_failing());
}

#[tokio::test(start_paused = true)]
async fn slow_settle_is_not_reported_as_failing() {
    let records = Records::new();
    let webhook = records.webhook(|_| {}).await;
    for n in 0..100 {
        records.waiting(webhook, &n.to_string()).await;
    }
    let bench = Bench::new(&records, &Limits::default(), Script::new(&[])).await;
    bench
        .store
        .fail("settle", 1, Fault::Late(Duration::from_secs(1)));
    let bench = run_on(bench, Limits::default());
    for _ in 0..50 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(!bench.worker.settler.is_failing());
    }
    assert_eq!(states(&records, DeliveryState::Sent).await, 100);
}
