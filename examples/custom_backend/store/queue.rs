//! The queue.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use gatepost_storage::columns::{activity_word, left_columns};
use gatepost_storage::webhooks::{
    Basis, ClaimToken, Claimed, Delivery, DeliveryId, DeliveryState, Disposition, DueLane, Enqueue,
    Enqueued, Lane, LaneClaim, LaneClass, MAX_LOST_CLAIMS, NewDelivery, Origin, QueueStore,
    Reclaimed, RecordId, RoutesVersion, Settled, Settlement, StoredDelivery, lost_claims_info,
};
use gatepost_storage::{ErrorKind, Revision, StoreError};
use redb::ReadableTable;
use webhook_model::{Activity, OccurrenceId, WebhookId};

use super::codec::{Fields, micros};
use super::delivery::{Slot, class, message_name, slot, to_micros};
use super::error::{Answer, failed};
use super::owner_rows::owner;
use super::redb_store::RedbStore;
use super::tables::{
    DELIVERIES, EVENTS, OPEN, OUTBOX, OWNERS, QUEUED, RUNNING, SEEN, TASKS, Tx, WEBHOOKS,
};
use super::{outbox, records};

/// In the order of lanes.
const CLASSES: [LaneClass; 3] = [LaneClass::First, LaneClass::Retry, LaneClass::Alone];

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
        self.read(move |tx, _| {
            let tables = Queue {
                owners: tx.open_table(OWNERS).map_err(failed)?,
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
                let Some(sending) = tables.sending(lane.webhook.0)? else {
                    continue;
                };
                if let Some(head) = tables.claimable(lane, 1, now)?.first() {
                    due.push(DueLane {
                        lane,
                        due: head.delivery.due,
                        owner: sending.owner,
                        place: sending.place,
                        revision: sending.revision,
                    });
                }
            }
            Ok(due)
        })
        .await
    }

    async fn next_due(&self, now: DateTime<Utc>) -> Answer<Option<DateTime<Utc>>> {
        self.read(move |tx, _| {
            let tables = Queue {
                owners: tx.open_table(OWNERS).map_err(failed)?,
                webhooks: tx.open_table(WEBHOOKS).map_err(failed)?,
                deliveries: tx.open_table(DELIVERIES).map_err(failed)?,
                queued: tx.open_table(QUEUED).map_err(failed)?,
                open: tx.open_table(OPEN).map_err(failed)?,
            };
            let mut next = None;
            for lane in tables.lanes()? {
                let (webhook, class) = (lane.webhook.0, class(lane.class));
                if tables.sending(webhook)?.is_none() {
                    continue;
                }
                let later = (webhook, class, micros(now) + 1, i64::MIN)
                    ..=(webhook, class, i64::MAX, i64::MAX);
                if let Some(entry) = tables.queued.range(later).map_err(failed)?.next() {
                    let due = entry.map_err(failed)?.0.value().2;
                    next = Some(next.map_or(due, |next: i64| next.min(due)));
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
                let queue = Queue {
                    owners: tx.open(OWNERS)?,
                    webhooks: tx.open(WEBHOOKS)?,
                    deliveries: tx.open(DELIVERIES)?,
                    queued: tx.open(QUEUED)?,
                    open: tx.open(OPEN)?,
                };
                let Some(sending) = queue.sending(lane.webhook.0)? else {
                    continue;
                };
                let found = queue.claimable(lane, limit, now)?;
                drop(queue);
                for old in found {
                    let mut new = old.clone();
                    new.token = tx.count("token")?;
                    new.delivery.state = DeliveryState::Running;
                    new.delivery.lease_until = Some(to_micros(lease_until));
                    tx.replace(&old, &new)?;
                    claimed.push(Claimed {
                        token: ClaimToken(new.token),
                        delivery: new.delivery,
                        class: lane.class,
                        revision: sending.revision,
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
            {
                let id = DeliveryId(entry.map_err(failed)?.0.value().1);
                over.extend(tx.slot(id)?);
            }
            over.truncate(limit as usize);
            let mut reclaimed = Reclaimed::default();
            for old in over {
                let mut new = old.clone();
                new.settled = None;
                new.delivery.lease_until = None;
                new.delivery.lost_claims += u32::from(new.alone);
                new.alone = true;
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

/// A webhook that sends.
struct Sending {
    owner: OwnerId,
    place: Place,
    revision: Revision,
    in_order: bool,
}

/// The tables that a claim looks at.
struct Queue<W, D, Q, O> {
    owners: D,
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
            lanes.extend(CLASSES.map(|class| Lane { webhook, class }));
        }
        Ok(lanes)
    }

    /// The webhook, if it sends and its owner may send. Its secrets are not read.
    fn sending(&self, webhook: i64) -> Answer<Option<Sending>> {
        let Some(row) = super::tables::row(&self.webhooks, webhook)? else {
            return Ok(None);
        };
        let f = Fields(&row);
        let id = OwnerId(f.int("owner")?);
        let owner = owner(&self.owners, id)?;
        let sends = f.text("activity")? == activity_word(Activity::Active) && !owner.is_held();
        let in_order = f.is("in_order")?;
        let revision = Revision(f.int("revision")?);
        Ok(sends.then_some(Sending {
            owner: id,
            place: owner.place,
            revision,
            in_order,
        }))
    }

    /// What may be claimed from a lane now, oldest due first.
    fn claimable(&self, lane: Lane, limit: u32, now: DateTime<Utc>) -> Answer<Vec<Slot>> {
        let webhook = lane.webhook.0;
        let Some(sending) = self.sending(webhook)? else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        if sending.in_order {
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
    if let Some(changed) = changed_basis(tx, &batch)? {
        return Ok(changed);
    }
    use_up(tx, batch.origin, now)?;
    let deliveries = batch
        .deliveries
        .into_iter()
        .map(|new| insert(tx, new, now))
        .collect::<Answer<_>>()?;
    for new in &batch.later {
        outbox::push(tx, new, now)?;
    }
    let mut moved: Vec<(Place, RoutesVersion)> = Vec::new();
    for task in batch.consume {
        if let Some((place, version)) = records::remove_task(tx, task)? {
            moved.retain(|(other, _)| *other != place);
            moved.push((place, version));
        }
    }
    Ok(Enqueued::Stored { deliveries, moved })
}

/// Whether the origin was used before. This consumes a row of the outbox whose occurrence is known.
fn is_used(tx: &Tx, origin: &Origin) -> Answer<bool> {
    match origin {
        Origin::Direct => Ok(false),
        Origin::Occurrence { place, id } => is_known(tx, *place, id),
        Origin::Outbox {
            row,
            turn,
            occurrence,
            ..
        } => {
            if outbox::at_turn(tx, *row, *turn)?.is_none() {
                return Ok(true);
            }
            let known = match occurrence {
                Some((place, id)) => is_known(tx, *place, id)?,
                None => false,
            };
            if known {
                tx.remove(OUTBOX, row.0)?;
            }
            Ok(known)
        }
    }
}

/// What the enqueue was decided by and is no longer so.
fn changed_basis(tx: &Tx, batch: &Enqueue) -> Answer<Option<Enqueued>> {
    let mut gone = Vec::new();
    for task in &batch.consume {
        if tx.row(TASKS, task.0)?.is_none() {
            gone.push(RecordId::Task(*task));
        }
    }
    match &batch.basis {
        Basis::Nothing => Ok((!gone.is_empty()).then_some(Enqueued::RoutesChanged)),
        Basis::Places(places) => {
            let mut changed = !gone.is_empty();
            for (place, version) in places {
                changed |= tx.version(*place)? != *version;
            }
            Ok(changed.then_some(Enqueued::RoutesChanged))
        }
        Basis::Rows(rows) => {
            for (record, revision) in rows {
                if !stands(tx, *record, *revision)? {
                    gone.push(*record);
                }
            }
            gone.sort_unstable();
            gone.dedup();
            Ok((!gone.is_empty()).then_some(Enqueued::RowsChanged(gone)))
        }
    }
}

/// Whether a row is as it was read, and may be matched.
fn stands(tx: &Tx, record: RecordId, revision: Revision) -> Answer<bool> {
    let row = match record {
        RecordId::Webhook(id) => tx.row(WEBHOOKS, id.0)?,
        RecordId::Task(id) => tx.row(TASKS, id.0)?,
        RecordId::Event(id) => tx.row(EVENTS, id.0)?,
    };
    let Some(row) = row else { return Ok(false) };
    let f = Fields(&row);
    let owner = tx.owner(OwnerId(f.int("owner")?))?;
    Ok(f.int("revision")? == revision.0 && !owner.is_held())
}

fn use_up(tx: &Tx, origin: Origin, now: DateTime<Utc>) -> Answer<()> {
    let occurrence = match origin {
        Origin::Direct => None,
        Origin::Occurrence { place, id } => Some((place, id)),
        Origin::Outbox {
            row,
            turn,
            occurrence,
            left,
        } => {
            match (left, outbox::at_turn(tx, row, turn)?) {
                (Some((left, due)), Some(mut waiting)) => {
                    let (after_task, tasks) = left_columns(&left);
                    waiting["after_task"] = after_task.into();
                    waiting["tasks"] = tasks.into();
                    outbox::move_on(tx, row, waiting, due)?;
                }
                _ => tx.remove(OUTBOX, row.0)?,
            }
            occurrence
        }
    };
    if let Some((place, id)) = occurrence {
        tx.open(SEEN)?
            .insert(seen(place, &id).as_str(), micros(now))
            .map_err(failed)?;
    }
    Ok(())
}

fn is_known(tx: &Tx, place: Place, id: &OccurrenceId) -> Answer<bool> {
    let known = tx.open(SEEN)?;
    let known = known.get(seen(place, id).as_str()).map_err(failed)?;
    Ok(known.is_some())
}

/// Neither has a blank in it.
fn seen(place: Place, id: &OccurrenceId) -> String {
    format!("{place} {id}")
}

fn insert(tx: &Tx, new: NewDelivery, now: DateTime<Utc>) -> Answer<StoredDelivery> {
    let webhook = tx.row(WEBHOOKS, new.webhook.0)?;
    let missing = || StoreError::new(ErrorKind::Invalid, "the delivery's webhook does not exist");
    let owner = OwnerId(Fields(&webhook.ok_or_else(missing)?).int("owner")?);
    let leased = new.lease_until.is_some();
    let slot = Slot {
        token: if leased { tx.count("token")? } else { 0 },
        alone: false,
        settled: None,
        logged: 0,
        delivery: Delivery {
            id: DeliveryId(tx.count("delivery")?),
            message_id: new.message_id,
            webhook: new.webhook,
            owner,
            tenant: tx.owner(owner)?.place.tenant(),
            task: new.task,
            body: new.body,
            message_kept: true,
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
    let token = leased.then_some(ClaimToken(slot.token));
    Ok(StoredDelivery { id, token })
}

fn settle(tx: &Tx, settlement: Settlement) -> Answer<Settled> {
    let token = settlement.claim.token.0;
    let Some(old) = tx.slot(settlement.claim.delivery)? else {
        return Ok(Settled::Stale);
    };
    if old.delivery.state != DeliveryState::Running || old.token != token {
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
    // What is given back is as it was before the claim.
    new.alone &= matches!(settlement.disposition, Disposition::Release { .. });
    match settlement.disposition {
        Disposition::Sent => delivery.state = DeliveryState::Sent,
        Disposition::Failed => delivery.state = DeliveryState::Error,
        Disposition::Retry { due } | Disposition::Release { due } => {
            delivery.state = DeliveryState::Queued;
            delivery.due = to_micros(due);
        }
    }
    if delivery.state.is_final() && !settlement.keep_message {
        delivery.body = "".into();
        delivery.message_kept = false;
    }
    tx.replace(&old, &new)?;
    Ok(Settled::Done)
}
