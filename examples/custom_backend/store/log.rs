//! The delivery log.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{
    AttemptRecord, ChangedDelivery, CounterQuery, Counters, Delivery, DeliveryId, DeliveryLog,
    DeliveryQuery, DeliveryRow, DeliveryState, EndReason, IfWaiting, LogRoom, LogUsage,
    PurgeBounds, Purged, QueueStats, Replay, WaitingChange,
};
use redb::ReadTransaction;

use super::attempts::attempts;
use super::codec::decode;
use super::delivery::{is_gone, slot};
use super::error::{Answer, failed};
use super::figures::webhooks;
use super::purge::purge;
use super::redb_store::RedbStore;
use super::tables::{ATTEMPTS, COUNTERS, DELIVERIES, GONE, Tx, USAGE, bodied_page, counter};
use super::work::LOG_BYTES;
use super::{claims, counters, figures, usage};

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
        let is_chosen = move |row: &DeliveryRow| match &which {
            Replay::Ids(ids) if !ids.contains(&row.delivery.id) => false,
            which => row.is_replayed_by(which),
        };
        self.write(move |tx| {
            let mut replayed = 0;
            let chosen = tx.slots()?.into_iter().filter(is_chosen);
            for old in chosen.take(limit as usize) {
                let mut new = old.clone();
                new.replay(now);
                tx.replace(&old, &new)?;
                replayed += 1;
            }
            Ok(replayed)
        })
        .await
    }

    async fn change_waiting(
        &self,
        deliveries: Vec<IfWaiting>,
        change: WaitingChange,
        now: DateTime<Utc>,
    ) -> Answer<Vec<ChangedDelivery>> {
        self.write(move |tx| claims::change_waiting(tx, &deliveries, &change, now))
            .await
    }

    async fn expire_held(
        &self,
        created_before: DateTime<Utc>,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Answer<u64> {
        self.write(move |tx| {
            let held = held(tx)?;
            let slots = tx.slots()?.into_iter().map(|slot| slot.delivery);
            let old = slots.filter(|d| {
                d.state == DeliveryState::Queued
                    && d.created < created_before
                    && held.contains(&d.webhook.0)
            });
            let old = old.map(|d| IfWaiting::any(d.id)).take(limit as usize);
            let reason = EndReason::Expired.as_str().to_owned();
            let change = WaitingChange::Cancelled { reason };
            let ended = claims::change_waiting(tx, &old.collect::<Vec<_>>(), &change, now)?;
            Ok(ended.len() as u64)
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

/// A delivery, unless its webhook is gone.
fn one(tx: &ReadTransaction, id: DeliveryId) -> Answer<Option<Delivery>> {
    let rows = tx.open_table(DELIVERIES).map_err(failed)?;
    let gone = tx.open_table(GONE).map_err(failed)?;
    Ok(match slot(&rows, id.0)? {
        Some(slot) if !is_gone(&gone, &slot)? => Some(slot.delivery),
        _ => None,
    })
}

/// The webhooks that are not active. What a held owner has waits as long as it takes.
fn held(tx: &Tx) -> Answer<Vec<i64>> {
    webhooks(tx, |active, owner| !active && !owner.held)
}
