//! Owners: where each of them is, who is held, who is gone.

use std::ops::Bound;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use gatepost_storage::OwnerStore;
use gatepost_storage::owners::{Gone, OwnerFilter, OwnerRow, OwnerUsage};
use gatepost_storage::webhooks::{Cascade, DeliveryRow, DeliveryState, EndReason, RecordId};
use redb::ReadableTable as _;
use serde_json::json;
use webhook_model::WebhookId;

use super::codec::{self, Fields, micros};
use super::error::{Answer, failed};
use super::owner_rows::{self, Owner};
use super::records::records_of;
use super::redb_store::RedbStore;
use super::tables::{DELIVERIES, GONE, KEYS, LEASES, OWNERS, Tx, USAGE, WEBHOOKS, json};
use super::{counters, keys, restored, sizes, webhooks};

#[async_trait]
impl OwnerStore for RedbStore {
    async fn owner(&self, owner: OwnerId) -> Answer<Option<OwnerRow>> {
        self.read(move |tx, _| {
            let owners = tx.open_table(OWNERS).map_err(failed)?;
            Ok(owner_rows::owner(&owners, owner)?.row(owner))
        })
        .await
    }

    async fn usage(&self, owner: OwnerId) -> Answer<OwnerUsage> {
        self.write(move |tx| {
            Ok(OwnerUsage {
                keys: keys::keys_of(tx, owner)?.len() as u64,
                records: sizes::usage(tx, owner)?,
            })
        })
        .await
    }

    async fn set_owner(
        &self,
        owner: OwnerId,
        realm: Option<Place>,
        suspended: Option<bool>,
        _now: DateTime<Utc>,
    ) -> Answer<()> {
        self.write(move |tx| {
            let old = tx.owner(owner)?;
            let (place, held) = (realm.unwrap_or(old.place), suspended.unwrap_or(old.held));
            if old.placed && (old.place, old.held) == (place, held) {
                return Ok(());
            }
            let moves = old.place != place && old.place != Place::Common;
            let open = moves && any_open(tx, owner, i64::MAX)?;
            let last = open.then(|| tx.counter("delivery")).transpose()?;
            let new = Owner {
                place,
                placed: true,
                held,
                gone: false,
                moved: last.or(old.moved),
            };
            replace(tx, owner, new)
        })
        .await
    }

    async fn list_owners(
        &self,
        which: OwnerFilter,
        after: Option<OwnerId>,
        limit: u32,
    ) -> Answer<Vec<OwnerRow>> {
        self.write(move |tx| {
            let rows = [tx.rows(KEYS)?, tx.rows(WEBHOOKS)?].concat();
            let has = |id: OwnerId| rows.iter().any(|(_, row)| row["owner"] == json!(id));
            let mut owners = owners_after(tx, after)?;
            owners.retain(|(id, owner)| match which {
                OwnerFilter::Suspended => owner.placed && owner.held,
                OwnerFilter::Unplaced => !owner.placed && has(*id),
            });
            let row = |(owner, stored): (OwnerId, Owner)| OwnerRow {
                owner,
                place: stored.place,
                held: stored.held,
            };
            Ok(owners.into_iter().map(row).take(limit as usize).collect())
        })
        .await
    }

    async fn mark_gone(&self, gone: Gone, _now: DateTime<Utc>) -> Answer<()> {
        self.write(move |tx| match gone {
            Gone::Owner(owner) => remove(tx, owner),
            Gone::Tenant(tenant) => {
                let owners = owners_after(tx, None)?.into_iter();
                let mut own = owners.filter(|(_, o)| o.place == Place::Tenant(tenant));
                own.try_for_each(|(owner, _)| remove(tx, owner))
            }
        })
        .await
    }

    async fn remove_gone(&self, limit: u32, _now: DateTime<Utc>) -> Answer<u64> {
        self.write(move |tx| {
            let mut room = limit as usize;
            for (webhook, _) in tx.rows(GONE)? {
                room -= remove_deliveries(tx, webhook, room)?;
            }
            for (id, owner) in owners_after(tx, None)? {
                if let Some(last) = owner.moved {
                    room -= end_moved(tx, id, owner, last, room)?;
                }
            }
            Ok(u64::from(limit) - room as u64)
        })
        .await
    }

    async fn restored(&self, now: DateTime<Utc>) -> Answer<()> {
        self.write(move |tx| restored::pass_over(tx, now)).await
    }

