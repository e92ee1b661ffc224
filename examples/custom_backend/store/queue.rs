//! The queue.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{
    ClaimToken, Claimed, Delivery, DeliveryId, DeliveryState, Disposition, DueLane, Enqueue,
    Enqueued, Lane, LaneClaim, LaneClass, MAX_LOST_CLAIMS, NewDelivery, Origin, QueueStore,
    Reclaimed, RoutesVersion, Settled, Settlement, StoredDelivery, lost_claims_info,
};
use gatepost_storage::{ErrorKind, StoreError};
use redb::ReadableTable;
use serde_json::Value;
use webhook_model::{Activity, DeliveryOrder, OccurrenceId, WebhookId};

use super::codec::micros;
use super::delivery::{Slot, class, message_name, slot, to_micros};
use super::error::{Answer, failed};
use super::redb_store::RedbStore;
use super::tables::{DELIVERIES, OPEN, OUTBOX, QUEUED, RUNNING, SEEN, TASKS, Tx, WEBHOOKS};
use super::{codec, records};

#[async_trait]
impl QueueStore for RedbStore {
    async fn enqueue(&self, batch: Enqueue, now: DateTime<Utc>) -> Answer<Enqueued> {
        self.write(move |tx| enqueue(tx, batch, now)).await
    }

