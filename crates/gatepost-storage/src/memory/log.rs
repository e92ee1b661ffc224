//! The delivery log in memory.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use webhook_model::{Activity, WebhookId};

use super::rows::micros;
use super::store::{MemoryStore, lock};
use super::tables::Slot;
use crate::error::StoreError;
use crate::page::Order;
use crate::webhooks::{
    AttemptRecord, Delivery, DeliveryId, DeliveryLog, DeliveryQuery, DeliveryState, EXPIRED_INFO,
    PurgeBounds, QueueStats, Replay,
};

#[async_trait]
impl DeliveryLog for MemoryStore {
    async fn delivery(&self, id: DeliveryId) -> Result<Option<Delivery>, StoreError> {
        Ok(lock(&self.tables)
            .deliveries()
            .get(&id)
            .map(|slot| slot.delivery.clone()))
    }

    async fn list_deliveries(&self, query: &DeliveryQuery) -> Result<Vec<Delivery>, StoreError> {
        let tables = lock(&self.tables);
        let (page, limit) = (&query.page, query.page.limit as usize);
        let beyond = |id: DeliveryId| match page.order {
            Order::Ascending => page.after.is_none_or(|a| id > a),
            Order::Descending => page.after.is_none_or(|a| id < a),
        };
        let rows = tables
            .deliveries()
            .values()
            .map(|s| &s.delivery)
            .filter(|d| beyond(d.id) && matches(query, d));
        Ok(match page.order {
            Order::Ascending => rows.take(limit).cloned().collect(),
            Order::Descending => rows.rev().take(limit).cloned().collect(),
        })
    }

    async fn attempts(&self, id: DeliveryId) -> Result<Vec<AttemptRecord>, StoreError> {
        Ok(lock(&self.tables)
            .deliveries()
            .get(&id)
            .map(|slot| slot.log.clone())
            .unwrap_or_default())
    }

    async fn delete_delivery(&self, id: DeliveryId, _now: DateTime<Utc>) -> Result<(), StoreError> {
        lock(&self.tables)
            .remove_delivery(id)
            .map(drop)
            .ok_or_else(|| StoreError::not_found("delivery"))
    }

    async fn replay(
        &self,
        which: &Replay,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<u64, StoreError> {
        let mut tables = lock(&self.tables);
        let wanted = |d: &Delivery| match which {
            Replay::Ids(ids) => d.state.is_final() && ids.contains(&d.id),
            Replay::Failed {
                webhook,
                from,
                before,
            } => {
                d.state == DeliveryState::Error
                    && d.webhook == *webhook
                    && d.created >= *from
                    && d.created < *before
            }
        };
        let ids = pick(tables.deliveries().values(), limit, wanted);
        for id in &ids {
            tables.change_delivery(*id, |slot| {
                slot.settled = None;
                slot.delivery.state = DeliveryState::Queued;
                slot.delivery.due = micros(now);
                slot.delivery.attempts = 0;
                slot.delivery.lost_claims = 0;
                slot.delivery.status_info.clear();
            });
        }
        Ok(ids.len() as u64)
    }

    async fn cancel(
        &self,
        ids: &[DeliveryId],
        reason: &str,
        _now: DateTime<Utc>,
    ) -> Result<u64, StoreError> {
        let mut tables = lock(&self.tables);
        let ids = pick(tables.deliveries().values(), u32::MAX, |d| {
            d.state == DeliveryState::Queued && ids.contains(&d.id)
        });
        for id in &ids {
            tables.change_delivery(*id, |slot| end(slot, reason));
        }
        Ok(ids.len() as u64)
    }

    async fn expire_held(
        &self,
        created_before: DateTime<Utc>,
        limit: u32,
        _now: DateTime<Utc>,
    ) -> Result<u64, StoreError> {
        let mut tables = lock(&self.tables);
        let held = |w: &WebhookId| {
            tables
                .webhooks
                .get(w)
                .is_some_and(|w| w.value.activity != Activity::Active)
        };
        let ids = pick(tables.deliveries().values(), limit, |d| {
            d.state == DeliveryState::Queued && d.created < created_before && held(&d.webhook)
        });
        for id in &ids {
            tables.change_delivery(*id, |slot| end(slot, EXPIRED_INFO));
        }
        Ok(ids.len() as u64)
    }

    async fn purge(
        &self,
        bounds: &PurgeBounds,
        limit: u32,
        _now: DateTime<Utc>,
    ) -> Result<u64, StoreError> {
        let mut tables = lock(&self.tables);
        let mut newer: HashMap<WebhookId, u32> = HashMap::new();
        let mut ids = Vec::new();
        for slot in tables
            .deliveries()
            .values()
            .rev()
            .filter(|s| s.delivery.state.is_final())
        {
            let rank = newer.entry(slot.delivery.webhook).or_default();
            *rank += 1;
            if slot.delivery.created < bounds.created_before || *rank > bounds.newest_per_webhook {
                ids.push(slot.delivery.id);
            }
        }
        ids.reverse();
        ids.truncate(limit as usize);
        for id in &ids {
            tables.remove_delivery(*id);
        }
        let room = (limit as usize).saturating_sub(ids.len());
        let old: Vec<_> = tables
            .seen
            .iter()
            .filter(|(_, at)| **at < bounds.occurrences_before)
            .take(room)
            .map(|(id, _)| id.clone())
            .collect();
        for id in &old {
            tables.seen.remove(id);
        }
        Ok((ids.len() + old.len()) as u64)
    }

    async fn queue_stats(&self, _now: DateTime<Utc>) -> Result<QueueStats, StoreError> {
        let tables = lock(&self.tables);
        let mut stats = QueueStats {
            outbox: tables
                .outbox
                .values()
                .filter(|e| e.rejected.is_none())
                .count() as u64,
            ..QueueStats::default()
        };
        for delivery in tables.deliveries().values().map(|s| &s.delivery) {
            match delivery.state {
                DeliveryState::Running => stats.running += 1,
                DeliveryState::Queued => {
                    stats.queued += 1;
                    let active = tables
                        .webhooks
                        .get(&delivery.webhook)
                        .is_some_and(|w| w.value.activity == Activity::Active);
                    if active {
                        stats.oldest_due = Some(
                            stats
                                .oldest_due
                                .map_or(delivery.due, |oldest| oldest.min(delivery.due)),
                        );
                    }
                }
                DeliveryState::Sent | DeliveryState::Error => {}
            }
        }
        Ok(stats)
    }
}

fn pick<'a>(
    slots: impl Iterator<Item = &'a Slot>,
    limit: u32,
    wanted: impl Fn(&Delivery) -> bool,
) -> Vec<DeliveryId> {
    slots
        .map(|s| &s.delivery)
        .filter(|d| wanted(d))
        .take(limit as usize)
        .map(|d| d.id)
        .collect()
}

fn end(slot: &mut Slot, reason: &str) {
    slot.delivery.state = DeliveryState::Error;
    reason.clone_into(&mut slot.delivery.status_info);
}

fn matches(query: &DeliveryQuery, d: &Delivery) -> bool {
    query.webhook.is_none_or(|w| d.webhook == w)
        && query.task.is_none_or(|t| d.task == Some(t))
        && (query.states.is_empty() || query.states.contains(&d.state))
        && query.created_from.is_none_or(|t| d.created >= t)
        && query.created_before.is_none_or(|t| d.created < t)
}
