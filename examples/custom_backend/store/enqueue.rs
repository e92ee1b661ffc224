//! What one occurrence does to the queue.

use chrono::{DateTime, Utc};
use gatepost_ids::Place;
use gatepost_storage::webhooks::{
    Basis, ClaimToken, DeliveryId, DeliveryRow, Enqueue, Enqueued, NewDelivery, Origin, RecordId,
    RoutesVersion, StoredDelivery,
};
use gatepost_storage::{ErrorKind, Revision, StoreError};
use redb::ReadableTable as _;
use webhook_model::OccurrenceId;

use super::codec::{Fields, micros};
use super::error::{Answer, failed};
use super::tables::{EVENTS, SEEN, TASKS, Tx, WEBHOOKS};
use super::{outbox_rows, tasks};

pub(super) fn enqueue(tx: &Tx, batch: Enqueue, now: DateTime<Utc>) -> Answer<Enqueued> {
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
    let later = batch.later.iter();
    let later = later.map(|new| outbox_rows::push(tx, new, now));
    let later = later.collect::<Answer<_>>()?;
    let mut moved: Vec<(Place, RoutesVersion)> = Vec::new();
    for task in batch.consume {
        if let Some((place, version)) = tasks::remove(tx, task)? {
            moved.retain(|(other, _)| *other != place);
            moved.push((place, version));
        }
    }
    Ok(Enqueued::Stored {
        deliveries,
        later,
        moved,
    })
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
            if outbox_rows::at_turn(tx, *row, *turn)?.is_none() {
                return Ok(true);
            }
            let known = match occurrence {
                Some((place, id)) => is_known(tx, *place, id)?,
                None => false,
            };
            if known {
                outbox_rows::remove(tx, *row)?;
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
    let owner = tx.owner(f.owner("owner")?)?;
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
            match (left, outbox_rows::at_turn(tx, row, turn)?) {
                (Some((left, due)), Some(waiting)) => {
                    outbox_rows::move_on(tx, row, waiting, Some(&left), due)?;
                }
                _ => outbox_rows::remove(tx, row)?,
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
    let owner = Fields(&webhook.ok_or_else(missing)?).owner("owner")?;
    let token = match new.lease_until {
        Some(_) => Some(ClaimToken(tx.count("token")?)),
        None => None,
    };
    let id = DeliveryId(tx.count("delivery")?);
    let tenant = tx.owner(owner)?.place.tenant();
    tx.insert(&DeliveryRow::enqueued(id, new, (owner, tenant), token, now))?;
    Ok(StoredDelivery { id, token })
}
