//! The delivery log.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    AttemptRecord, Delivery, DeliveryId, DeliveryLog, DeliveryQuery, DeliveryState, EXPIRED_INFO,
    PurgeBounds, QueueStats, Replay,
};
use gatepost_storage::{Order, Page, StoreError};
use redb::ReadableTable as _;
use webhook_model::Activity;

use super::codec;
use super::codec::micros;
use super::delivery::{Slot, attempts, decode, slot, to_micros};
use super::error::{Answer, failed};
use super::redb_store::RedbStore;
use super::tables::{ATTEMPTS, DELIVERIES, OUTBOX, SEEN, Tx, WEBHOOKS, page};

#[async_trait]
impl DeliveryLog for RedbStore {
    async fn delivery(&self, id: DeliveryId) -> Answer<Option<Delivery>> {
        self.read(move |tx, _| {
            let rows = tx.open_table(DELIVERIES).map_err(failed)?;
            Ok(slot(&rows, id.0)?.map(|slot| slot.delivery))
        })
        .await
    }

    async fn list_deliveries(&self, query: &DeliveryQuery) -> Answer<Vec<Delivery>> {
        let query = query.clone();
        self.read(move |tx, _| {
            let rows = tx.open_table(DELIVERIES).map_err(failed)?;
            let p = &query.page;
            let p = Page {
                after: p.after.map(|id| id.0),
                order: p.order,
                limit: p.limit,
            };
            let wanted = |row: &serde_json::Value| {
                let d = decode(0, row)?.delivery;
                Ok(query.webhook.is_none_or(|w| d.webhook == w)
                    && query.task.is_none_or(|t| d.task == Some(t))
                    && (query.states.is_empty() || query.states.contains(&d.state))
                    && query.created_from.is_none_or(|t| d.created >= t)
                    && query.created_before.is_none_or(|t| d.created < t))
            };
            page(&rows, &p, wanted, |id, row| Ok(decode(id, &row)?.delivery))
        })
        .await
    }

    async fn attempts(&self, id: DeliveryId) -> Answer<Vec<AttemptRecord>> {
        self.read(move |tx, _| attempts(&tx.open_table(ATTEMPTS).map_err(failed)?, id))
            .await
    }

    async fn delete_delivery(&self, id: DeliveryId, _now: DateTime<Utc>) -> Answer<()> {
        self.write(move |tx| {
            let slot = tx
                .slot(id)?
                .ok_or_else(|| StoreError::not_found("delivery"))?;
            tx.remove_delivery(&slot)
        })
        .await
    }

    async fn replay(&self, which: &Replay, limit: u32, now: DateTime<Utc>) -> Answer<u64> {
        let which = which.clone();
        let wanted = move |d: &Delivery| match &which {
            Replay::Ids(ids) => d.state.is_final() && ids.contains(&d.id),
            Replay::Failed {
                webhook,
                from,
                before,
            } => {
                d.state == DeliveryState::Error
                    && d.webhook == *webhook
                    && (*from..*before).contains(&d.created)
            }
        };
        self.change(limit, wanted, move |slot| {
            slot.settled = None;
            let delivery = &mut slot.delivery;
            delivery.state = DeliveryState::Queued;
            delivery.due = to_micros(now);
            delivery.attempts = 0;
            delivery.lost_claims = 0;
            delivery.status_info.clear();
        })
        .await
    }

    async fn cancel(&self, ids: &[DeliveryId], reason: &str, _now: DateTime<Utc>) -> Answer<u64> {
        let (ids, reason) = (ids.to_vec(), reason.to_owned());
        let wanted = move |d: &Delivery| d.state == DeliveryState::Queued && ids.contains(&d.id);
        self.change(u32::MAX, wanted, move |slot| end(slot, &reason))
            .await
    }

    async fn expire_held(
        &self,
        created_before: DateTime<Utc>,
        limit: u32,
        _now: DateTime<Utc>,
    ) -> Answer<u64> {
        let active = self.write(active).await?;
        let wanted = move |d: &Delivery| {
            d.state == DeliveryState::Queued
                && d.created < created_before
                && !active.contains(&d.webhook.0)
        };
        self.change(limit, wanted, |slot| end(slot, EXPIRED_INFO))
            .await
    }

