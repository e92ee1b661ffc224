//! The delivery log.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::columns::activity_word;
use gatepost_storage::webhooks::{
    AttemptRecord, Delivery, DeliveryId, DeliveryLog, DeliveryQuery, DeliveryState, DropReason,
    Dropped, EXPIRED_INFO, LogUsage, PurgeBounds, QueueStats, Replay, UsageDelta,
};
use gatepost_storage::{Page, Scope, StoreError};
use redb::ReadableTable;
use serde_json::json;
use webhook_model::{Activity, WebhookId};

use super::codec::{Fields, corrupt, micros};
use super::delivery::{Slot, attempts, decode, is_gone, slot, to_micros};
use super::error::{Answer, failed};
use super::owner_rows::{Owner, in_scope};
use super::redb_store::RedbStore;
use super::tables::{
    ATTEMPTS, DELIVERIES, DROPPED, GONE, OUTBOX, OWNERS, SEEN, Tx, USAGE, WEBHOOKS, page, row,
};

#[async_trait]
impl DeliveryLog for RedbStore {
    async fn delivery(&self, id: DeliveryId) -> Answer<Option<Delivery>> {
        self.read(move |tx, _| {
            let rows = tx.open_table(DELIVERIES).map_err(failed)?;
            let gone = tx.open_table(GONE).map_err(failed)?;
            Ok(match slot(&rows, id.0)? {
                Some(slot) if !is_gone(&gone, &slot)? => Some(slot.delivery),
                _ => None,
            })
        })
        .await
    }

    async fn list_deliveries(&self, query: &DeliveryQuery) -> Answer<Vec<Delivery>> {
        let query = query.clone();
        self.read(move |tx, _| {
            let rows = tx.open_table(DELIVERIES).map_err(failed)?;
            let gone = tx.open_table(GONE).map_err(failed)?;
            let p = &query.page;
            let p = Page {
                after: p.after.map(|id| id.0),
                order: p.order,
                limit: p.limit,
            };
            let wanted = |row: &serde_json::Value| {
                let slot = decode(0, row)?;
                let there = !is_gone(&gone, &slot)?;
                let d = slot.delivery;
                let in_scope = match query.scope {
                    Scope::All => true,
                    Scope::Owner(owner) => d.owner == owner,
                    Scope::Tenant(tenant) => d.tenant == Some(tenant),
                };
                Ok(there
                    && in_scope
                    && query.webhook.is_none_or(|w| d.webhook == w)
                    && query.task.is_none_or(|t| d.task == Some(t))
                    && (query.states.is_empty() || query.states.contains(&d.state))
                    && query.created_from.is_none_or(|t| d.created >= t)
                    && query.created_before.is_none_or(|t| d.created < t))
            };
            page(&rows, &p, wanted, |id, row| {
                Ok(Some(decode(id, &row)?.delivery))
            })
        })
        .await
    }

    async fn attempts(&self, id: DeliveryId) -> Answer<Vec<AttemptRecord>> {
        if self.delivery(id).await?.is_none() {
            return Ok(Vec::new());
        }
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
            _ if !d.message_kept => false,
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
            slot.alone = false;
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
        let held = self.write(held).await?;
        let wanted = move |d: &Delivery| {
            d.state == DeliveryState::Queued
                && d.created < created_before
                && held.contains(&d.webhook.0)
        };
        self.change(limit, wanted, |slot| end(slot, EXPIRED_INFO))
            .await
    }

