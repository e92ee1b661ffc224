//! The queue in memory.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use webhook_model::Activity;

use super::rows::micros;
use super::store::{MemoryStore, lock};
use super::tables::{OutboxEntry, Slot, Tables};
use crate::error::{ErrorKind, StoreError};
use crate::webhooks::{
    Claimed, Delivery, DeliveryId, DeliveryState, Disposition, DueLane, Enqueue, Enqueued, Lane,
    LaneClaim, MAX_LOST_CLAIMS, NewDelivery, Origin, QueueStore, Reclaimed, Settled, Settlement,
    StoredDelivery, lost_claims_info,
};

#[async_trait]
impl QueueStore for MemoryStore {
    async fn enqueue(&self, batch: Enqueue, now: DateTime<Utc>) -> Result<Enqueued, StoreError> {
        let mut tables = lock(&self.tables);
        let used = match &batch.origin {
            Origin::Direct => false,
            Origin::Occurrence(id) => tables.seen.contains_key(id),
            Origin::Outbox { row, occurrence } => {
                let waits = |entry: &OutboxEntry| entry.rejected.is_none();
                let known = |id| tables.seen.contains_key(id);
                if !tables.outbox.get(row).is_some_and(waits) {
                    true
                } else if occurrence.as_ref().is_some_and(known) {
                    tables.outbox.remove(row);
                    true
                } else {
                    false
                }
            }
        };
        if used {
            return Ok(Enqueued::AlreadyKnown);
        }
        let known_tasks = batch.consume.iter().all(|id| tables.tasks.contains_key(id));
        if batch.routes.is_some_and(|v| v != tables.version()) || !known_tasks {
            return Ok(Enqueued::RoutesChanged);
        }
        check(&tables, &batch.deliveries)?;

        match batch.origin {
            Origin::Direct => {}
            Origin::Occurrence(id) => {
                tables.seen.insert(id, micros(now));
            }
            Origin::Outbox { row, occurrence } => {
                tables.outbox.remove(&row);
                tables.seen.extend(occurrence.map(|id| (id, micros(now))));
            }
        }
        let deliveries = batch
            .deliveries
            .into_iter()
            .map(|new| insert(&mut tables, new, now))
            .collect();
        for task in batch.consume {
            tables.delete_task(task);
        }
        Ok(Enqueued::Stored {
            deliveries,
            routes: tables.version(),
        })
    }