    async fn purge(&self, keep: &PurgeBounds, limit: u32, _now: DateTime<Utc>) -> Answer<u64> {
        let keep = *keep;
        self.write(move |tx| {
            let mut newer: HashMap<i64, u32> = HashMap::new();
            let mut old = Vec::new();
            let newest_first = Page {
                order: Order::Descending,
                ..Page::first(u32::MAX)
            };
            for slot in page(
                &tx.open(DELIVERIES)?,
                &newest_first,
                |_| Ok(true),
                |id, row| decode(id, &row),
            )? {
                if !slot.delivery.state.is_final() {
                    continue;
                }
                let rank = newer.entry(slot.delivery.webhook.0).or_default();
                *rank += 1;
                if slot.delivery.created < keep.created_before || *rank > keep.newest_per_webhook {
                    old.push(slot);
                }
            }
            let old = old.iter().rev().take(limit as usize);
            let mut removed = 0;
            for slot in old {
                tx.remove_delivery(slot)?;
                removed += 1;
            }
            let mut forgotten = Vec::new();
            let mut seen = tx.open(SEEN)?;
            for entry in seen.iter().map_err(failed)? {
                let (id, stored) = entry.map_err(failed)?;
                if stored.value() < micros(keep.occurrences_before)
                    && removed + forgotten.len() < limit as usize
                {
                    forgotten.push(id.value().to_owned());
                }
            }
            for id in &forgotten {
                seen.remove(id.as_str()).map_err(failed)?;
            }
            Ok((removed + forgotten.len()) as u64)
        })
        .await
    }

    async fn queue_stats(&self, _now: DateTime<Utc>) -> Answer<QueueStats> {
        self.write(|tx| {
            let active = active(tx)?;
            let mut stats = QueueStats::default();
            for (_, row) in tx.rows(OUTBOX)? {
                stats.outbox += u64::from(row["rejected"].is_null());
            }
            for (id, row) in tx.rows(DELIVERIES)? {
                let delivery = decode(id, &row)?.delivery;
                match delivery.state {
                    DeliveryState::Running => stats.running += 1,
                    DeliveryState::Queued => {
                        stats.queued += 1;
                        if active.contains(&delivery.webhook.0) {
                            let oldest = stats
                                .oldest_due
                                .map_or(delivery.due, |due| due.min(delivery.due));
                            stats.oldest_due = Some(oldest);
                        }
                    }
                    DeliveryState::Sent | DeliveryState::Error => {}
                }
            }
            Ok(stats)
        })
        .await
    }
}

impl RedbStore {
    /// Changes the wanted deliveries, oldest first, at most `limit` of them.
    async fn change(
        &self,
        limit: u32,
        wanted: impl Fn(&Delivery) -> bool + Send + 'static,
        act: impl Fn(&mut Slot) + Send + 'static,
    ) -> Answer<u64> {
        self.write(move |tx| {
            let mut changed = 0;
            for (id, row) in tx.rows(DELIVERIES)? {
                let old = decode(id, &row)?;
                if changed < u64::from(limit) && wanted(&old.delivery) {
                    let mut new = old.clone();
                    act(&mut new);
                    tx.replace(&old, &new)?;
                    changed += 1;
                }
            }
            Ok(changed)
        })
        .await
    }
}

/// The webhooks that are active.
fn active(tx: &Tx) -> Answer<Vec<i64>> {
    let mut active = Vec::new();
    for (id, row) in tx.rows(WEBHOOKS)? {
        if codec::webhook(id, &row, &tx.sealing)?.value.activity == Activity::Active {
            active.push(id);
        }
    }
    Ok(active)
}

fn end(slot: &mut Slot, reason: &str) {
    slot.delivery.state = DeliveryState::Error;
    reason.clone_into(&mut slot.delivery.status_info);
}
