//! The class of a webhook, and a realm's share of it.

use std::time::Duration;

use gatepost_storage::webhooks::QueueClass;
use webhook_model::WebhookId;

use super::bench::Bench;
use super::sim::{added, config, millis, secs, webhook};
use super::{OTHERS, tenant};
use crate::scheduler::slots::Class;
use crate::scheduler::{Config, History, MOST, Outcome, Permit, Waiting};

/// Returns the class of a webhook's next request, which ends as given.
fn class_of(bench: &mut Bench, outcome: Outcome, took: Duration) -> Class {
    bench.ready(&webhook(1, 1), QueueClass::First, 1);
    let mut permits = bench.permits();
    assert_eq!(permits.len(), 1);
    let permit = permits.remove(0);
    let class = permit.class;
    bench.scheduler.release(permit, outcome, took, bench.now);
    class
}

/// Returns permits for one message to each of these webhooks of a tenant.
fn fill(
    bench: &mut Bench,
    ids: std::ops::Range<i64>,
    tenant: u128,
    record: History,
) -> Vec<Permit> {
    for id in ids {
        bench.ready_as(&webhook(id, tenant), QueueClass::First, 1, record);
    }
    bench.permits()
}

#[test]
fn class_of_responsive_webhook_follows_its_silence() {
    let mut bench = Bench::new(config());
    let took = millis(1);
    assert_eq!(class_of(&mut bench, Outcome::Responded, took), Class::New);
    for (silent, class) in [
        (250, Class::Busy),
        (251, Class::Recent),
        (2_000, Class::Recent),
        (2_001, Class::Regular),
        (16_000, Class::Regular),
        (16_001, Class::Proven),
    ] {
        bench.now += millis(silent);
        assert_eq!(class_of(&mut bench, Outcome::Responded, took), class);
    }
    for (outcome, class) in [
        (Outcome::TimedOut, Class::Busy),
        (Outcome::Responded, Class::Slow),
        (Outcome::Overloaded(None), Class::Busy),
        (Outcome::Unreachable, Class::Busy),
        (Outcome::Responded, Class::Slow),
    ] {
        assert_eq!(class_of(&mut bench, outcome, took), class);
    }
}

#[test]
fn webhook_is_slow_after_three_two_second_requests() {
    for (took, third) in [(millis(1_999), Class::Busy), (secs(2), Class::Slow)] {
        let mut bench = Bench::new(config());
        let classes = [took; 4].map(|took| class_of(&mut bench, Outcome::Responded, took));
        assert_eq!(classes, [Class::New, Class::Busy, Class::Busy, third]);
        class_of(&mut bench, Outcome::Responded, millis(1));
        assert_eq!(class_of(&mut bench, Outcome::Responded, took), Class::Busy);
    }
}

#[test]
fn webhook_is_slow_during_a_long_request() {
    let mut bench = Bench::new(config());
    class_of(&mut bench, Outcome::Responded, millis(1));
    bench.ready(&webhook(1, 1), QueueClass::First, 1);
    let mut running = bench.permits();
    bench.scheduler.became_slow(&mut running[0], bench.now);
    assert_eq!(
        class_of(&mut bench, Outcome::Responded, millis(1)),
        Class::Slow
    );
    bench.release(running, Outcome::Responded);
    assert_eq!(
        class_of(&mut bench, Outcome::Responded, millis(1)),
        Class::Busy
    );
}

#[test]
fn last_new_slots_serve_arrivals_of_last_second() {
    for (before, waited, given) in [(504, 1_000, 1), (504, 1_001, 0), (503, 1_001, 1)] {
        let mut bench = Bench::new(config());
        // All except the last eight or nine of the half that is Slow's and New's.
        let others = fill(&mut bench, 1_000..1_000 + before, 7, History::New);
        assert_eq!(others.len(), usize::try_from(before).unwrap());
        bench.ready(&webhook(1, 1), QueueClass::First, 1);
        bench.now += millis(waited);
        assert_eq!(bench.permits().len(), given);
    }
}

#[test]
fn small_process_sends_new_webhooks_after_seconds() {
    let mut bench = Bench::new(Config {
        total: 1,
        ..config()
    });
    let running = fill(&mut bench, 1_000..1_010, 7, History::New);
    assert_eq!(running.len(), 1);
    bench.now += secs(5);
    bench.release(running, Outcome::Responded);
    assert_eq!(bench.permits().len(), 1);
}

#[test]
fn realm_gets_third_of_idle_slots_minimum_64() {
    let mut bench = Bench::new(config());
    let alone = fill(&mut bench, 1_000..3_000, 7, History::Failing);
    assert_eq!(alone.len(), 171, "the rest is as much again, twice");
    let mut bench = Bench::new(config());
    for id in 0..480 {
        let other = webhook(OTHERS + id, tenant(id, 480));
        bench.ready_as(&other, QueueClass::First, 1, History::Failing);
    }
    assert_eq!(bench.permits().len(), 480);
    let tight = fill(&mut bench, 5_000..6_000, 7, History::Failing);
    assert_eq!(tight.len(), 32, "all that is left");
    let mut bench = Bench::new(config());
    for id in 0..400 {
        let other = webhook(OTHERS + id, tenant(id, 400));
        bench.ready_as(&other, QueueClass::First, 1, History::Failing);
    }
    assert_eq!(bench.permits().len(), 400);
    assert_eq!(
        fill(&mut bench, 5_000..6_000, 7, History::Failing).len(),
        64
    );
}

#[test]
fn realm_with_64_overdue_requests_starts_only_one() {
    for (overdue, given) in [(63, 32), (64, 1)] {
        let mut bench = Bench::new(config());
        class_of(&mut bench, Outcome::Responded, millis(1));
        let mut permits = fill(&mut bench, 1_000..1_000 + overdue, 1, History::New);
        for permit in &mut permits {
            bench.scheduler.became_slow(permit, bench.now);
        }
        bench.ready(&webhook(1, 1), QueueClass::First, 100);
        assert_eq!(bench.permits().len(), given);
    }
}

#[test]
fn simultaneous_timers_fire_256_per_call() {
    let mut bench = Bench::new(config());
    let record = History::Before;
    for id in 0..600 {
        let webhook = webhook(OTHERS + id, tenant(id, 600));
        let waiting = Waiting {
            record,
            ..added(bench.now)
        };
        bench
            .scheduler
            .ready(&webhook, QueueClass::First, waiting, bench.now);
        bench
            .scheduler
            .ready_at(webhook.id, QueueClass::Retry, bench.now + secs(5));
    }
    let permits = bench.permits();
    bench.release(permits, Outcome::Responded);
    bench.now += secs(5);
    for given in [256, 256, 88] {
        assert_eq!(bench.permits().len(), given);
    }
}

#[test]
fn webhooks_are_remembered_up_to_200_000() {
    let mut bench = Bench::new(Config {
        webhooks: MOST,
        ..config()
    });
    for id in 0..200_010 {
        bench.ready(&webhook(id, 1), QueueClass::First, 1);
    }
    assert_eq!(bench.scheduler.targets.len(), 200_000);
    let first = bench.scheduler.targets.contains_key(&WebhookId(0));
    assert!(first, "those whose deadline is furthest are forgotten");
}
