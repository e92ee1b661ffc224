//! The scheduler's effects for users, in virtual time.

mod attacks;
mod bench;
mod cases;
mod classes;
mod limits;
mod quarantine;
mod sim;
mod target_waits;

use std::time::Duration;

use self::sim::{Reply, Request, Sim, millis, responds, secs, webhook};

/// Honest webhooks: one with a message each second, a hundred with one every twenty seconds, and a
/// new one each second.
const RECENT: std::ops::Range<i64> = 1..2;
const PROVEN: std::ops::Range<i64> = 10..110;
const NEW: std::ops::Range<i64> = 500_000..600_000;
/// All others: 1,000 and above.
const OTHERS: i64 = 1_000;

fn is_honest(webhook: i64) -> bool {
    webhook < OTHERS || NEW.contains(&webhook)
}

/// Honest webhooks respond within 2 ms, all others as given.
fn unless_honest(others: impl Fn(Request) -> Reply) -> impl FnMut(Request) -> Reply {
    move |request| match is_honest(request.webhook) {
        true => responds(millis(2)),
        false => others(request),
    }
}

/// Adds the messages of honest webhooks until then.
fn honest(sim: &mut Sim, until: u64) {
    for second in 0..until {
        sim.arrive(secs(second) + Duration::from_micros(500_123), webhook(1, 1));
    }
    for id in PROVEN {
        let first = 1_000 + 200 * u64::try_from(id - PROVEN.start).unwrap();
        for at in (first..until * 1_000).step_by(20_000) {
            sim.arrive(millis(at), webhook(id, id.unsigned_abs().into()));
        }
    }
    for second in 60..until {
        let id = NEW.start + i64::try_from(second).unwrap();
        let at = secs(second) + Duration::from_micros(333);
        sim.arrive(at, webhook(id, id.unsigned_abs().into()));
    }
}

/// Returns the number of a tenant, of this number of tenants.
fn tenant(webhook: i64, tenants: i64) -> u128 {
    (1_000_000 + webhook % tenants).unsigned_abs().into()
}

/// Asserts that no honest webhook waits.
fn assert_nobody_waits(sim: &Sim) {
    for webhooks in [RECENT, PROVEN, NEW] {
        let (_, _, longest) = sim.wait(webhooks.clone());
        assert_eq!(longest, Duration::ZERO, "of {webhooks:?}");
        assert_eq!(sim.unsent(webhooks), 0);
    }
}
