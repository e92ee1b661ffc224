//! A backlog is sent at a bounded rate, whichever process queued it, in any number of processes,
//! across a restart.

use super::*;

const RATE: u32 = 10;
const HELD: usize = 200;

fn limits() -> Limits {
    Limits::default().with_rates(RateLimits::default().with_resumed_per_second(RATE))
}

/// Creates processes that run over the same store.
async fn processes(records: &Records, count: u128) -> Vec<Bench> {
    let mut benches = Vec::new();
    for process in 1..=count {
        let bench = Bench::new(records, &limits(), Script::new(&[])).await;
        start(&bench, limits(), process);
        benches.push(bench);
    }
    benches
}

/// Counts the held deliveries that all of them sent.
fn sent(benches: &[Bench]) -> usize {
    let sent = benches.iter().flat_map(|bench| bench.script.sent());
    sent.filter(|body| body == "held").count()
}

async fn paused(records: &Records) -> WebhookId {
    let webhook = records.webhook(|w| w.activity = Activity::Paused).await;
    for _ in 0..HELD {
        records.waiting(webhook, "held").await;
    }
    webhook
}

/// Resumes a minute after all was queued.
async fn resume(records: &Records, webhook: WebhookId, benches: &[Bench]) {
    move_clocks(benches, 60);
    // By then each process knows all others.
    tokio::time::sleep(Duration::from_secs(45)).await;
    records.set_activity(webhook, Activity::Active).await;
    for bench in benches {
        bench.admission.inquiries.ask(webhook);
    }
}

fn move_clocks(benches: &[Bench], seconds: u64) {
    for bench in benches {
        bench.broken.clock.advance(Duration::from_secs(seconds));
    }
}

#[tokio::test(start_paused = true)]
async fn resumed_backlog_keeps_rate_for_several_processes() {
    for count in [1, 4] {
        let records = Records::new();
        let webhook = paused(&records).await;
        let benches = processes(&records, count).await;
        resume(&records, webhook, &benches).await;
        // One of each process tests the target.
        let shown = usize::try_from(count).unwrap();
        for second in 1..=10 {
            a_second().await;
            let most = (second + 1) * RATE as usize + shown;
            let sent = sent(&benches);
            assert!((second * 8..=most).contains(&sent), "{sent} in {second} s");
        }
        tokio::time::sleep(Duration::from_secs(11)).await;
        assert_eq!(sent(&benches), HELD);
    }
}

#[tokio::test(start_paused = true)]
async fn new_messages_keep_backlog_limit_until_backlog_ends() {
    let records = Records::new();
    let webhook = paused(&records).await;
    let benches = processes(&records, 1).await;
    resume(&records, webhook, &benches).await;
    let later = |body| {
        let due = noon() + TimeDelta::seconds(60);
        records.due(webhook, body, due)
    };
    for _ in 0..50 {
        later("new").await;
    }
    let bench = &benches[0];
    let queue = WebhookQueue {
        webhook,
        class: QueueClass::First,
    };
    bench.admission.stored(&DueQueue {
        queue,
        due: noon() + TimeDelta::seconds(60),
        owner: OwnerId(1),
        realm: Realm::Shared,
        revision: Revision(2),
    });
    a_second().await;
    let first = bench.script.sent().len();
    assert!(first <= 2 * RATE as usize, "{first}");
    tokio::time::sleep(Duration::from_secs(19)).await;
    assert_eq!(bench.script.sent().len(), HELD + 50);
}

#[tokio::test(start_paused = true)]
async fn another_process_continues_backlog_of_a_stopped_one() {
    let records = Records::new();
    let webhook = paused(&records).await;
    let first = processes(&records, 1).await;
    resume(&records, webhook, &first).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    first[0].lifecycle.shutdown(Duration::ZERO).await;
    let before = sent(&first);
    assert!(before < HELD);

    let second = Bench::new(&records, &limits(), Script::new(&[])).await;
    start(&second, limits(), 7);
    let second = [second];
    move_clocks(&second, 60);
    for seconds in 1..=15 {
        a_second().await;
        let most = (seconds + 1) * RATE as usize + 1;
        assert!(sent(&second) <= most, "{} in {seconds} s", sent(&second));
    }
    // The first one's number is free by now.
    move_clocks(&second, 60);
    tokio::time::sleep(Duration::from_secs(25)).await;
    assert_eq!(before + sent(&second), HELD);
}
