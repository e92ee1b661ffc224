//! Deliveries whose claims were lost.

use super::sim::{Reply, Sim, responds, secs, webhook};
use super::{OTHERS, tenant};

/// Simulates a thousand deliveries to as many webhooks that lost two claims; one of them kills its
/// process.
fn thousand(poison: Option<u64>) -> Sim {
    let mut sim = Sim::new();
    for id in 0..1_000 {
        sim.lost(webhook(OTHERS + id, tenant(id, 10)), id.unsigned_abs());
    }
    sim.run(secs(600), |request| {
        match Some(request.delivery.number) == poison {
            true => Reply::Kill,
            false => responds(secs(2)),
        }
    });
    sim
}

#[test]
fn thousand_deliveries_after_two_kills_finish_within_minute() {
    let sim = thousand(None);
    assert_eq!(sim.sent.len(), 1_000);
    assert!(
        sim.sent.last().unwrap().0 <= secs(60),
        "{:?}",
        sim.sent.last()
    );
}

#[test]
fn poison_delivery_fails_others_follow_within_five_minutes() {
    for poison in [0, 63, 500, 999] {
        let sim = thousand(Some(poison));
        assert_eq!(
            (sim.poisoned.as_slice(), sim.kills),
            ([poison].as_slice(), 2)
        );
        assert_eq!(sim.sent.len(), 999);
        assert!(
            sim.sent.last().unwrap().0 <= secs(300),
            "{:?}",
            sim.sent.last()
        );
    }
}
