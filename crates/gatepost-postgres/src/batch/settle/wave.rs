//! Settlements that can share a transaction.

use std::collections::HashMap;

use gatepost_storage::webhooks::{Disposition, Settled};

use super::columns::{Columns, Sealed};

/// Settlements of different deliveries: those that were sent and are kept, which read nothing of
/// the log, and the others.
#[derive(Default)]
pub(super) struct Wave {
    /// Of each delivery, its position among all.
    places: HashMap<i64, usize>,
    /// All tokens, each once, in order.
    pub(super) tokens: Vec<i64>,
    pub(super) sent: Columns,
    pub(super) others: Columns,
}

/// Each settlement goes to the first wave that does not hold its delivery yet, so their order is
/// kept.
pub(super) fn waves(settlements: Vec<Sealed>) -> Vec<Wave> {
    let mut waves = vec![Wave::default()];
    for (place, settlement) in settlements.into_iter().enumerate() {
        let id = settlement.0.claim.delivery.0;
        let free = waves
            .iter()
            .position(|wave| !wave.places.contains_key(&id))
            .unwrap_or_else(|| {
                waves.push(Wave::default());
                waves.len() - 1
            });
        if let Some(wave) = waves.get_mut(free) {
            wave.push(place, settlement);
        }
    }
    for wave in &mut waves {
        wave.tokens.sort_unstable();
        wave.tokens.dedup();
    }
    waves
}

impl Wave {
    fn push(&mut self, place: usize, sealed: Sealed) {
        let (settlement, attempt) = &sealed;
        self.places.insert(settlement.claim.delivery.0, place);
        self.tokens.push(settlement.claim.token.0);
        let is_common = settlement.disposition == Disposition::Sent
            && settlement.keep_message
            && attempt.is_some();
        if is_common {
            self.sent.push(sealed);
        } else {
            self.others.push(sealed);
        }
    }

    /// Marks these deliveries as done.
    pub(super) fn mark(&self, done: &[i64], settled: &mut [Settled]) {
        for delivery in done {
            let place = self.places.get(delivery);
            if let Some(place) = place.and_then(|at| settled.get_mut(*at)) {
                *place = Settled::Done;
            }
        }
    }

    /// Whether some of these are not done.
    pub(super) fn lacks(&self, columns: &Columns, settled: &[Settled]) -> bool {
        let is_open = |delivery: &i64| {
            let place = self.places.get(delivery);
            place.and_then(|at| settled.get(*at)) != Some(&Settled::Done)
        };
        columns.delivery.iter().any(is_open)
    }
}
