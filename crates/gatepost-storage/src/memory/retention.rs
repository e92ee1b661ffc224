//! What retention removes.

use chrono::{DateTime, Utc};

use super::delivery_table::Deliveries;
use super::store::Tables;
use crate::webhooks::{DeliveryId, PurgeBounds, Purged};

impl Tables {
    /// Removes at most `limit` rows of each kind.
    pub(super) fn purge(&mut self, bounds: &PurgeBounds, limit: usize) -> Purged {
        let deliveries = &mut self.deliveries;
        let removed = [
            deliveries.purge_older(bounds.created_before, limit),
            deliveries.purge_bytes(bounds.bytes.unwrap_or(u64::MAX), limit),
            deliveries.seen.forget(bounds.occurrences_before, limit),
            self.usage.dropped.forget(bounds.created_before, limit),
            self.usage.counts.forget(bounds.counts_before, limit),
        ];
        Purged {
            rows: removed.iter().sum::<usize>() as u64,
            more: removed.contains(&limit),
        }
    }
}

impl Deliveries {
    fn purge_older(&mut self, created_before: DateTime<Utc>, limit: usize) -> usize {
        let old = self.ended.oldest();
        let old = old.take_while(|(created, _)| *created < created_before);
        let old: Vec<_> = old.map(|(_, id)| id).take(limit).collect();
        self.remove_all(&old)
    }

    /// Removes the oldest until the log has no more than these bytes.
    fn purge_bytes(&mut self, bytes: u64, limit: usize) -> usize {
        let mut removed = 0;
        while removed < limit && self.ended.log_bytes() > bytes {
            let Some(oldest) = self.ended.oldest().map(|(_, id)| id).next() else {
                break;
            };
            self.remove(oldest);
            removed += 1;
        }
        removed
    }

    fn remove_all(&mut self, ids: &[DeliveryId]) -> usize {
        for id in ids {
            self.remove(*id);
        }
        ids.len()
    }
}
