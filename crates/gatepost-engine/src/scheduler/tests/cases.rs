//! The cases that the scheduler is made for.

use std::time::Duration;

use super::sim::{Sim, millis, responds, secs, stalls, webhook};
use super::{NEW, OTHERS, PROVEN, RECENT, honest, tenant, unless_honest};

/// Adds a webhook with 200 messages a second, and from a time on a new one each second.
fn busy_and_new(sim: &mut Sim, until: u64, new_from: u64) {
    for k in 0..200 * until {
        sim.arrive(millis(5 * k), webhook(1, 1));
    }
    for k in 0..100 {
        let id = NEW.start + i64::try_from(k).unwrap();
        let at = secs(new_from + k) + millis(333);
        sim.arrive(at, webhook(id, id.unsigned_abs().into()));
    }
}

fn assert_busy_and_new_do_not_wait(sim: &Sim) {
    for webhooks in [RECENT, NEW] {
        assert_eq!(sim.wait(webhooks).2, Duration::ZERO);
    }
    assert!(sim.permits * 100 <= sim.requests * 105, "permits in vain");
}

#[test]
fn stalling_webhooks_delay_neither_healthy_nor_new() {
    for (number, tenants) in [(2_000, 4), (20_000, 4), (20_000, 20_000)] {
        let mut sim = Sim::new();
        for id in 0..number {
            let first = u64::try_from(id * 977 % 30_000_000).unwrap();
            for k in 0..8 {
                let at = Duration::from_micros(first) + secs(30 * k);
                sim.arrive(at, webhook(OTHERS + id, tenant(id, tenants)));
            }
        }
        busy_and_new(&mut sim, 240, 60);
        sim.run(secs(240), unless_honest(|_| stalls()));
        assert_busy_and_new_do_not_wait(&sim);
        assert!(sim.most_in_flight < 2_048 + 32);
    }
}

#[test]
fn webhooks_that_answered_and_stall_together_delay_nobody() {
    for tenants in [4, 20_000] {
        let mut sim = Sim::new();
        for id in 0..20_000 {
            let k = u32::try_from(id).unwrap();
            let other = webhook(OTHERS + id, tenant(id, tenants));
            sim.arrive(secs(1) + millis(2) * k, other.clone());
            sim.arrive(secs(60) + Duration::from_micros(10) * k, other);
        }
        busy_and_new(&mut sim, 180, 61);
        let stalls_later = |request: super::Request| match request.at < secs(60) {
            true => responds(millis(2)),
            false => stalls(),
        };
        sim.run(secs(180), unless_honest(stalls_later));
        assert_busy_and_new_do_not_wait(&sim);
    }
}

/// As all webhooks of one host or region when it fails: each responded within this time.
#[test]
fn recent_webhooks_stalling_together_delay_no_busy_one() {
    for (number, within) in [
        (2_000, 1),
        (20_000, 1),
        (2_000, 3),
        (20_000, 9),
        (2_000, 50),
    ] {
        let mut sim = Sim::new();
        honest(&mut sim, 100);
        for id in 0..number {
            let k = u32::try_from(id).unwrap();
            let other = webhook(OTHERS + id, tenant(id, number));
            let before = secs(within) * k / u32::try_from(number).unwrap();
            sim.arrive(secs(60) - before, other.clone());
            sim.arrive(secs(60) + Duration::from_micros(200) * k, other);
        }
        for k in 0..20_000 {
            sim.arrive(millis(5 * k), webhook(2, 2));
        }
        let stalls_later = |request: super::Request| match request.at <= secs(60) {
            true => responds(millis(2)),
            false => stalls(),
        };
        sim.run(secs(100), unless_honest(stalls_later));
        assert!(sim.wait(2..3).2 <= millis(100), "{:?}", sim.wait(2..3));
        assert_eq!(sim.wait(NEW).2, Duration::ZERO);
        for webhooks in [RECENT, PROVEN] {
            let (median, _, longest) = sim.wait(webhooks);
            assert_eq!(median, Duration::ZERO);
            assert!(longest <= secs(20), "{longest:?}");
        }
    }
}

#[test]
fn deep_queues_of_one_tenant_delay_no_other() {
    let mut sim = Sim::new();
    for k in 0..100_000 {
        sim.arrive(secs(1), webhook(OTHERS + k % 100, 7));
    }
    for k in 0..200 {
        sim.arrive(
            secs(1) + millis(50 * k) + Duration::from_micros(11),
            webhook(1, 1),
        );
    }
    sim.run(secs(12), |_| responds(millis(50)));
    assert_eq!(sim.wait(RECENT).2, Duration::ZERO);
    assert!(sim.sent.len() >= 100_000, "{} sent", sim.sent.len());
}

