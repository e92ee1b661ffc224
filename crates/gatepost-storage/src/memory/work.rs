//! The indexes that find what is to be sent.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound::{Excluded, Unbounded};

use chrono::{DateTime, Utc};
use webhook_model::WebhookId;

use super::rows::Groups;
use super::slot::Slot;
use crate::webhooks::{DeliveryId, DeliveryState, DuePoint, Lane};

#[derive(Debug, Default)]
pub(super) struct Work {
    /// Waiting deliveries, by lane and due time.
    waiting: BTreeSet<(Lane, DateTime<Utc>, DeliveryId)>,
    /// The same, by due time.
    by_due: BTreeMap<DuePoint, Lane>,
    /// Running deliveries, by the end of their lease.
    pub(super) leases: BTreeSet<(DateTime<Utc>, DeliveryId)>,
    /// How many deliveries of a webhook are running; no entry for none.
    running: HashMap<WebhookId, usize>,
    /// Deliveries that have not ended.
    pub(super) open: Groups<WebhookId, DeliveryId>,
}

impl Work {
    pub(super) fn is_running(&self, webhook: WebhookId) -> bool {
        self.running.contains_key(&webhook)
    }

    /// What has not ended of a webhook, oldest first.
    pub(super) fn open(&self, webhook: WebhookId) -> impl Iterator<Item = DeliveryId> {
        self.open.of(webhook)
    }

    /// The lanes in which something waits, due or not, beyond one of them.
    pub(super) fn lanes(&self, after: Option<Lane>) -> impl Iterator<Item = Lane> {
        let last_of = |lane| (lane, DateTime::<Utc>::MAX_UTC, DeliveryId(i64::MAX));
        let next = move |lane: &Lane| {
            let mut beyond = self.waiting.range((Excluded(last_of(*lane)), Unbounded));
            beyond.next().map(|(lane, _, _)| *lane)
        };
        let first = after.map_or_else(
            || self.waiting.first().map(|(lane, _, _)| *lane),
            |after| next(&after),
        );
        std::iter::successors(first, next)
    }

    /// What waits beyond a point, by due time.
    pub(super) fn due_after(&self, after: DuePoint) -> impl Iterator<Item = (DuePoint, Lane)> {
        let beyond = self.by_due.range((Excluded(after), Unbounded));
        beyond.map(|(point, lane)| (*point, *lane))
    }

    /// All that waits.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (Lane, DateTime<Utc>, DeliveryId)> {
        self.waiting.iter().copied()
    }

    /// What waits in a lane, oldest due first.
    pub(super) fn lane(&self, lane: Lane) -> impl Iterator<Item = (DateTime<Utc>, DeliveryId)> {
        let first = (lane, DateTime::<Utc>::MIN_UTC, DeliveryId(i64::MIN));
        let waiting = self.waiting.range(first..);
        let own = waiting.take_while(move |(of, _, _)| *of == lane);
        own.map(|(_, due, id)| (*due, *id))
    }

    pub(super) fn add(&mut self, slot: &Slot) {
        let d = &slot.delivery;
        match d.state {
            DeliveryState::Queued => {
                self.waiting.insert((slot.lane(), d.due, d.id));
                self.by_due.insert(point(slot), slot.lane());
            }
            DeliveryState::Running => {
                *self.running.entry(d.webhook).or_default() += 1;
                self.leases.insert((d.lease_until.unwrap_or(d.due), d.id));
            }
            DeliveryState::Sent | DeliveryState::Error => return,
        }
        self.open.add(d.webhook, d.id);
    }

    pub(super) fn remove(&mut self, slot: &Slot) {
        let d = &slot.delivery;
        if d.state == DeliveryState::Running
            && let Some(running) = self.running.get_mut(&d.webhook)
        {
            *running -= 1;
            if *running == 0 {
                self.running.remove(&d.webhook);
            }
        }
        self.waiting.remove(&(slot.lane(), d.due, d.id));
        self.by_due.remove(&point(slot));
        self.leases.remove(&(d.lease_until.unwrap_or(d.due), d.id));
        self.open.remove(d.webhook, d.id);
    }
}

fn point(slot: &Slot) -> DuePoint {
    DuePoint {
        due: slot.delivery.due,
        delivery: slot.delivery.id,
    }
}
