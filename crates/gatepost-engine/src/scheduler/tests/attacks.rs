//! Attacks that broke earlier versions: webhooks that respond until they have a share, or just in
//! time.

use std::time::Duration;

use super::sim::{Sim, millis, responds, secs, stalls, webhook};
use super::{
    NEW, OTHERS, PROVEN, RECENT, Request, assert_nobody_waits, honest, tenant, unless_honest,
};
use crate::scheduler::History;

/// Adds webhooks of which every other request stalls: two messages a second for each.
fn half_stalling(sim: &mut Sim, webhooks: i64, tenants: i64) {
    for id in 0..webhooks {
        for k in 0..200 {
            for at in [1_000 * k, 1_000 * k + 400] {
                let at = secs(20) + millis(at + id.unsigned_abs());
                sim.arrive(at, webhook(OTHERS + id, tenant(id, tenants)));
            }
        }
    }
    sim.run(
        secs(240),
        unless_honest(|request: Request| {
            let answers = (request.at.as_millis() / 100).is_multiple_of(2);
            match answers || request.at < secs(25) {
                true => responds(millis(2)),
                false => stalls(),
            }
        }),
    );
}

#[test]
fn webhooks_that_answer_just_in_time_delay_nobody() {
    let mut sim = Sim::new();
    honest(&mut sim, 240);
    for id in 0..64 {
        for k in 0..4_000 {
            sim.arrive(secs(30) + millis(10 * k), webhook(OTHERS + id, 7));
        }
    }
    sim.run(secs(240), unless_honest(|_| responds(millis(1_900))));
    assert_nobody_waits(&sim);
}

#[test]
fn webhooks_half_of_whose_requests_stall_delay_nobody() {
    for (webhooks, tenants) in [(500, 1), (500, 500), (2_000, 20)] {
        let mut sim = Sim::new();
        honest(&mut sim, 240);
        half_stalling(&mut sim, webhooks, tenants);
        assert_nobody_waits(&sim);
    }
}

#[test]
fn thousand_half_stalling_tenants_delay_others_only_seconds() {
    let mut sim = Sim::new();
    honest(&mut sim, 240);
    half_stalling(&mut sim, 1_000, 1_000);
    assert_eq!(sim.wait(NEW).2, Duration::ZERO);
    for webhooks in [RECENT, PROVEN] {
        let (median, _, longest) = sim.wait(webhooks);
        assert_eq!(median, Duration::ZERO);
        assert!(longest <= secs(9), "{longest:?}");
    }
}

#[test]
fn floods_of_new_tenants_delay_only_new() {
    let mut sim = Sim::new();
    honest(&mut sim, 240);
    for id in 0..20_000_i64 {
        let at = secs(20) + millis(10 * id.unsigned_abs());
        sim.arrive(at, webhook(OTHERS + id, tenant(id, 20_000)));
    }
    sim.run(secs(240), unless_honest(|_| stalls()));
    for webhooks in [RECENT, PROVEN] {
        assert_eq!(sim.wait(webhooks).2, Duration::ZERO);
    }
    assert!(sim.most_in_flight <= 2_048 + 32);
}

#[test]
fn webhooks_that_answer_once_and_stall_delay_nobody() {
    for tenants in [1, 1_000] {
        let mut sim = Sim::new();
        honest(&mut sim, 240);
        for id in 0..1_000_i64 {
            let other = webhook(OTHERS + id, tenant(id, tenants));
            sim.arrive(secs(55) + millis(4 * id.unsigned_abs()), other.clone());
            for _ in 0..32 {
                sim.arrive(secs(60), other.clone());
            }
        }
        sim.run(
            secs(240),
            unless_honest(|request: Request| match request.at < secs(60) {
                true => responds(millis(2)),
                false => stalls(),
            }),
        );
        assert_nobody_waits(&sim);
        assert!(sim.most_in_flight <= 2_048 + 32);
    }
}

#[test]
fn slow_receivers_in_their_thousands_delay_for_seconds() {
    let mut sim = Sim::new();
    honest(&mut sim, 240);
    for id in 0..3_000_i64 {
        for k in 0..40 {
            let at = secs(20 + 5 * k) + millis(5 * id.unsigned_abs() / 3);
            sim.arrive(at, webhook(OTHERS + id, tenant(id, 3_000)));
        }
    }
    sim.run(secs(240), unless_honest(|_| responds(secs(3))));
    for webhooks in [RECENT, PROVEN, NEW] {
        let (median, _, longest) = sim.wait(webhooks);
        assert_eq!(median, Duration::ZERO);
        assert!(longest <= secs(10), "{longest:?}");
    }
}

#[test]
fn slow_receivers_of_one_tenant_use_idle_process() {
    let mut sim = Sim::new();
    for id in 0..20 {
        for k in 0..1_000 {
            sim.arrive(secs(20) + millis(100 * k), webhook(OTHERS + id, 7));
        }
    }
    sim.run(secs(240), |_| responds(secs(3)));
    assert!(
        sim.sent.len() >= 12_000,
        "{} of 20,000 sent",
        sim.sent.len()
    );
}

#[test]
fn floods_of_new_stalling_webhooks_delay_no_new() {
    for tenants in [1, 2_000] {
        let mut sim = Sim::new();
        honest(&mut sim, 240);
        for id in 0..20_000_i64 {
            let at = secs(20) + millis(10 * id.unsigned_abs());
            sim.arrive(at, webhook(OTHERS + id, tenant(id, tenants)));
        }
        sim.run(secs(240), unless_honest(|_| stalls()));
        assert_nobody_waits(&sim);
    }
}

#[test]
fn healthy_webhooks_are_served_within_seconds_of_restart() {
    // Stalling webhooks are known to fail if a retry of them waits.
    for (took, stalling, failing) in [
        (2, 10, History::Failing),
        (2, 10, History::Before),
        (200, 10, History::Failing),
        (200, 10, History::Before),
        (200, 4, History::Failing),
    ] {
        let mut sim = Sim::new();
        let is_healthy = |id: i64| id % stalling != 0;
        for id in 0..20_000_i64 {
            let record = match is_healthy(id) {
                true => History::Before,
                false => failing,
            };
            sim.arrive_as(secs(1), webhook(OTHERS + id, tenant(id, 20_000)), record);
        }
        sim.run(secs(1_200), |request| {
            match is_healthy(request.webhook - OTHERS) {
                true => responds(millis(took)),
                false => stalls(),
            }
        });
        let mut healthy: Vec<_> = sim
            .waits
            .iter()
            .filter(|(id, _)| is_healthy(**id - OTHERS))
            .map(|(_, waits)| waits[0])
            .collect();
        healthy.sort();
        assert!(healthy[healthy.len() / 2] <= secs(10));
        assert_eq!(
            healthy.len(),
            20_000 - 20_000 / usize::try_from(stalling).unwrap()
        );
    }
}
