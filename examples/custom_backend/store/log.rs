//! The delivery log.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{
    AttemptRecord, CounterQuery, Counters, Delivery, DeliveryId, DeliveryLog, DeliveryQuery,
    DeliveryRow, DeliveryState, EXPIRED_INFO, HourlyCount, LogRoom, LogUsage, PurgeBounds, Purged,
    QueueStats, Replay,
};
use redb::ReadTransaction;
use webhook_model::WebhookId;

use super::attempts::attempts;
use super::codec::decode;
use super::delivery::{is_gone, slot};
use super::error::{Answer, failed};
use super::figures::webhooks;
use super::purge::purge;
use super::redb_store::RedbStore;
use super::tables::{ATTEMPTS, COUNTERS, DELIVERIES, GONE, Tx, USAGE, bodied_page, counter};
use super::work::LOG_BYTES;
use super::{counters, figures, usage};

#[async_trait]
impl DeliveryLog for RedbStore {
    async fn delivery(&self, id: DeliveryId) -> Answer<Option<Delivery>> {
        self.read(move |tx, _| one(tx, id)).await
    }

    async fn list_deliveries(&self, query: &DeliveryQuery) -> Answer<Vec<Delivery>> {
        let query = query.clone();
        self.read(move |tx, _| {
            let rows = tx.open_table(DELIVERIES).map_err(failed)?;
            let gone = tx.open_table(GONE).map_err(failed)?;
            let p = query.page.numbered(|id| id.0);
            let wanted = |row: &serde_json::Value| {
                let row: DeliveryRow = decode(row)?;
                Ok(query.matches(&row.delivery) && !is_gone(&gone, &row)?)
            };
            bodied_page(&rows, &p, wanted, |_, row| {
                Ok(Some(decode::<DeliveryRow>(&row)?.delivery))
            })
        })
        .await
    }

    async fn attempts(&self, id: DeliveryId, last: u32) -> Answer<Vec<AttemptRecord>> {
        self.read(move |tx, keys| match one(tx, id)? {
            Some(_) => attempts(&tx.open_table(ATTEMPTS).map_err(failed)?, id, last, keys),
            None => Ok(Vec::new()),
        })
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
        let wanted = move |row: &DeliveryRow| {
            let is_named = match &which {
                Replay::Ids(ids) => ids.contains(&row.delivery.id),
                Replay::Failed { .. } => true,
            };
            is_named && row.is_replayed_by(&which)
        };
        self.change(limit, wanted, move |row| row.replay(now)).await
    }

    async fn cancel(&self, ids: &[DeliveryId], reason: &str, now: DateTime<Utc>) -> Answer<u64> {
        let (ids, reason) = (ids.to_vec(), reason.to_owned());
        let wanted = move |row: &DeliveryRow| {
            row.delivery.state == DeliveryState::Queued && ids.contains(&row.delivery.id)
        };
        self.write(move |tx| end(tx, u32::MAX, wanted, &reason, now))
            .await
    }

    async fn hasten(&self, ids: &[DeliveryId], now: DateTime<Utc>) -> Answer<u64> {
        let ids = ids.to_vec();
        let wanted = move |row: &DeliveryRow| {
            let delivery = &row.delivery;
            let waits = delivery.state == DeliveryState::Queued && delivery.due > now;
            waits && ids.contains(&delivery.id)
        };
        let hasten = move |row: &mut DeliveryRow| {
            row.hasten(now);
        };
        self.change(u32::MAX, wanted, hasten).await
    }

