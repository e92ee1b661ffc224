//! Targets that ask to wait.

use std::time::Duration;

use gatepost_storage::webhooks::QueueClass;
use rand::SeedableRng as _;
use rand::rngs::StdRng;

use super::bench::Bench;
use super::sim::{Reply, Request, Sim, config, millis, responds, secs, waits, webhook};
use crate::scheduler::pace::hold_for;
use crate::scheduler::{History, Outcome};

/// Returns the whole seconds from now until then, as `Retry-After` has them.
fn until(then: Duration, now: Duration) -> Duration {
    secs(
        (then.saturating_sub(now))
            .as_millis()
            .div_ceil(1_000)
            .try_into()
            .unwrap(),
    )
}

/// One request a second.
fn slack() -> impl FnMut(Request) -> Reply {
    let mut next = Duration::ZERO;
    move |request| {
        if request.at < next {
            return waits(until(next, request.at));
        }
        next = request.at + secs(1);
        responds(millis(50))
    }
}

/// Five requests in two seconds, which begin with the first of them.
fn discord() -> impl FnMut(Request) -> Reply {
    let (mut ends, mut count) = (Duration::ZERO, 0);
    move |request| {
        if request.at >= ends {
            (ends, count) = (request.at + secs(2), 0);
        }
        count += 1;
        match count <= 5 {
            true => responds(millis(50)),
            false => waits(until(ends, request.at)),
        }
    }
}

fn burst(processes: u32, reply: impl FnMut(Request) -> Reply) -> Sim {
    let mut sim = Sim::with(processes, config());
    sim.retries = 3;
    for _ in 0..300 {
        sim.arrive(secs(1), webhook(1, 1));
    }
    sim.run(secs(4 * 3_600), reply);
    sim
}

#[test]
fn bursts_beyond_slacks_limit_lose_one_at_most() {
    // Each process finds the limit separately.
    for (processes, failed) in [(1, 0), (2, 0), (8, 1)] {
        let sim = burst(processes, slack());
        assert_eq!(sim.sent.len(), 300 - failed);
        assert_eq!(sim.failed, failed as u64);
    }
}

#[test]
fn bursts_beyond_discords_limit_lose_nothing() {
    for processes in [1, 2, 8] {
        let sim = burst(processes, discord());
        assert_eq!((sim.sent.len(), sim.failed), (300, 0));
    }
}

#[test]
fn target_requested_hold_is_limited_to_15_minutes() {
    let (mut sim, mut asked) = (Sim::new(), Vec::new());
    sim.retries = 3;
    for minute in 0..60 {
        sim.arrive(secs(60 * minute), webhook(1, 1));
    }
    sim.run(secs(3_600), |request| {
        asked.push(request.at);
        match asked.len() {
            1 => Reply::After(millis(50), Outcome::Overloaded(Some(secs(86_400)))),
            _ => responds(millis(50)),
        }
    });
    let hold = asked[1] - asked[0];
    assert!(
        (secs(13 * 60)..=secs(15 * 60 + 1)).contains(&hold),
        "{hold:?}"
    );
    assert_eq!(sim.sent.len(), 59, "all but the one that waits for a day");
}

/// Returns how many requests a busy webhook sends in this time, this long after a target that asked
/// for a minute.
fn sent_after(minutes: u64, seconds: u64) -> usize {
    let mut bench = Bench::new(config());
    bench.ready_as(&webhook(1, 1), QueueClass::First, 1_000, History::New);
    let permits = bench.permits();
    bench.release(permits, Outcome::Overloaded(Some(secs(60))));
    bench.now += secs(60 * minutes + seconds);
    bench.begun(Duration::ZERO).len()
}

#[test]
fn learned_rate_doubles_each_minute_for_ten_minutes() {
    // One a minute initially; at 512 a minute, all requests of a second are sent at the same time.
    assert_eq!([1, 2, 5].map(|minutes| sent_after(minutes, 10)), [1; 3]);
    assert_eq!(sent_after(7, 30), 2);
    assert_eq!(sent_after(8, 30), 4);
    assert_eq!(sent_after(9, 59), 8);
    assert_eq!(sent_after(10, 1), 999);
}

#[test]
fn second_hold_halves_the_learned_rate() {
    let mut bench = Bench::new(config());
    bench.ready_as(&webhook(1, 1), QueueClass::First, 1_000, History::New);
    for gap in [4, 8, 16, 32, 60, 60] {
        let permits = bench.permits();
        assert_eq!(permits.len(), 1);
        let hold = bench.release(permits, Outcome::Overloaded(Some(secs(4))));
        bench.now += hold.unwrap();
        let permits = bench.permits();
        assert_eq!(permits.len(), 1);
        bench.release(permits, Outcome::Responded);
        let next = bench.scheduler.next_time().unwrap() - bench.now;
        assert!(
            (secs(gap)..=secs(gap) * 11 / 10).contains(&next),
            "{gap}: {next:?}"
        );
        bench.now += next;
    }
}

#[test]
fn processes_start_one_after_another_after_a_hold() {
    for own in [0, 1, 7] {
        let mut bench = Bench::new(config());
        bench.scheduler.set_processes(8, own);
        bench.ready_as(&webhook(1, 1), QueueClass::First, 10, History::New);
        let permits = bench.permits();
        let asked = Outcome::Overloaded(Some(secs(3)));
        let hold = bench.release(permits, asked).unwrap();
        let begun = bench.begun(secs(60));
        let first = hold * (1 + own);
        let expected: Vec<_> = (0..10).map(|k| first + hold * 8 * k).collect();
        assert_eq!(begun, expected[..begun.len()]);
        assert!(begun.len() >= 2);
    }
}

#[test]
fn hold_exceeds_request_by_up_to_a_tenth() {
    let mut rng = StdRng::seed_from_u64(1);
    let holds: Vec<_> = (0..1_000).map(|_| hold_for(secs(100), &mut rng)).collect();
    let (least, most) = (holds.iter().min().unwrap(), holds.iter().max().unwrap());
    assert!((secs(100)..secs(101)).contains(least), "{least:?}");
    assert!((secs(109)..=secs(110)).contains(most), "{most:?}");
}
