//! What retention removes. It walks through all that is kept.

use std::collections::HashMap;

use gatepost_storage::webhooks::{DeliveryRow, PurgeBounds, Purged};

use super::codec::micros;
use super::counters;
use super::error::{Answer, failed};
use super::tables::{SEEN, Tx};
use super::work::LOG_BYTES;

/// Removes at most `limit` rows of each kind.
pub(super) fn purge(tx: &Tx, bounds: &PurgeBounds, limit: usize) -> Answer<Purged> {
    let deliveries = purge_deliveries(tx, bounds, limit)?;
    let before = micros(bounds.occurrences_before);
    let mut seen = tx.open(SEEN)?;
    let old = seen.extract_if(|_, stored| stored < before);
    let old = old.map_err(failed)?.take(limit);
    let occurrences = old.map(|row| row.map(drop)).collect::<Result<Vec<()>, _>>();
    let occurrences = occurrences.map_err(failed)?.len();
    let (counts, dropped) = (bounds.counts_before, bounds.created_before);
    let [hours, minutes] = counters::forget(tx, counts, dropped, limit)?;
    let removed = [deliveries, occurrences, hours, minutes];
    Ok(Purged {
        rows: removed.iter().sum::<usize>() as u64,
        more: removed.contains(&limit),
    })
}

fn purge_deliveries(tx: &Tx, bounds: &PurgeBounds, limit: usize) -> Answer<usize> {
    let all = u64::try_from(tx.counter(LOG_BYTES)?).unwrap_or(0);
    let mut bytes_over = all.saturating_sub(bounds.bytes.unwrap_or(u64::MAX));
    let mut newer: HashMap<i64, u32> = HashMap::new();
    let mut ended: Vec<(DeliveryRow, bool)> = Vec::new();
    for slot in tx.slots()?.into_iter().rev() {
        if !slot.delivery.state.is_final() {
            continue;
        }
        let rank = newer.entry(slot.delivery.webhook.0).or_default();
        *rank += 1;
        let old = slot.delivery.created < bounds.created_before;
        let beyond = old || *rank > bounds.newest_per_webhook;
        ended.push((slot, beyond));
    }
    let mut removed = 0;
    for (slot, beyond) in ended.iter().rev() {
        if removed == limit {
            break;
        }
        if *beyond || bytes_over > 0 {
            tx.remove_delivery(slot)?;
            bytes_over = bytes_over.saturating_sub(slot.bytes());
            removed += 1;
        }
    }
    Ok(removed)
}