    async fn lease(
        &self,
        name: &str,
        holder: u128,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Answer<bool> {
        let name = name.to_owned();
        self.write(move |tx| {
            let mut leases = tx.open(LEASES)?;
            let old = leases.get(name.as_str()).map_err(failed)?;
            let old = old.map(|old| json(old.value())).transpose()?;
            let holder = holder.to_string();
            if let Some(old) = old {
                let old = Fields(&old);
                if old.text("holder")? != holder && old.int("until")? > micros(now) {
                    return Ok(false);
                }
            }
            let new = json!({ "holder": holder, "until": micros(until) }).to_string();
            leases.insert(name.as_str(), new.as_str()).map_err(failed)?;
            Ok(true)
        })
        .await
    }
}

/// Stores an owner's new row. What the owner has leaves the one place and comes to the other; each
/// record is named in both, for any of them may be deleted elsewhere before the owner is back.
fn replace(tx: &Tx, id: OwnerId, new: Owner) -> Answer<()> {
    let (old, records) = (tx.owner(id)?.place, records_of(tx, id)?);
    tx.set_owner(id, new)?;
    if old != new.place {
        tx.changed(old, &records)?;
    }
    tx.changed(new.place, &records)?;
    Ok(())
}

fn remove(tx: &Tx, id: OwnerId) -> Answer<()> {
    for key in keys::keys_of(tx, id)? {
        keys::remove(tx, &key)?;
    }
    for record in records_of(tx, id)? {
        if let RecordId::Webhook(webhook) = record {
            webhooks::delete(tx, webhook, Cascade::Tasks)?;
        }
    }
    let old = tx.owner(id)?;
    tx.changed(old.place, &[])?;
    tx.remove(USAGE, id.0)?;
    let gone = Owner {
        place: Place::Common,
        placed: false,
        held: false,
        gone: true,
        moved: None,
    };
    tx.set_owner(id, gone)
}

fn owners_after(tx: &Tx, after: Option<OwnerId>) -> Answer<Vec<(OwnerId, Owner)>> {
    let rows = tx.open(OWNERS)?;
    let beyond = after.map_or(Bound::Unbounded, |after| Bound::Excluded(after.0));
    let beyond = rows.range((beyond, Bound::Unbounded)).map_err(failed)?;
    let mut owners = Vec::new();
    for entry in beyond {
        let (id, row) = entry.map_err(failed)?;
        owners.push((
            OwnerId(id.value()),
            owner_rows::decode(&json(row.value())?)?,
        ));
    }
    Ok(owners)
}

/// Removes deliveries of a webhook that is gone, at most `room`, and forgets it with the last.
fn remove_deliveries(tx: &Tx, webhook: i64, room: usize) -> Answer<usize> {
    let mut removed = 0;
    for (_, row) in tx.rows(DELIVERIES)? {
        if row["webhook"] != webhook {
            continue;
        }
        if removed == room {
            return Ok(removed);
        }
        tx.remove_delivery(&codec::decode(&row)?)?;
        removed += 1;
    }
    counters::forget_webhook(tx, WebhookId(webhook))?;
    tx.remove(GONE, webhook)?;
    Ok(removed)
}

/// Ends what waited when its owner was moved. What is being sent then is waited for.
fn end_moved(tx: &Tx, id: OwnerId, owner: Owner, last: i64, room: usize) -> Answer<usize> {
    let waits = |slot: &DeliveryRow| {
        let delivery = &slot.delivery;
        delivery.owner == id && delivery.id.0 <= last && delivery.state == DeliveryState::Queued
    };
    let mut ended = 0;
    for old in tx.slots()?.into_iter().filter(waits).take(room) {
        let mut new = old.clone();
        new.fail(EndReason::OwnerMoved.as_str());
        tx.replace(&old, &new)?;
        ended += 1;
    }
    if !any_open(tx, id, last)? {
        tx.set_owner(
            id,
            Owner {
                moved: None,
                ..owner
            },
        )?;
    }
    Ok(ended)
}

/// Whether a delivery of this owner, up to this number, has not ended.
fn any_open(tx: &Tx, owner: OwnerId, last: i64) -> Answer<bool> {
    let open = |slot: &DeliveryRow| {
        let delivery = &slot.delivery;
        delivery.owner == owner && delivery.id.0 <= last && !delivery.state.is_final()
    };
    Ok(tx.slots()?.iter().any(open))
}
