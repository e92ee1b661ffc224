//! The tables behind the four webhook traits, and the indexes that find work.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Bound::{Excluded, Unbounded};

use chrono::{DateTime, Utc};
use webhook_model::{
    Activity, DeliveryOrder, Event, EventId, Occurrence, OccurrenceId, TaskId, Webhook, WebhookId,
};

use super::rows::Counter;
use crate::page::Row;
use crate::webhooks::{
    AttemptRecord, ClaimToken, Delivery, DeliveryId, DeliveryState, Lane, LaneClass, MessageId,
    OutboxId, RoutesVersion, TaskRow,
};

/// A delivery with what only the store knows of it.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) delivery: Delivery,
    /// Counts claims; the valid token while `running`.
    pub(super) claims: i64,
    /// The token under which it was last settled.
    pub(super) settled: Option<ClaimToken>,
    pub(super) log: Vec<AttemptRecord>,
}

impl Slot {
    pub(super) fn token(&self) -> ClaimToken {
        ClaimToken(self.claims)
    }

    pub(super) fn lane(&self) -> Lane {
        let class = if self.delivery.attempts == 0 {
            LaneClass::First
        } else {
            LaneClass::Retry
        };
        Lane {
            webhook: self.delivery.webhook,
            class,
        }
    }
}

/// An occurrence that waits, or was set aside for a reason.
#[derive(Debug)]
pub(super) struct OutboxEntry {
    pub(super) occurrence: Occurrence,
    pub(super) rejected: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) webhook_ids: Counter,
    pub(super) task_ids: Counter,
    pub(super) event_ids: Counter,
    pub(super) delivery_ids: Counter,
    pub(super) outbox_ids: Counter,
    version: i64,
    pub(super) webhooks: BTreeMap<WebhookId, Row<WebhookId, Webhook>>,
    pub(super) tasks: BTreeMap<TaskId, TaskRow>,
    pub(super) events: BTreeMap<EventId, Row<EventId, Event>>,
    deliveries: BTreeMap<DeliveryId, Slot>,
    message_ids: HashSet<MessageId>,
    /// Waiting deliveries, by lane and due time.
    waiting: BTreeSet<(Lane, DateTime<Utc>, DeliveryId)>,
    /// Running deliveries, by the end of their lease.
    pub(super) leases: BTreeSet<(DateTime<Utc>, DeliveryId)>,
    /// How many deliveries of a webhook are running; no entry for none.
    running: HashMap<WebhookId, usize>,
    /// Deliveries that have not ended, by webhook and age.
    open: BTreeSet<(WebhookId, DeliveryId)>,
    pub(super) seen: HashMap<OccurrenceId, DateTime<Utc>>,
    pub(super) outbox: BTreeMap<OutboxId, OutboxEntry>,
}

impl Tables {
    pub(super) fn version(&self) -> RoutesVersion {
        RoutesVersion(self.version)
    }

    /// A webhook, task or event was changed.
    pub(super) fn routes_changed(&mut self) {
        self.version += 1;
    }

    pub(super) fn delete_task(&mut self, id: TaskId) -> Option<TaskRow> {
        let row = self.tasks.remove(&id)?;
        self.events.retain(|_, event| event.value.task != id);
        self.routes_changed();
        Some(row)
    }

    pub(super) fn deliveries(&self) -> &BTreeMap<DeliveryId, Slot> {
        &self.deliveries
    }

    pub(super) fn has_message(&self, id: &MessageId) -> bool {
        self.message_ids.contains(id)
    }

    pub(super) fn insert_delivery(&mut self, slot: Slot) {
        self.message_ids.insert(slot.delivery.message_id.clone());
        self.index(&slot);
        self.deliveries.insert(slot.delivery.id, slot);
    }

    pub(super) fn remove_delivery(&mut self, id: DeliveryId) -> Option<Slot> {
        let slot = self.deliveries.remove(&id)?;
        self.message_ids.remove(&slot.delivery.message_id);
        self.unindex(&slot);
        Some(slot)
    }

    /// Changes a delivery and keeps the indexes in step with it.
    pub(super) fn change_delivery<R>(
        &mut self,
        id: DeliveryId,
        change: impl FnOnce(&mut Slot) -> R,
    ) -> Option<R> {
        let mut slot = self.deliveries.remove(&id)?;
        self.unindex(&slot);
        let answer = change(&mut slot);
        self.index(&slot);
        self.deliveries.insert(id, slot);
        Some(answer)
    }

    /// At most `limit` waiting deliveries of a lane that may be claimed now, oldest due first.
    pub(super) fn claimable(&self, lane: Lane, limit: u32, now: DateTime<Utc>) -> Vec<DeliveryId> {
        let Some(webhook) = self.webhooks.get(&lane.webhook) else {
            return Vec::new();
        };
        if webhook.value.activity != Activity::Active {
            return Vec::new();
        }
        if webhook.value.order == DeliveryOrder::InOrder {
            if self.running.contains_key(&lane.webhook) {
                return Vec::new();
            }
            let head = self
                .open
                .range((lane.webhook, DeliveryId(i64::MIN))..)
                .next()
                .filter(|(w, _)| *w == lane.webhook);
            let claimable = |s: &&Slot| {
                s.delivery.state == DeliveryState::Queued
                    && s.delivery.due <= now
                    && s.lane() == lane
            };
            let slot = head
                .and_then(|(_, id)| self.deliveries.get(id))
                .filter(claimable);
            return slot
                .map(|s| s.delivery.id)
                .into_iter()
                .take(limit as usize)
                .collect();
        }
        let due = self
            .lane_from(lane, DateTime::<Utc>::MIN_UTC)
            .take_while(|(due, _)| *due <= now);
        due.map(|(_, id)| id).take(limit as usize).collect()
    }

    /// The lanes in which something waits, due or not.
    pub(super) fn lanes(&self) -> Vec<Lane> {
        let last_of = |lane| (lane, DateTime::<Utc>::MAX_UTC, DeliveryId(i64::MAX));
        let first = self.waiting.first().map(|(lane, _, _)| *lane);
        let next = |lane: &Lane| {
            self.waiting
                .range((Excluded(last_of(*lane)), Unbounded))
                .next()
                .map(|(lane, _, _)| *lane)
        };
        std::iter::successors(first, next).collect()
    }

    /// What waits in a lane from a due time on.
    pub(super) fn lane_from(
        &self,
        lane: Lane,
        due: DateTime<Utc>,
    ) -> impl Iterator<Item = (DateTime<Utc>, DeliveryId)> {
        let from = (lane, due, DeliveryId(i64::MIN));
        self.waiting
            .range(from..)
            .take_while(move |(l, _, _)| *l == lane)
            .map(|(_, due, id)| (*due, *id))
    }

    fn index(&mut self, slot: &Slot) {
        let d = &slot.delivery;
        match d.state {
            DeliveryState::Queued => {
                self.waiting.insert((slot.lane(), d.due, d.id));
            }
            DeliveryState::Running => {
                *self.running.entry(d.webhook).or_default() += 1;
                self.leases.insert((d.lease_until.unwrap_or(d.due), d.id));
            }
            DeliveryState::Sent | DeliveryState::Error => return,
        }
        self.open.insert((d.webhook, d.id));
    }

    fn unindex(&mut self, slot: &Slot) {
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
        self.leases.remove(&(d.lease_until.unwrap_or(d.due), d.id));
        self.open.remove(&(d.webhook, d.id));
    }
}
