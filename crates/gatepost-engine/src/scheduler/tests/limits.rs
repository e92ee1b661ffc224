//! The limits of one webhook, owner or process.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use gatepost_ids::{Realm, TenantId};
use gatepost_storage::webhooks::QueueClass;
use webhook_model::OwnerId;

use super::OTHERS;
use super::bench::Bench;
use super::sim::{Sim, added, config, millis, responds, secs, webhook};
use crate::scheduler::{Config, Count, History, Outcome, Settings, Waiting, Webhook};

fn rate(per_second: u32) -> Option<NonZeroU32> {
    NonZeroU32::new(per_second)
}

#[test]
fn webhook_rate_is_divided_among_live_processes() {
    for (live, expected) in [(1, 14), (2, 7), (50, 2)] {
        let mut bench = Bench::new(config());
        bench.scheduler.set_processes(live, 0);
        let webhook = Webhook {
            settings: Some(Settings {
                rate: rate(5),
                ..Settings::default()
            }),
            ..webhook(1, 1)
        };
        bench.ready(&webhook, QueueClass::First, 100);
        assert_eq!(bench.begun(millis(1_999)).len(), expected);
    }
}

#[test]
fn resumed_webhook_sends_held_deliveries_at_backlog_rate() {
    let mut bench = Bench::new(config());
    bench.ready(&webhook(1, 1), QueueClass::First, 1);
    assert_eq!(bench.begun(secs(1)).len(), 1);
    bench.scheduler.leave(webhook(1, 1).id, bench.now);
    bench.now += secs(10);
    bench.scheduler.resume(webhook(1, 1).id, bench.now);
    let waiting = Waiting {
        count: Count::AtLeast(1_000),
        ..added(bench.now - secs(5))
    };
    bench
        .scheduler
        .ready(&webhook(1, 1), QueueClass::First, waiting, bench.now);
    assert_eq!(bench.begun(millis(2_999)).len(), 399);
}

#[test]
fn queue_due_for_a_minute_uses_backlog_rate() {
    for (due, sent) in [(secs(59), 1_000), (secs(60), 100)] {
        let mut bench = Bench::new(config());
        let waiting = Waiting {
            count: Count::AtLeast(1_000),
            record: History::New,
            ..added(bench.now - due)
        };
        let webhook = webhook(1, 1);
        bench
            .scheduler
            .ready(&webhook, QueueClass::First, waiting, bench.now);
        assert_eq!(bench.begun(Duration::ZERO).len(), sent);
    }
}

#[test]
fn first_attempts_and_retries_of_a_webhook_alternate() {
    let mut bench = Bench::new(config());
    bench.ready_as(&webhook(1, 1), QueueClass::First, 10, History::New);
    bench.ready(&webhook(1, 1), QueueClass::Retry, 10);
    let mut queues = Vec::new();
    while queues.len() < 20 {
        let permits = bench.permits();
        queues.extend(permits.iter().map(|permit| permit.queue));
        bench.release(permits, Outcome::Responded);
    }
    let both = [QueueClass::First, QueueClass::Retry];
    assert!(queues.chunks(2).all(|pair| pair == both), "{queues:?}");
}

#[test]
fn webhook_in_order_has_one_request_in_flight() {
    let mut bench = Bench::new(config());
    let webhook = Webhook {
        settings: Some(Settings {
            in_order: true,
            ..Settings::default()
        }),
        ..webhook(1, 1)
    };
    bench.ready(&webhook, QueueClass::First, 100);
    bench.ready(&webhook, QueueClass::Retry, 100);
    for _ in 0..100 {
        let permits = bench.permits();
        assert_eq!(permits.len(), 1);
        assert!(bench.scheduler.try_now(&webhook, bench.now).is_none());
        bench.release(permits, Outcome::Responded);
    }
}

