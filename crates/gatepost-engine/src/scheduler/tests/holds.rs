//! Targets that ask to wait.

use std::time::Duration;

use super::sim::{Reply, Request, Sim, config, millis, responds, secs, waits, webhook};
use crate::scheduler::Outcome;

/// Whole seconds from now until then, as `Retry-After` has them.
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
fn bursts_beyond_slacks_limit_lose_nothing() {
    for processes in [1, 2, 8] {
        let sim = burst(processes, slack());
        assert_eq!((sim.sent.len(), sim.failed), (300, 0));
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
fn target_that_asks_for_a_day_is_asked_within_15_minutes() {
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