    async fn purge(&self, keep: &PurgeBounds, limit: u32, _now: DateTime<Utc>) -> Answer<u64> {
        let keep = *keep;
        self.write(move |tx| {
            let mut newer: HashMap<i64, u32> = HashMap::new();
            let mut old = Vec::new();
            for slot in tx.slots()?.into_iter().rev() {
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
            let mut dropped = Vec::new();
            let mut counted = tx.open(DROPPED)?;
            for entry in counted.iter().map_err(failed)? {
                let (key, _) = entry.map_err(failed)?;
                let (webhook, minute, reason) = key.value();
                if minute < micros(keep.created_before)
                    && removed + forgotten.len() + dropped.len() < limit as usize
                {
                    dropped.push((webhook, minute, reason.to_owned()));
                }
            }
            for (webhook, minute, reason) in &dropped {
                let key = (*webhook, *minute, reason.as_str());
                counted.remove(key).map_err(failed)?;
            }
            Ok((removed + forgotten.len() + dropped.len()) as u64)
        })
        .await
    }

    async fn add_usage(&self, deltas: &[UsageDelta]) -> Answer<()> {
        let deltas = deltas.to_vec();
        self.write(move |tx| {
            for delta in deltas {
                if tx.owner(delta.owner)?.gone {
                    continue;
                }
                let mut usage = usage(&tx.open(USAGE)?, delta.owner)?;
                usage.waiting = usage.waiting.saturating_add_signed(delta.waiting);
                usage.waiting_bytes = usage
                    .waiting_bytes
                    .saturating_add_signed(delta.waiting_bytes);
                usage.log_bytes = usage.log_bytes.saturating_add_signed(delta.log_bytes);
                set_usage(tx, delta.owner, usage)?;
            }
            Ok(())
        })
        .await
    }

    async fn log_usage(&self, owners: &[OwnerId]) -> Answer<Vec<LogUsage>> {
        let owners = owners.to_vec();
        self.read(move |tx, _| {
            let rows = tx.open_table(USAGE).map_err(failed)?;
            owners.iter().map(|owner| usage(&rows, *owner)).collect()
        })
        .await
    }

    async fn recount_usage(&self, owner: OwnerId) -> Answer<LogUsage> {
        self.write(move |tx| {
            let mut usage = LogUsage::default();
            let log = tx.open(ATTEMPTS)?;
            for slot in tx.slots()? {
                let delivery = &slot.delivery;
                if delivery.owner != owner {
                    continue;
                }
                let body = delivery.body.len() as u64;
                if !delivery.state.is_final() {
                    usage.waiting += 1;
                    usage.waiting_bytes += body;
                }
                let responses = attempts(&log, delivery.id)?;
                let responses = responses.iter();
                let responses = responses.map(|a| a.response_head.len() + a.response_body.len());
                usage.log_bytes += body + responses.sum::<usize>() as u64;
            }
            if !tx.owner(owner)?.gone {
                set_usage(tx, owner, usage)?;
            }
            Ok(usage)
        })
        .await
    }

    async fn count_dropped(&self, dropped: &[Dropped]) -> Answer<()> {
        let dropped = dropped.to_vec();
        self.write(move |tx| {
            let mut counts = tx.open(DROPPED)?;
            for d in dropped {
                if tx.row(WEBHOOKS, d.webhook.0)?.is_some() {
                    let key = (d.webhook.0, micros(d.minute), d.reason.as_str());
                    let old = counts.get(key).map_err(failed)?.map(|old| old.value());
                    let sum = old.unwrap_or(0).saturating_add(d.count);
                    counts.insert(key, sum).map_err(failed)?;
                }
            }
            Ok(())
        })
        .await
    }

    async fn dropped(&self, scope: Scope, limit: u32) -> Answer<Vec<Dropped>> {
        self.read(move |tx, _| {
            let owners = tx.open_table(OWNERS).map_err(failed)?;
            let webhooks = tx.open_table(WEBHOOKS).map_err(failed)?;
            let mut found = Vec::new();
            for entry in tx
                .open_table(DROPPED)
                .map_err(failed)?
                .iter()
                .map_err(failed)?
            {
                let (key, count) = entry.map_err(failed)?;
                let (webhook, minute, reason) = key.value();
                let Some(hook) = row(&webhooks, webhook)? else {
                    continue;
                };
                if in_scope(&owners, scope, &hook)? {
                    found.push(Dropped {
                        webhook: WebhookId(webhook),
                        reason: DropReason::from_word(reason).ok_or_else(|| corrupt("reason"))?,
                        minute: DateTime::from_timestamp_micros(minute)
                            .ok_or_else(|| corrupt("minute"))?,
                        count: count.value(),
                    });
                }
            }
            found.sort_by_key(|d| (std::cmp::Reverse(d.minute), d.webhook, d.reason));
            found.truncate(limit as usize);
            Ok(found)
        })
        .await
    }

    async fn queue_stats(&self, _now: DateTime<Utc>) -> Answer<QueueStats> {
        self.write(|tx| {
            let sending = sending(tx)?;
            let mut stats = QueueStats::default();
            for (_, row) in tx.rows(OUTBOX)? {
                stats.outbox += u64::from(row["rejected"].is_null());
            }
            for slot in tx.slots()? {
                let delivery = slot.delivery;
                match delivery.state {
                    DeliveryState::Running => stats.running += 1,
                    DeliveryState::Queued => {
                        stats.queued += 1;
                        if sending.contains(&delivery.webhook.0) {
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
            for old in tx.slots()? {
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

/// The webhooks that are active, and whose owners may send.
fn sending(tx: &Tx) -> Answer<Vec<i64>> {
    webhooks(tx, |active, owner| active && !owner.is_held())
}

/// The webhooks that are not active. What a held owner has waits as long as it takes.
fn held(tx: &Tx) -> Answer<Vec<i64>> {
    webhooks(tx, |active, owner| !active && !owner.held)
}

fn webhooks(tx: &Tx, wanted: impl Fn(bool, Owner) -> bool) -> Answer<Vec<i64>> {
    let mut found = Vec::new();
    for (id, row) in tx.rows(WEBHOOKS)? {
        let f = Fields(&row);
        let active = f.text("activity")? == activity_word(Activity::Active);
        let owner = tx.owner(OwnerId(f.int("owner")?))?;
        if wanted(active, owner) {
            found.push(id);
        }
    }
    Ok(found)
}

/// Forgets what was counted for a webhook that is gone.
pub(super) fn forget_dropped(tx: &Tx, webhook: WebhookId) -> Answer<()> {
    let mut counts = tx.open(DROPPED)?;
    counts
        .retain(|(of, _, _), _| of != webhook.0)
        .map_err(failed)
}

fn usage(rows: &impl ReadableTable<i64, &'static str>, owner: OwnerId) -> Answer<LogUsage> {
    let Some(row) = row(rows, owner.0)? else {
        return Ok(LogUsage::default());
    };
    let count = |field: &'static str| row[field].as_u64().ok_or_else(|| corrupt(field));
    Ok(LogUsage {
        waiting: count("waiting")?,
        waiting_bytes: count("waiting_bytes")?,
        log_bytes: count("log_bytes")?,
    })
}

fn set_usage(tx: &Tx, owner: OwnerId, usage: LogUsage) -> Answer<()> {
    let row = json!({
        "waiting": usage.waiting, "waiting_bytes": usage.waiting_bytes, "log_bytes": usage.log_bytes,
    });
    tx.put(USAGE, owner.0, &row)
}

fn end(slot: &mut Slot, reason: &str) {
    slot.delivery.state = DeliveryState::Error;
    reason.clone_into(&mut slot.delivery.status_info);
}