#[test]
fn owners_of_one_tenant_have_equal_shares() {
    let mut sim = Sim::new();
    let of = |id, owner| Webhook {
        owner: OwnerId(owner),
        place: Realm::Tenant(TenantId(1)),
        ..webhook(id, 1)
    };
    for k in 0..100_000 {
        sim.arrive(secs(1), of(OTHERS + k % 100, 2));
    }
    for k in 0..100 {
        sim.arrive(
            secs(2) + millis(50 * k) + Duration::from_micros(7),
            of(1, 1),
        );
    }
    sim.run(secs(8), |request| {
        responds(millis(50 + request.delivery.number * 7 % 50))
    });
    let (_, _, longest) = sim.wait(1..2);
    assert!(longest < millis(50), "{longest:?}");
}

#[test]
fn owners_without_tenants_are_separate_realms() {
    let mut bench = Bench::new(config());
    let of = |id: i64| Webhook {
        place: Realm::Shared,
        ..webhook(id, u128::from(id.unsigned_abs() % 2))
    };
    for id in 0..100 {
        bench.ready(&of(2 * id), QueueClass::First, 1);
    }
    bench.ready(&of(1), QueueClass::First, 1);
    let mut permits = Vec::new();
    bench.scheduler.next_batch(2, bench.now, &mut permits);
    let mut owners: Vec<_> = permits.iter().map(|permit| permit.webhook.0 % 2).collect();
    owners.sort_unstable();
    assert_eq!(owners, [0, 1]);
}

#[test]
fn breaker_opens_after_failures_probing_with_growing_pauses() {
    let mut bench = Bench::new(config());
    bench.ready_as(&webhook(1, 1), QueueClass::First, 1_000, History::New);
    let start = bench.now;
    let mut begun = Vec::new();
    while begun.len() < 14 {
        let permits = bench.permits();
        begun.extend(permits.iter().map(|_| (bench.now - start).as_millis()));
        bench.release(permits, Outcome::Unreachable);
        bench.now = bench
            .scheduler
            .next_time()
            .unwrap_or(bench.now)
            .max(bench.now);
    }
    let expected = [
        0, 0, 0, 0, 0, 500, 1_500, 3_500, 7_500, 15_500, 31_500, 61_500, 91_500, 121_500,
    ];
    assert_eq!(begun, expected);
}

#[test]
fn limit_halves_once_at_trouble_of_one_moment() {
    for trouble in [Outcome::TimedOut, Outcome::Overloaded(None)] {
        let mut bench = Bench::new(config());
        bench.ready(&webhook(1, 1), QueueClass::First, 1);
        assert_eq!(bench.begun(secs(1)).len(), 1);
        bench.ready(&webhook(1, 1), QueueClass::First, 1_000);
        for expected in [32, 16, 8, 4, 2, 1, 1] {
            let permits = bench.permits();
            assert_eq!(permits.len(), expected);
            bench.now += secs(1);
            for permit in permits {
                bench.scheduler.release(permit, trouble, secs(1), bench.now);
            }
        }
        for expected in [1, 2, 3, 4, 5] {
            let permits = bench.permits();
            assert_eq!(permits.len(), expected);
            bench.release(permits, Outcome::Responded);
        }
    }
}

#[test]
fn permit_at_insert_is_denied_if_others_precede() {
    let mut bench = Bench::new(Config {
        total: 64,
        ..config()
    });
    let (one, other) = (webhook(1, 1), webhook(2, 2));
    for webhook in [&one, &other] {
        bench.ready(webhook, QueueClass::First, 1);
        assert_eq!(bench.begun(secs(1)).len(), 1);
    }
    let first = bench.scheduler.try_now(&one, bench.now).unwrap();
    assert_eq!((first.webhook, first.queue), (one.id, QueueClass::First));
    bench.ready(&other, QueueClass::First, 1);
    assert!(
        bench.scheduler.try_now(&one, bench.now).is_none(),
        "the other has fewer in flight"
    );
    assert!(
        bench.scheduler.try_now(&other, bench.now).is_none(),
        "one waits before it"
    );
    let permits = bench.permits();
    assert_eq!(permits.len(), 1);
    assert!(bench.scheduler.try_now(&one, bench.now).is_some());
    assert_eq!(bench.scheduler.in_flight(), 3);
}

