//! The delivery log.

use std::collections::BTreeSet;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::{
    AttemptRecord, ChangedDelivery, CounterQuery, Counters, Delivery, DeliveryId, DeliveryLog,
    DeliveryQuery, DeliveryState, IfWaiting, LogHeadroom, LogUsage, PurgeBounds, Purged,
    QueueStats, WaitingChange,
};
use gatepost_storage::{Bodies, Scope, StoreError};

use super::deliveries::{self, ROWS};
use super::error::Outcome;
use super::key::Key;
use super::kv_store::KvStore;
use super::rows::{SOME, Source};
use super::tables::{
    DELIVERY_OF_OWNER, DELIVERY_OF_TASK, DELIVERY_OF_TENANT, DELIVERY_OF_WEBHOOK, OPEN,
};
use super::tx::Tx;
use super::{claims, counters, retention, stats};
use crate::contract::View;

#[async_trait]
impl DeliveryLog for KvStore {
    async fn delivery(&self, id: DeliveryId) -> Result<Option<Delivery>, StoreError> {
        self.read(move |view| {
            let Some(mut entry) = deliveries::get(view, id)? else {
                return Ok(None);
            };
            entry.row.delivery.body = deliveries::body(view, &entry)?;
            Ok(Some(entry.row.delivery))
        })
        .await
    }

    async fn list_deliveries(&self, query: &DeliveryQuery) -> Result<Vec<Delivery>, StoreError> {
        let (mut query, mut found) = (query.clone(), Vec::new());
        let mut more = query.page.limit > 0;
        while more {
            let asked = query.clone();
            let part = self.read(move |view| listed(view, &asked)).await?;
            query.page.limit -= u32::try_from(part.found.len()).unwrap_or(query.page.limit);
            (query.page.after, query.page.bodies) = (part.last, part.room);
            found.extend(part.found);
            more = part.more;
        }
        Ok(found)
    }

    async fn attempts(&self, id: DeliveryId, last: u32) -> Result<Vec<AttemptRecord>, StoreError> {
        let keys = self.sealing.clone();
        self.read(move |view| match deliveries::get(view, id)? {
            Some(entry) => deliveries::attempts(view, &entry, last, &keys),
            None => Ok(Vec::new()),
        })
        .await
    }

    async fn delete_delivery(&self, id: DeliveryId, _now: DateTime<Utc>) -> Result<(), StoreError> {
        self.write(move |tx| {
            let entry = deliveries::get(tx, id)?;
            let entry = entry.ok_or_else(|| StoreError::not_found("delivery"))?;
            deliveries::remove(tx, &entry)
        })
        .await
    }

    async fn replay(&self, ids: &[DeliveryId], now: DateTime<Utc>) -> Result<u64, StoreError> {
        let ids = ids.iter().copied().collect();
        self.write(move |tx| replay(tx, &ids, now)).await
    }

    async fn change_waiting(
        &self,
        deliveries: Vec<IfWaiting>,
        change: WaitingChange,
        now: DateTime<Utc>,
    ) -> Result<Vec<ChangedDelivery>, StoreError> {
        let keys = self.sealing.clone();
        self.write(move |tx| claims::change_waiting(tx, &deliveries, &change, &keys, now))
            .await
    }

