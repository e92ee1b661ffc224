//! Which lanes have something to send.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::store::Tables;
use crate::webhooks::{DeliveryId, DuePoint, FoundQueues, Lane, LaneClass, Queues};

const CLASSES: [LaneClass; 3] = [LaneClass::First, LaneClass::Retry, LaneClass::Alone];

impl Tables {
    pub(super) fn queues(&self, which: Queues, limit: usize, now: DateTime<Utc>) -> FoundQueues {
        let work = &self.deliveries.work;
        let (lanes, more): (BTreeSet<Lane>, _) = match which {
            Queues::Due(after) => {
                let became_due = work.due_after(after);
                let became_due = became_due.take_while(|(point, _)| point.due <= now);
                let looked_at: Vec<(DuePoint, Lane)> = became_due.take(limit).collect();
                let last = looked_at.last().filter(|_| looked_at.len() == limit);
                let more = last.map(|(point, _)| Queues::Due(*point));
                (looked_at.into_iter().map(|(_, lane)| lane).collect(), more)
            }
            Queues::Of(webhooks) => {
                let webhooks = webhooks.into_iter();
                let lanes =
                    webhooks.flat_map(|webhook| CLASSES.map(|class| Lane { webhook, class }));
                (lanes.collect(), None)
            }
            Queues::Beyond(after) => {
                let mut lanes = work.lanes(after);
                let looked_at: BTreeSet<Lane> = lanes.by_ref().take(limit).collect();
                let last = lanes.next().and(looked_at.last().copied());
                (looked_at, last.map(|last| Queues::Beyond(Some(last))))
            }
        };
        let later = DuePoint {
            due: now,
            delivery: DeliveryId(i64::MAX),
        };
        let due = lanes.into_iter();
        FoundQueues {
            due: due.filter_map(|lane| self.due_lane(lane, now)).collect(),
            more,
            next_due: work.due_after(later).next().map(|(point, _)| point.due),
        }
    }
}
