//! What retention removes. It walks through all that is kept.

use gatepost_storage::webhooks::{PurgeBounds, Purged};

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
    let mut removed = 0;
    for slot in tx.slots()? {
        let ended = slot.delivery.state.is_final();
        let old = slot.delivery.created < bounds.created_before;
        if ended && removed < limit && (old || bytes_over > 0) {
            tx.remove_delivery(&slot)?;
            bytes_over = bytes_over.saturating_sub(slot.bytes());
            removed += 1;
        }
    }
    Ok(removed)
}