    async fn expire_held(
        &self,
        created_before: DateTime<Utc>,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<u64, StoreError> {
        self.expire(created_before, limit as usize, now).await
    }

    async fn purge(
        &self,
        bounds: &PurgeBounds,
        limit: u32,
        _now: DateTime<Utc>,
    ) -> Result<Purged, StoreError> {
        let (bounds, limit) = (*bounds, limit.min(SOME) as usize);
        self.write(move |tx| retention::purge(tx, &bounds, limit))
            .await
    }

    async fn prepare_log(&self, _now: DateTime<Utc>) -> Result<LogHeadroom, StoreError> {
        let bytes = self.read(|view| deliveries::log_bytes(view)).await?;
        Ok(LogHeadroom { ahead: None, bytes })
    }

    async fn add_counters(&self, added: Counters) -> Result<(), StoreError> {
        self.write(move |tx| counters::add(tx, &added)).await
    }

    async fn counters(&self, query: &CounterQuery) -> Result<Counters, StoreError> {
        let query = query.clone();
        self.read(move |view| counters::list(view, &query)).await
    }

    async fn log_usage(&self, owners: &[OwnerId]) -> Result<Vec<LogUsage>, StoreError> {
        let owners = owners.to_vec();
        self.read(move |view| owners.iter().map(|of| counters::usage(view, *of)).collect())
            .await
    }

    async fn recount_usage(&self, owner: OwnerId, share: u64) -> Result<LogUsage, StoreError> {
        self.recount(owner, share).await
    }

    async fn count_queue(&self, now: DateTime<Utc>) -> Result<QueueStats, StoreError> {
        self.count(now).await
    }

    async fn queue_stats(&self) -> Result<Option<QueueStats>, StoreError> {
        self.read(|view| stats::counted_last(view)).await
    }
}

/// The results of one view, for a list that is read in several.
struct Listed {
    found: Vec<Delivery>,
    /// The last delivery that was read.
    last: Option<DeliveryId>,
    /// The rest of the limit for messages.
    room: Bodies,
    more: bool,
}

/// Reads the next deliveries of a list.
fn listed(view: &dyn View, query: &DeliveryQuery) -> Outcome<Listed> {
    let mut part = Listed {
        found: Vec::new(),
        last: query.page.after,
        room: query.page.bodies,
        more: false,
    };
    let (mut looked_at, mut is_full) = (0, false);
    let (index, key) = source(query);
    let source = key.map_or(Source::All, |key| Source::Of(index, vec![key]));
    let page = query.page.numbered(|id| id.0);
    ROWS.each(view, &source, &page, |number, mut entry| {
        looked_at += 1;
        part.last = Some(DeliveryId(number));
        let delivery = &entry.row.delivery;
        if query.matches(delivery) && !deliveries::is_gone(view, delivery.webhook)? {
            if query.page.bodies.are_read() {
                entry.row.delivery.body = deliveries::body(view, &entry)?;
            }
            let fits = part.room.take(entry.body_bytes);
            part.found.push(entry.row.delivery);
            is_full = !fits || part.found.len() >= query.page.limit as usize;
        }
        Ok(!is_full && looked_at < SOME)
    })?;
    part.more = !is_full && looked_at == SOME;
    Ok(part)
}

/// Returns the index that finds the fewest deliveries for this query.
fn source(query: &DeliveryQuery) -> (crate::Table, Option<Key>) {
    let is_open = |state: &DeliveryState| !state.is_final();
    let only_open = !query.states.is_empty() && query.states.iter().all(is_open);
    match (query.webhook, query.task, query.scope) {
        (Some(webhook), ..) if only_open => (OPEN, Some(Key::new().number(webhook.0))),
        (Some(webhook), ..) => (DELIVERY_OF_WEBHOOK, Some(Key::new().number(webhook.0))),
        (None, Some(task), _) => (DELIVERY_OF_TASK, Some(Key::new().number(task.0))),
        (None, None, Scope::Owner(owner)) => (DELIVERY_OF_OWNER, Some(Key::new().owner(owner))),
        (None, None, Scope::Tenant(tenant)) => {
            (DELIVERY_OF_TENANT, Some(Key::new().wide(tenant.0)))
        }
        (None, None, Scope::All) => (DELIVERY_OF_OWNER, None),
    }
}

fn replay(tx: &mut Tx<'_>, ids: &BTreeSet<DeliveryId>, now: DateTime<Utc>) -> Outcome<u64> {
    let mut replayed = 0;
    for id in ids {
        let done = deliveries::change(tx, *id, |row| {
            row.can_be_replayed().then(|| row.replay(now))
        })?;
        replayed += u64::from(done.is_some());
    }
    Ok(replayed)
}