#[test]
fn webhook_that_leaves_sends_nothing_until_ready_again() {
    let mut bench = Bench::new(config());
    bench.ready_as(&webhook(1, 1), QueueClass::First, 5, History::New);
    bench
        .scheduler
        .ready_at(webhook(1, 1).id, QueueClass::Retry, bench.now + secs(5));
    let permits = bench.permits();
    bench.scheduler.leave(webhook(1, 1).id, bench.now);
    bench.release(permits, Outcome::Responded);
    assert_eq!(bench.begun(secs(60)), []);
    assert_eq!(bench.scheduler.in_flight(), 0);
    bench.ready(&webhook(1, 1), QueueClass::First, 1);
    assert_eq!(bench.begun(secs(60)).len(), 1);
}

#[test]
fn claim_that_found_nothing_empties_the_queue() {
    let mut bench = Bench::new(config());
    bench.ready_as(&webhook(1, 1), QueueClass::First, 5, History::New);
    bench.now += millis(1);
    let permits = bench.permits();
    bench.release(permits, Outcome::Empty);
    assert_eq!(bench.permits(), []);
    bench.ready(&webhook(1, 1), QueueClass::First, 5);
    let permits = bench.permits();
    bench.now += millis(1);
    bench.ready(&webhook(1, 1), QueueClass::First, 1);
    bench.release(permits, Outcome::Empty);
    assert_eq!(bench.permits().len(), 1, "more came since");
}

#[test]
fn queues_beyond_bound_are_forgotten_in_largest_realm() {
    let mut bench = Bench::new(Config {
        total: 1,
        webhooks: 1_000,
        ..config()
    });
    for id in 0..20 {
        bench.ready(&webhook(id, id.unsigned_abs().into()), QueueClass::First, 1);
    }
    for id in 0..2_000 {
        bench.ready(&webhook(OTHERS + id, 7_777), QueueClass::First, 1);
    }
    assert!(!bench.scheduler.take_gap(), "the limit is reached");
    let mut sent = BTreeMap::new();
    loop {
        let permits = bench.permits();
        if permits.is_empty() {
            break;
        }
        for permit in &permits {
            *sent.entry(permit.webhook.0 < OTHERS).or_insert(0) += 1;
        }
        bench.release(permits, Outcome::Responded);
    }
    assert_eq!(sent, BTreeMap::from([(true, 20), (false, 980)]));
    assert!(bench.scheduler.take_gap());
    assert!(!bench.scheduler.take_gap(), "once");
}

#[test]
fn gap_is_reported_when_half_bound_is_free() {
    let mut bench = Bench::new(Config {
        webhooks: 1_000,
        ..config()
    });
    for id in 0..2_000 {
        bench.ready(&webhook(id, 1), QueueClass::First, 1);
    }
    for id in 0..501 {
        assert!(!bench.scheduler.take_gap(), "after {id}");
        bench.scheduler.leave(webhook(id, 1).id, bench.now);
    }
    assert!(bench.scheduler.take_gap());
}

#[test]
fn edit_ends_hold_and_one_probe_is_sent() {
    let mut bench = Bench::new(config());
    bench.ready(&webhook(1, 1), QueueClass::First, 1);
    assert_eq!(bench.begun(secs(1)).len(), 1);
    bench.ready(&webhook(1, 1), QueueClass::First, 100);
    let permits = bench.permits();
    assert_eq!(permits.len(), 32);
    bench.now += millis(1);
    let hold = bench
        .release(permits, Outcome::Overloaded(Some(secs(100))))
        .unwrap();
    assert!((secs(100)..=secs(110)).contains(&hold), "{hold:?}");
    assert_eq!(bench.permits(), []);
    bench.scheduler.end_hold(webhook(1, 1).id, bench.now);
    assert_eq!(bench.permits().len(), 1);
}