#[test]
fn busy_webhooks_of_one_owner_take_turns() {
    let mut sim = Sim::new();
    sim.arrive(secs(1), webhook(1, 1));
    for k in 0..100_000 {
        sim.arrive(secs(2), webhook(OTHERS + k % 100, 1));
    }
    for k in 0..40 {
        sim.arrive(secs(12) + millis(50 * k), webhook(1, 1));
    }
    sim.run(secs(60), |_| responds(millis(200)));
    let (last, _) = *sim.sent.last().unwrap();
    assert!(last >= secs(20), "the others are busy until {last:?}");
    let (_, _, longest) = sim.wait(RECENT);
    assert!(longest <= millis(400), "{longest:?}");
}

#[test]
fn silent_webhooks_during_endless_work_wait_a_minute() {
    let mut sim = Sim::new();
    for id in 0..1_000 {
        let silent = webhook(NEW.start + id, (NEW.start + id).unsigned_abs().into());
        let k = u32::try_from(id).unwrap();
        sim.arrive(secs(1) + millis(1) * k, silent.clone());
        sim.arrive(secs(310) + millis(20) * k, silent);
    }
    for id in 0..2_000 {
        for _ in 0..150 {
            let k = u32::try_from(id).unwrap();
            let at = secs(290) + Duration::from_micros(400) * k;
            sim.arrive(at, webhook(OTHERS + id, tenant(id, 2_000)));
        }
    }
    sim.run(secs(400), |request| match NEW.contains(&request.webhook) {
        true => responds(millis(2)),
        false => responds(secs(1)),
    });
    let (_, _, longest) = sim.wait(NEW);
    assert!((secs(60)..=secs(61)).contains(&longest), "{longest:?}");
    assert_eq!(sim.unsent(NEW), 0);
}

#[test]
fn slow_answering_webhooks_progress_despite_stalling_ones() {
    let mut sim = Sim::new();
    for id in 100..300 {
        for k in 0..200 {
            let at = secs(4 * k) + Duration::from_micros(4_999 * (id - 100));
            let id = i64::try_from(id).unwrap();
            sim.arrive(at, webhook(id, id.unsigned_abs().into()));
        }
    }
    for id in 0..20_000 {
        let at = millis(u64::try_from(id).unwrap());
        let other = webhook(OTHERS + id, tenant(id, 20_000));
        sim.arrive(secs(60) + at, other.clone());
        sim.arrive(secs(300) + at, other);
    }
    sim.run(secs(800), |request| match request.webhook < OTHERS {
        true => responds(secs(5)),
        false => stalls(),
    });
    // Requests that stall for two minutes use all of Slow's slots: the others share the rest.
    let (median, _, longest) = sim.wait(100..300);
    assert_eq!(median, Duration::ZERO);
    assert!(longest <= secs(135), "{longest:?}");
    let sent = (100..300).map(|id| sim.waits[&id].len());
    assert!(sent.sum::<usize>() >= 3_500);
}

#[test]
fn steady_traffic_asks_one_permit_a_message() {
    for (webhooks, tenants) in [(1, 1), (1_000, 1_000), (1_000, 1)] {
        let mut sim = Sim::new();
        for k in 0..20_000_u32 {
            let id = i64::from(k.wrapping_mul(2_654_435_761) >> 8) % webhooks;
            let at = Duration::from_micros(50) * k;
            sim.arrive(at, webhook(OTHERS + id, tenant(id, tenants)));
        }
        sim.run(secs(60), |_| responds(millis(1)));
        assert_eq!((sim.sent.len(), sim.permits), (20_000, 20_000));
    }
}

#[test]
fn blocked_webhooks_ask_for_nothing() {
    let mut sim = Sim::new();
    sim.arrive(Duration::ZERO, webhook(1, 1));
    for id in 0..20_000 {
        for _ in 0..5 {
            sim.arrive(secs(1), webhook(OTHERS + id, tenant(id, 20_000)));
        }
    }
    for k in 0..10_000 {
        sim.arrive(secs(2) + millis(k), webhook(1, 1));
    }
    sim.run(secs(60), unless_honest(|_| stalls()));
    assert_eq!(sim.wait(RECENT).2, Duration::ZERO);
    assert_eq!(sim.permits, sim.requests);
    assert_eq!(sim.unsent(RECENT), 0);
}
