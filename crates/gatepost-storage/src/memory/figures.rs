//! The queue in figures.

use chrono::{DateTime, Utc};

use super::rows::micros;
use super::store::Tables;
use crate::webhooks::{DeliveryId, QueueStats};

impl Tables {
    /// Counts what has not ended, and keeps the figures.
    pub(super) fn count_queue(&mut self, now: DateTime<Utc>) -> QueueStats {
        let is_there = |id: DeliveryId| self.deliveries.get(id).is_some();
        let work = &self.deliveries.work;
        let running = work.leases.iter().filter(|(_, id)| is_there(*id)).count();
        let mut stats = QueueStats {
            counted: micros(now),
            queued: 0,
            running: running as u64,
            oldest_due: None,
            outbox: self.outbox.len(),
        };
        for (lane, due, _) in work.waiting().filter(|(_, _, id)| is_there(*id)) {
            stats.queued += 1;
            if self.sending(lane.webhook).is_some() {
                stats.oldest_due = Some(stats.oldest_due.map_or(due, |oldest| oldest.min(due)));
            }
        }
        self.figures = Some(stats);
        stats
    }
}
