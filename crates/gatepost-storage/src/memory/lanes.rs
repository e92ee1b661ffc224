//! Which lanes have something to send.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use webhook_model::WebhookId;

use super::store::Tables;
use crate::webhooks::{DueLane, DueLanes, DuePoint, Lane, LaneClass, LaneSweep};

const CLASSES: [LaneClass; 3] = [LaneClass::First, LaneClass::Retry, LaneClass::Alone];

impl Tables {
    pub(super) fn due_lanes(
        &self,
        after: DuePoint,
        until: DateTime<Utc>,
        limit: usize,
    ) -> DueLanes {
        let became_due = self.deliveries.work.due_after(after);
        let became_due = became_due.take_while(|(point, _)| point.due <= until);
        let looked_at: Vec<(DuePoint, Lane)> = became_due.take(limit).collect();
        let last = looked_at.last().map(|(point, _)| *point);
        let lanes: BTreeSet<Lane> = looked_at.iter().map(|(_, lane)| *lane).collect();
        let due = lanes.into_iter();
        DueLanes {
            lanes: due.filter_map(|lane| self.due_lane(lane, until)).collect(),
            more: last.filter(|_| looked_at.len() == limit),
        }
    }

    pub(super) fn lanes_of(&self, webhooks: &[WebhookId], now: DateTime<Utc>) -> Vec<DueLane> {
        let webhooks: BTreeSet<WebhookId> = webhooks.iter().copied().collect();
        let lanes = webhooks
            .into_iter()
            .flat_map(|webhook| CLASSES.map(|class| Lane { webhook, class }));
        lanes.filter_map(|lane| self.due_lane(lane, now)).collect()
    }

    pub(super) fn sweep_lanes(
        &self,
        after: Option<Lane>,
        limit: usize,
        now: DateTime<Utc>,
    ) -> LaneSweep {
        let mut lanes = self.deliveries.work.lanes(after);
        let looked_at: Vec<Lane> = lanes.by_ref().take(limit).collect();
        let beyond = lanes.next();
        let due = looked_at.iter();
        LaneSweep {
            due: due.filter_map(|lane| self.due_lane(*lane, now)).collect(),
            next: beyond.and(looked_at.last().copied()),
        }
    }
}