    async fn due_lanes(
        &self,
        after: Option<Lane>,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<Vec<DueLane>, StoreError> {
        let tables = lock(&self.tables);
        let heads = tables
            .lanes()
            .into_iter()
            .filter(|lane| after.is_none_or(|a| *lane > a))
            .filter_map(|lane| {
                let head = *tables.claimable(lane, 1, now).first()?;
                Some(DueLane {
                    lane,
                    due: tables.deliveries().get(&head)?.delivery.due,
                })
            });
        Ok(heads.take(limit as usize).collect())
    }

    async fn next_due(&self, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, StoreError> {
        let tables = lock(&self.tables);
        let active = |lane: &Lane| {
            tables
                .webhooks
                .get(&lane.webhook)
                .is_some_and(|w| w.value.activity == Activity::Active)
        };
        let lanes = tables.lanes().into_iter().filter(active);
        Ok(lanes
            .filter_map(|lane| {
                tables
                    .lane_from(lane, now)
                    .map(|(due, _)| due)
                    .find(|due| *due > now)
            })
            .min())
    }

    async fn claim(
        &self,
        lanes: &[LaneClaim],
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Claimed>, StoreError> {
        let mut tables = lock(&self.tables);
        let mut claimed = Vec::new();
        for LaneClaim { lane, limit } in lanes {
            for id in tables.claimable(*lane, *limit, now) {
                claimed.extend(tables.change_delivery(id, |slot| {
                    slot.claims += 1;
                    slot.delivery.state = DeliveryState::Running;
                    slot.delivery.lease_until = Some(micros(lease_until));
                    Claimed {
                        delivery: slot.delivery.clone(),
                        token: slot.token(),
                    }
                }));
            }
        }
        Ok(claimed)
    }

    async fn settle(
        &self,
        settlements: Vec<Settlement>,
        _now: DateTime<Utc>,
    ) -> Result<Vec<Settled>, StoreError> {
        let mut tables = lock(&self.tables);
        Ok(settlements
            .into_iter()
            .map(|s| {
                tables
                    .change_delivery(s.claim.delivery, |slot| settle(slot, s))
                    .unwrap_or(Settled::Stale)
            })
            .collect())
    }

    async fn reclaim(&self, limit: u32, now: DateTime<Utc>) -> Result<Reclaimed, StoreError> {
        let mut tables = lock(&self.tables);
        let over: Vec<DeliveryId> = tables
            .leases
            .iter()
            .take_while(|(end, _)| *end <= now)
            .take(limit as usize)
            .map(|(_, id)| *id)
            .collect();
        let mut reclaimed = Reclaimed::default();
        for id in over {
            let ended = tables.change_delivery(id, |slot| reclaim(slot, now));
            match ended {
                Some(true) => reclaimed.ended += 1,
                Some(false) => reclaimed.requeued += 1,
                None => {}
            }
        }
        Ok(reclaimed)
    }

    async fn work_arrived(&self) {
        // No other process can reach this memory.
        std::future::pending::<()>().await;
    }
}

fn check(tables: &Tables, deliveries: &[NewDelivery]) -> Result<(), StoreError> {
    if deliveries
        .iter()
        .any(|d| !tables.webhooks.contains_key(&d.webhook))
    {
        return Err(StoreError::new(
            ErrorKind::Invalid,
            "the delivery's webhook does not exist",
        ));
    }
    let mut ids: Vec<_> = deliveries.iter().map(|d| d.message_id.as_str()).collect();
    ids.sort_unstable();
    let twice = ids.windows(2).any(|pair| pair[0] == pair[1]);
    if twice || deliveries.iter().any(|d| tables.has_message(&d.message_id)) {
        return Err(StoreError::new(
            ErrorKind::Conflict,
            "a delivery with that message id",
        ));
    }
    Ok(())
}

fn insert(tables: &mut Tables, new: NewDelivery, now: DateTime<Utc>) -> StoredDelivery {
    let leased = new.lease_until.is_some();
    let delivery = Delivery {
        id: DeliveryId(tables.delivery_ids.next()),
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
        created: micros(now),
        due: micros(new.due),
        lease_until: new.lease_until.map(micros),
        last_attempt: None,
        attempts: 0,
        lost_claims: 0,
        response_status: None,
        duration: None,
    };
    let slot = Slot {
        delivery,
        claims: i64::from(leased),
        settled: None,
        log: Vec::new(),
    };
    let stored = StoredDelivery {
        id: slot.delivery.id,
        token: leased.then(|| slot.token()),
    };
    tables.insert_delivery(slot);
    stored
}

fn settle(slot: &mut Slot, settlement: Settlement) -> Settled {
    let token = settlement.claim.token;
    if slot.delivery.state != DeliveryState::Running || slot.token() != token {
        return if slot.settled == Some(token) {
            Settled::Done
        } else {
            Settled::Stale
        };
    }
    slot.settled = Some(token);
    let delivery = &mut slot.delivery;
    delivery.lease_until = None;
    delivery.status_info = settlement.status_info;
    if let Some(mut attempt) = settlement.attempt {
        attempt.number = u32::try_from(slot.log.len())
            .unwrap_or(u32::MAX)
            .saturating_add(1);
        attempt.started = micros(attempt.started);
        delivery.attempts = delivery.attempts.saturating_add(1);
        delivery.last_attempt = Some(attempt.started);
        delivery.response_status = attempt.status;
        delivery.duration = Some(attempt.duration);
        slot.log.push(attempt);
    }
    match settlement.disposition {
        Disposition::Sent => delivery.state = DeliveryState::Sent,
        Disposition::Failed => delivery.state = DeliveryState::Error,
        Disposition::Retry { due } | Disposition::Release { due } => {
            delivery.state = DeliveryState::Queued;
            delivery.due = micros(due);
        }
    }
    Settled::Done
}

/// Takes a delivery back from a worker that died. True when it ended, after too many lost claims.
fn reclaim(slot: &mut Slot, now: DateTime<Utc>) -> bool {
    let delivery = &mut slot.delivery;
    delivery.lease_until = None;
    delivery.lost_claims += 1;
    slot.settled = None;
    let ended = delivery.lost_claims >= MAX_LOST_CLAIMS;
    if ended {
        delivery.state = DeliveryState::Error;
        delivery.status_info = lost_claims_info();
    } else {
        delivery.state = DeliveryState::Queued;
        delivery.due = micros(now);
    }
    ended
}