    async fn due_lanes(
        &self,
        after: Option<Lane>,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Answer<Vec<DueLane>> {
        self.read(move |tx, keys| {
            let tables = Queue {
                webhooks: tx.open_table(WEBHOOKS).map_err(failed)?,
                deliveries: tx.open_table(DELIVERIES).map_err(failed)?,
                queued: tx.open_table(QUEUED).map_err(failed)?,
                open: tx.open_table(OPEN).map_err(failed)?,
            };
            let mut due = Vec::new();
            for lane in tables
                .lanes()?
                .into_iter()
                .filter(|lane| after.is_none_or(|after| *lane > after))
            {
                if due.len() >= limit as usize {
                    break;
                }
                if let Some(head) = tables.claimable(lane, 1, now, keys)?.first() {
                    due.push(DueLane {
                        lane,
                        due: head.delivery.due,
                    });
                }
            }
            Ok(due)
        })
        .await
    }

    async fn next_due(&self, now: DateTime<Utc>) -> Answer<Option<DateTime<Utc>>> {
        self.read(move |tx, keys| {
            let webhooks = tx.open_table(WEBHOOKS).map_err(failed)?;
            let queued = tx.open_table(QUEUED).map_err(failed)?;
            let mut next = None;
            for row in webhooks.iter().map_err(failed)? {
                let (id, row) = row.map_err(failed)?;
                let row = super::tables::json(row.value())?;
                if codec::webhook(id.value(), &row, keys)?.value.activity != Activity::Active {
                    continue;
                }
                for lane in [0, 1] {
                    let later = (id.value(), lane, micros(now) + 1, i64::MIN)
                        ..=(id.value(), lane, i64::MAX, i64::MAX);
                    if let Some(entry) = queued.range(later).map_err(failed)?.next() {
                        let due = entry.map_err(failed)?.0.value().2;
                        next = Some(next.map_or(due, |next: i64| next.min(due)));
                    }
                }
            }
            Ok(next.and_then(DateTime::from_timestamp_micros))
        })
        .await
    }

    async fn claim(
        &self,
        lanes: &[LaneClaim],
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Answer<Vec<Claimed>> {
        let lanes = lanes.to_vec();
        self.write(move |tx| {
            let mut claimed = Vec::new();
            for LaneClaim { lane, limit } in lanes {
                let found = Queue {
                    webhooks: tx.open(WEBHOOKS)?,
                    deliveries: tx.open(DELIVERIES)?,
                    queued: tx.open(QUEUED)?,
                    open: tx.open(OPEN)?,
                }
                .claimable(lane, limit, now, &tx.sealing)?;
                for old in found {
                    let mut new = old.clone();
                    new.claims += 1;
                    new.delivery.state = DeliveryState::Running;
                    new.delivery.lease_until = Some(to_micros(lease_until));
                    tx.replace(&old, &new)?;
                    claimed.push(Claimed {
                        token: ClaimToken(new.claims),
                        delivery: new.delivery,
                    });
                }
            }
            Ok(claimed)
        })
        .await
    }

    async fn settle(
        &self,
        settlements: Vec<Settlement>,
        _now: DateTime<Utc>,
    ) -> Answer<Vec<Settled>> {
        self.write(move |tx| {
            settlements
                .into_iter()
                .map(|settlement| settle(tx, settlement))
                .collect()
        })
        .await
    }

    async fn reclaim(&self, limit: u32, now: DateTime<Utc>) -> Answer<Reclaimed> {
        self.write(move |tx| {
            let mut over = Vec::new();
            for entry in tx
                .open(RUNNING)?
                .range(..=(micros(now), i64::MAX))
                .map_err(failed)?
                .take(limit as usize)
            {
                over.push(DeliveryId(entry.map_err(failed)?.0.value().1));
            }
            let mut reclaimed = Reclaimed::default();
            for id in over {
                let Some(old) = tx.slot(id)? else { continue };
                let mut new = old.clone();
                new.settled = None;
                new.delivery.lease_until = None;
                new.delivery.lost_claims += 1;
                if new.delivery.lost_claims >= MAX_LOST_CLAIMS {
                    new.delivery.state = DeliveryState::Error;
                    new.delivery.status_info = lost_claims_info();
                    reclaimed.ended += 1;
                } else {
                    new.delivery.state = DeliveryState::Queued;
                    new.delivery.due = to_micros(now);
                    reclaimed.requeued += 1;
                }
                tx.replace(&old, &new)?;
            }
            Ok(reclaimed)
        })
        .await
    }

    async fn work_arrived(&self) {
        // No other process can have the file.
        std::future::pending::<()>().await;
    }
}

/// The tables that a claim looks at.
struct Queue<W, D, Q, O> {
    webhooks: W,
    deliveries: D,
    queued: Q,
    open: O,
}

impl<W, D, Q, O> Queue<W, D, Q, O>
where
    W: ReadableTable<i64, &'static str>,
    D: ReadableTable<i64, &'static str>,
    Q: ReadableTable<(i64, u8, i64, i64), ()>,
    O: ReadableTable<(i64, i64), ()>,
{
    fn lanes(&self) -> Answer<Vec<Lane>> {
        let mut lanes = Vec::new();
        for row in self.webhooks.iter().map_err(failed)? {
            let webhook = WebhookId(row.map_err(failed)?.0.value());
            lanes.extend([LaneClass::First, LaneClass::Retry].map(|class| Lane { webhook, class }));
        }
        Ok(lanes)
    }

    /// What may be claimed from a lane now, oldest due first.
    fn claimable(
        &self,
        lane: Lane,
        limit: u32,
        now: DateTime<Utc>,
        keys: &SealingKeys,
    ) -> Answer<Vec<Slot>> {
        let webhook = lane.webhook.0;
        let Some(row) = super::tables::row(&self.webhooks, webhook)? else {
            return Ok(Vec::new());
        };
        let row = codec::webhook(webhook, &row, keys)?.value;
        if row.activity != Activity::Active {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        if row.order == DeliveryOrder::InOrder {
            // The oldest that has not ended, and only if none is on its way.
            for entry in self
                .open
                .range((webhook, i64::MIN)..=(webhook, i64::MAX))
                .map_err(failed)?
            {
                found.extend(slot(&self.deliveries, entry.map_err(failed)?.0.value().1)?);
            }
            if found
                .iter()
                .any(|slot| slot.delivery.state == DeliveryState::Running)
            {
                return Ok(Vec::new());
            }
            found.truncate(1);
            found.retain(|slot| slot.lane() == lane && slot.delivery.due <= now);
            found.truncate(limit as usize);
            return Ok(found);
        }
        let class = class(lane.class);
        let due = (webhook, class, i64::MIN, i64::MIN)..=(webhook, class, micros(now), i64::MAX);
        for entry in self.queued.range(due).map_err(failed)?.take(limit as usize) {
            found.extend(slot(&self.deliveries, entry.map_err(failed)?.0.value().3)?);
        }
        Ok(found)
    }
}

fn enqueue(tx: &Tx, batch: Enqueue, now: DateTime<Utc>) -> Answer<Enqueued> {
    if is_used(tx, &batch.origin)? {
        return Ok(Enqueued::AlreadyKnown);
    }
    let version = RoutesVersion(tx.counter("routes")?);
    for task in &batch.consume {
        if tx.row(TASKS, task.0)?.is_none() {
            return Ok(Enqueued::RoutesChanged);
        }
    }
    if batch.routes.is_some_and(|routes| routes != version) {
        return Ok(Enqueued::RoutesChanged);
    }
    match &batch.origin {
        Origin::Direct => {}
        Origin::Occurrence(id) => note(tx, id, now)?,
        Origin::Outbox { row, occurrence } => {
            tx.remove(OUTBOX, row.0)?;
            occurrence.iter().try_for_each(|id| note(tx, id, now))?;
        }
    }
    let deliveries = batch
        .deliveries
        .into_iter()
        .map(|new| insert(tx, new, now))
        .collect::<Answer<_>>()?;
    for task in &batch.consume {
        records::remove_task(tx, *task)?;
    }
    let routes = RoutesVersion(tx.counter("routes")?);
    Ok(Enqueued::Stored { deliveries, routes })
}

/// Whether the origin was used before. This consumes a row of the outbox whose occurrence is known.
fn is_used(tx: &Tx, origin: &Origin) -> Answer<bool> {
    let is_known = |id: &OccurrenceId| -> Answer<bool> {
        Ok(tx.open(SEEN)?.get(id.as_str()).map_err(failed)?.is_some())
    };
    match origin {
        Origin::Direct => Ok(false),
        Origin::Occurrence(id) => is_known(id),
        Origin::Outbox { row, occurrence } => {
            let waits = |row: Value| row["rejected"].is_null();
            if !tx.row(OUTBOX, row.0)?.is_some_and(waits) {
                return Ok(true);
            }
            let known = match occurrence {
                Some(id) => is_known(id)?,
                None => false,
            };
            if known {
                tx.remove(OUTBOX, row.0)?;
            }
            Ok(known)
        }
    }
}

fn note(tx: &Tx, id: &OccurrenceId, now: DateTime<Utc>) -> Answer<()> {
    tx.open(SEEN)?
        .insert(id.as_str(), micros(now))
        .map_err(failed)?;
    Ok(())
}

fn insert(tx: &Tx, new: NewDelivery, now: DateTime<Utc>) -> Answer<StoredDelivery> {
    if tx.row(WEBHOOKS, new.webhook.0)?.is_none() {
        return Err(StoreError::new(
            ErrorKind::Invalid,
            "the delivery's webhook does not exist",
        ));
    }
    let leased = new.lease_until.is_some();
    let slot = Slot {
        claims: i64::from(leased),
        settled: None,
        logged: 0,
        delivery: Delivery {
            id: DeliveryId(tx.count("delivery")?),
            message_id: new.message_id,
            webhook: new.webhook,
            task: new.task,
            body: new.body,
            state: if leased {
                DeliveryState::Running
            } else {
                DeliveryState::Queued
            },
            status_info: String::new(),
            created: to_micros(now),
            due: to_micros(new.due),
            lease_until: new.lease_until.map(to_micros),
            last_attempt: None,
            attempts: 0,
            lost_claims: 0,
            response_status: None,
            duration: None,
        },
    };
    let id = slot.delivery.id;
    tx.take_name(
        &message_name(&slot),
        id.0,
        "a delivery with that message id",
    )?;
    tx.insert(&slot)?;
    let token = leased.then_some(ClaimToken(slot.claims));
    Ok(StoredDelivery { id, token })
}

fn settle(tx: &Tx, settlement: Settlement) -> Answer<Settled> {
    let token = settlement.claim.token.0;
    let Some(old) = tx.slot(settlement.claim.delivery)? else {
        return Ok(Settled::Stale);
    };
    if old.delivery.state != DeliveryState::Running || old.claims != token {
        let done = old.settled == Some(token);
        return Ok(if done { Settled::Done } else { Settled::Stale });
    }
    let mut new = old.clone();
    new.settled = Some(token);
    let delivery = &mut new.delivery;
    delivery.lease_until = None;
    delivery.status_info = settlement.status_info;
    if let Some(attempt) = settlement.attempt {
        new.logged += 1;
        delivery.attempts += 1;
        delivery.last_attempt = Some(to_micros(attempt.started));
        delivery.response_status = attempt.status;
        delivery.duration = Some(attempt.duration);
        tx.log(delivery.id, new.logged, &attempt)?;
    }
    match settlement.disposition {
        Disposition::Sent => delivery.state = DeliveryState::Sent,
        Disposition::Failed => delivery.state = DeliveryState::Error,
        Disposition::Retry { due } | Disposition::Release { due } => {
            delivery.state = DeliveryState::Queued;
            delivery.due = to_micros(due);
        }
    }
    tx.replace(&old, &new)?;
    Ok(Settled::Done)
}
