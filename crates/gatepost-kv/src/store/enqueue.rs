//! The enqueue of one occurrence.

use chrono::{DateTime, Utc};
use gatepost_ids::Realm;
use gatepost_storage::webhooks::{
    ClaimToken, DeliveryId, DeliveryRow, Enqueue, Enqueued, NewDelivery, Origin, Precondition,
    RecordId, RoutesVersion, StoredDelivery,
};
use gatepost_storage::{ErrorKind, Revision, StoreError};
use webhook_model::{OccurrenceId, Task, Webhook};

use super::error::Outcome;
use super::heads::head_of;
use super::key::Key;
use super::record_changes::consume;
use super::records::head;
use super::tables::{SEEN, SEEN_BY_AGE};
use super::tx::Tx;
use super::{deliveries, numbers, outbox, owner_status, realms};
use crate::contract::View as _;

pub(super) fn enqueue(tx: &mut Tx<'_>, batch: &Enqueue, now: DateTime<Utc>) -> Outcome<Enqueued> {
    if is_used(tx, &batch.origin)? {
        return Ok(Enqueued::AlreadyKnown);
    }
    if let Some(changed) = changed_precondition(tx, batch)? {
        return Ok(changed);
    }
    use_up(tx, &batch.origin, now)?;
    let mut deliveries = Vec::with_capacity(batch.deliveries.len());
    for new in &batch.deliveries {
        deliveries.push(insert(tx, new.clone(), now)?);
    }
    let mut later = Vec::with_capacity(batch.later.len());
    for new in &batch.later {
        later.push(outbox::push(tx, new, now)?);
    }
    let mut moved: Vec<(Realm, RoutesVersion)> = Vec::new();
    for task in &batch.consume {
        if let Some((place, version)) = consume(tx, *task)? {
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

/// Returns whether the origin was used earlier. In that case its outbox row is used up.
fn is_used(tx: &mut Tx<'_>, origin: &Origin) -> Outcome<bool> {
    match origin {
        Origin::Direct => Ok(false),
        Origin::Occurrence { place, id } => is_seen(tx, *place, id),
        Origin::Outbox {
            row,
            turn,
            occurrence,
            ..
        } => {
            let Some(waiting) = outbox::at_turn(tx, *row, *turn)? else {
                return Ok(true);
            };
            let is_known = match occurrence {
                Some((place, id)) => is_seen(tx, *place, id)?,
                None => false,
            };
            if is_known {
                outbox::remove(tx, *row, &waiting)?;
            }
            Ok(is_known)
        }
    }
}

/// Returns the result of an enqueue whose preconditions no longer hold.
fn changed_precondition(tx: &Tx<'_>, batch: &Enqueue) -> Outcome<Option<Enqueued>> {
    let mut changed = Vec::new();
    for task in &batch.consume {
        if head_of::<Task>(tx, *task)?.is_none() {
            changed.push(RecordId::Task(*task));
        }
    }
    match &batch.precondition {
        Precondition::Nothing => {}
        Precondition::Realms(places) => {
            for (place, version) in places {
                if realms::version(tx, *place)? != *version {
                    return Ok(Some(Enqueued::RoutesChanged));
                }
            }
        }
        Precondition::Rows(rows) => {
            for (record, revision) in rows {
                if !stands(tx, *record, *revision)? {
                    changed.push(*record);
                }
            }
            changed.sort_unstable();
            changed.dedup();
            return Ok((!changed.is_empty()).then_some(Enqueued::RowsChanged(changed)));
        }
    }
    Ok((!changed.is_empty()).then_some(Enqueued::RoutesChanged))
}

/// Returns whether a record has the revision that was read, and may be matched.
fn stands(tx: &Tx<'_>, record: RecordId, revision: Revision) -> Outcome<bool> {
    match head(tx, record)? {
        Some(head) if head.revision == revision.0 => Ok(owner_status::of(tx, head.owner)?.sends()),
        _ => Ok(false),
    }
}

fn use_up(tx: &mut Tx<'_>, origin: &Origin, now: DateTime<Utc>) -> Outcome<()> {
    let occurrence = match origin {
        Origin::Direct => None,
        Origin::Occurrence { place, id } => Some((*place, id)),
        Origin::Outbox {
            row,
            turn,
            occurrence,
            left,
        } => {
            if let Some(waiting) = outbox::at_turn(tx, *row, *turn)? {
                match left {
                    Some((left, due)) => outbox::move_on(tx, *row, &waiting, Some(left), *due)?,
                    None => outbox::remove(tx, *row, &waiting)?,
                }
            }
            occurrence.as_ref().map(|(place, id)| (*place, id))
        }
    };
    if let Some((place, id)) = occurrence {
        let key = seen_key(Key::new(), place, id);
        tx.put(SEEN, key.bytes(), &now.timestamp_micros().to_be_bytes())?;
        tx.put(
            SEEN_BY_AGE,
            seen_key(Key::new().time(now), place, id).bytes(),
            &[],
        )?;
    }
    Ok(())
}

fn is_seen(tx: &Tx<'_>, place: Realm, id: &OccurrenceId) -> Outcome<bool> {
    Ok(tx
        .get(SEEN, seen_key(Key::new(), place, id).bytes())?
        .is_some())
}

fn seen_key(before: Key, place: Realm, id: &OccurrenceId) -> Key {
    before.text(&place.to_string()).text(id.as_str())
}

fn insert(tx: &mut Tx<'_>, new: NewDelivery, now: DateTime<Utc>) -> Outcome<StoredDelivery> {
    let missing = || StoreError::new(ErrorKind::Invalid, "the delivery's webhook does not exist");
    let webhook = head_of::<Webhook>(tx, new.webhook)?.ok_or_else(missing)?;
    let standing = owner_status::of(tx, webhook.owner)?;
    let token = match new.lease_until {
        Some(_) => Some(ClaimToken(numbers::next_token(tx, 0)?)),
        None => None,
    };
    let id = DeliveryId(numbers::next_id(tx, webhook.in_order)?);
    let owner = (webhook.owner, standing.place.tenant());
    let row = DeliveryRow::enqueued(id, new, owner, token, now);
    deliveries::insert(tx, row, standing.moves)?;
    Ok(StoredDelivery { id, token })
}