    async fn expire_held(
        &self,
        created_before: DateTime<Utc>,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Answer<u64> {
        self.write(move |tx| {
            let held = held(tx)?;
            let wanted = |row: &DeliveryRow| {
                let d = &row.delivery;
                d.state == DeliveryState::Queued
                    && d.created < created_before
                    && held.contains(&d.webhook.0)
            };
            end(tx, limit, wanted, EXPIRED_INFO, now)
        })
        .await
    }

    async fn purge(&self, bounds: &PurgeBounds, limit: u32, _now: DateTime<Utc>) -> Answer<Purged> {
        let bounds = *bounds;
        self.write(move |tx| purge(tx, &bounds, limit as usize))
            .await
    }

    async fn prepare_log(&self, _now: DateTime<Utc>) -> Answer<LogRoom> {
        self.read(|tx, _| {
            let counters = tx.open_table(COUNTERS).map_err(failed)?;
            let bytes = counter(&counters, LOG_BYTES)?;
            Ok(LogRoom {
                ahead: None,
                bytes: u64::try_from(bytes).unwrap_or(0),
            })
        })
        .await
    }

    async fn add_counters(&self, added: Counters) -> Answer<()> {
        self.write(move |tx| counters::add(tx, &added)).await
    }

    async fn counters(&self, query: &CounterQuery) -> Answer<Counters> {
        let query = query.clone();
        self.read(move |tx, _| counters::list(tx, &query)).await
    }

    async fn log_usage(&self, owners: &[OwnerId]) -> Answer<Vec<LogUsage>> {
        let owners = owners.to_vec();
        self.read(move |tx, _| {
            let rows = tx.open_table(USAGE).map_err(failed)?;
            let usage = |owner: &OwnerId| usage::of(&rows, *owner);
            owners.iter().map(usage).collect()
        })
        .await
    }

    async fn recount_usage(&self, owner: OwnerId, share: u64) -> Answer<LogUsage> {
        self.write(move |tx| usage::recount(tx, owner, share)).await
    }

    async fn count_queue(&self, now: DateTime<Utc>) -> Answer<QueueStats> {
        self.write(move |tx| figures::count(tx, now)).await
    }

    async fn queue_stats(&self) -> Answer<Option<QueueStats>> {
        self.read(|tx, _| figures::counted_last(tx)).await
    }
}

impl RedbStore {
    /// Changes the wanted deliveries, oldest first, at most `limit` of them.
    async fn change(
        &self,
        limit: u32,
        wanted: impl Fn(&DeliveryRow) -> bool + Send + 'static,
        act: impl Fn(&mut DeliveryRow) + Send + 'static,
    ) -> Answer<u64> {
        self.write(move |tx| Ok(change(tx, limit, wanted, act)?.len() as u64))
            .await
    }
}

/// A delivery, unless its webhook is gone.
fn one(tx: &ReadTransaction, id: DeliveryId) -> Answer<Option<Delivery>> {
    let rows = tx.open_table(DELIVERIES).map_err(failed)?;
    let gone = tx.open_table(GONE).map_err(failed)?;
    Ok(match slot(&rows, id.0)? {
        Some(slot) if !is_gone(&gone, &slot)? => Some(slot.delivery),
        _ => None,
    })
}

/// Ends deliveries that wait; each counts as failed.
fn end(
    tx: &Tx,
    limit: u32,
    wanted: impl Fn(&DeliveryRow) -> bool,
    reason: &str,
    now: DateTime<Utc>,
) -> Answer<u64> {
    let ended = change(tx, limit, wanted, |row| row.fail(reason))?;
    let counts = ended.iter().map(|of| HourlyCount::failed(*of, now));
    counters::add_hourly(tx, &counts.collect::<Vec<_>>())?;
    Ok(ended.len() as u64)
}

/// The webhooks of those that were changed.
fn change(
    tx: &Tx,
    limit: u32,
    wanted: impl Fn(&DeliveryRow) -> bool,
    act: impl Fn(&mut DeliveryRow),
) -> Answer<Vec<WebhookId>> {
    let mut changed = Vec::new();
    for old in tx.slots()? {
        if changed.len() < limit as usize && wanted(&old) {
            let mut new = old.clone();
            act(&mut new);
            tx.replace(&old, &new)?;
            changed.push(old.delivery.webhook);
        }
    }
    Ok(changed)
}

/// The webhooks that are not active. What a held owner has waits as long as it takes.
fn held(tx: &Tx) -> Answer<Vec<i64>> {
    webhooks(tx, |active, owner| !active && !owner.held)
}
