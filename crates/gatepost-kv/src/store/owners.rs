//! Where each owner stands.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use gatepost_storage::owners::{Gone, OwnerFilter, OwnerRow, OwnerUsage};
use gatepost_storage::{OwnerStore, Scope, StoreError};
use serde::{Deserialize, Serialize};

use super::error::{Outcome, damaged};
use super::key::{Key, Parts};
use super::kv_store::KvStore;
use super::places::Change;
use super::record_changes::{records_of, remove_records_of};
use super::rows::Source;
use super::tables::{
    KEY_COUNT, LEASES, OWNER_AT, OWNER_GONE, OWNER_HELD, OWNER_MOVING, OWNER_UNPLACED, OWNERS,
    USAGE,
};
use super::tx::{Tx, each, row};
use super::{gone, keys, numbers, places, record_changes};
use crate::contract::View;
use crate::span::{Go, Span};
use crate::table::Table;

/// An owner whom the platform has placed or suspended.
#[derive(Clone, Deserialize, Eq, PartialEq, Serialize)]
struct Stored {
    place: String,
    held: bool,
    /// How often the owner has left a tenant while something waited.
    #[serde(default)]
    moves: i64,
    /// Until that has ended.
    #[serde(default)]
    is_moving: bool,
}

/// Where an owner stands.
#[derive(Clone, Copy)]
pub(super) struct Standing {
    pub(super) place: Place,
    pub(super) held: bool,
    pub(super) is_moving: bool,
    pub(super) moves: i64,
}

impl Standing {
    /// Of whom the platform has said nothing.
    const UNKNOWN: Self = Self {
        place: Place::Common,
        held: false,
        is_moving: false,
        moves: 0,
    };

    /// Whether what the owner has is matched and sent.
    pub(super) fn sends(self) -> bool {
        !self.held && !self.is_moving
    }

    fn row(self, owner: OwnerId) -> OwnerRow {
        OwnerRow {
            owner,
            place: self.place,
            held: self.held,
        }
    }
}

#[derive(Deserialize, Serialize)]
struct Lease {
    holder: String,
    until: i64,
}

#[async_trait]
impl OwnerStore for KvStore {
    async fn owner(&self, owner: OwnerId) -> Result<Option<OwnerRow>, StoreError> {
        self.read(move |view| Ok(get(view, owner)?.map(|standing| standing.row(owner))))
            .await
    }

    async fn usage(&self, owner: OwnerId) -> Result<OwnerUsage, StoreError> {
        self.read(move |view| usage(view, owner)).await
    }

    async fn set_owner(
        &self,
        owner: OwnerId,
        realm: Option<Place>,
        suspended: Option<bool>,
        _now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            let old = get(tx, owner)?;
            let before = old.unwrap_or(Standing::UNKNOWN);
            let mut new = Standing {
                place: realm.unwrap_or(before.place),
                held: suspended.unwrap_or(before.held),
                ..before
            };
            if old.is_some_and(|old| (old.place, old.held) == (new.place, new.held)) {
                return Ok(());
            }
            let leaves = before.place != new.place && before.place != Place::Common;
            if leaves && gone::has_open(tx, owner)? {
                new.moves += 1;
                new.is_moving = true;
            }
            let left = Change::of(&records_of(tx, owner)?);
            places::changed(tx, before.place, &left)?;
            put(tx, owner, &new, old)?;
            places::changed(tx, new.place, &Change::Entered(owner))?;
            Ok(())
        })
        .await
    }

    async fn list_owners(
        &self,
        which: OwnerFilter,
        after: Option<OwnerId>,
        limit: u32,
    ) -> Result<Vec<OwnerRow>, StoreError> {
        self.read(move |view| {
            let table = match which {
                OwnerFilter::Suspended => OWNER_HELD,
                OwnerFilter::Unplaced => OWNER_UNPLACED,
            };
            let mut found = Vec::new();
            for owner in owners(view, table, after)? {
                if found.len() == limit as usize {
                    break;
                }
                match which {
                    OwnerFilter::Suspended => {
                        found.extend(get(view, owner)?.map(|held| held.row(owner)));
                    }
                    OwnerFilter::Unplaced => {
                        let has = usage(view, owner)?;
                        let unplaced = Standing::UNKNOWN.row(owner);
                        // A task has its webhook's owner.
                        found.extend((has.keys + has.records.webhooks > 0).then_some(unplaced));
                    }
                }
            }
            Ok(found)
        })
        .await
    }

    async fn mark_gone(&self, gone: Gone, _now: DateTime<Utc>) -> Result<(), StoreError> {
        self.write(move |tx| {
            let owners = match gone {
                Gone::Owner(owner) => vec![owner],
                Gone::Tenant(tenant) => at(tx, Place::Tenant(tenant))?,
            };
            for owner in owners {
                keys::remove_of(tx, owner)?;
                let left = Change::of(&records_of(tx, owner)?);
                let before = place(tx, owner)?;
                places::changed(tx, before, &left)?;
                remove_records_of(tx, owner)?;
                remove(tx, owner)?;
                tx.put(OWNER_GONE, &owner.to_bytes(), &[])?;
                tx.delete(USAGE, &owner.to_bytes())?;
            }
            Ok(())
        })
        .await
    }

    async fn remove_gone(&self, limit: u32, _now: DateTime<Utc>) -> Result<u64, StoreError> {
        self.write(move |tx| gone::remove(tx, limit as usize)).await
    }

    async fn restored(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        self.pass_over(now).await
    }

    async fn lease(
        &self,
        name: &str,
        holder: u128,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let key = Key::new().text(name);
        let own = holder.to_string();
        self.write(move |tx| {
            let held: Option<Lease> = row(tx, LEASES, key.bytes())?;
            if held.is_some_and(|l| l.holder != own && l.until > now.timestamp_micros()) {
                return Ok(false);
            }
            let lease = Lease {
                holder: own.clone(),
                until: until.timestamp_micros(),
            };
            tx.put_row(LEASES, key.bytes(), &lease)?;
            Ok(true)
        })
        .await
    }
}

/// To be called for each key and webhook that is stored.
pub(super) fn has_something(tx: &mut Tx<'_>, owner: OwnerId) -> Outcome<()> {
    if get(tx, owner)?.is_none() {
        tx.put(OWNER_UNPLACED, &owner.to_bytes(), &[])?;
    }
    Ok(())
}

pub(super) fn standing(view: &dyn View, owner: OwnerId) -> Outcome<Standing> {
    Ok(get(view, owner)?.unwrap_or(Standing::UNKNOWN))
}

pub(super) fn place(view: &dyn View, owner: OwnerId) -> Outcome<Place> {
    Ok(standing(view, owner)?.place)
}

/// Whether the owner was removed, and has not been placed since.
pub(super) fn is_gone(view: &dyn View, owner: OwnerId) -> Outcome<bool> {
    Ok(view.get(OWNER_GONE, &owner.to_bytes())?.is_some())
}

/// The owners who are moving.
pub(super) fn moving(view: &dyn View) -> Outcome<Vec<OwnerId>> {
    owners(view, OWNER_MOVING, None)
}

/// What waited when the owner moved has ended.
pub(super) fn has_moved(tx: &mut Tx<'_>, owner: OwnerId) -> Outcome<()> {
    let old = get(tx, owner)?;
    let new = Standing {
        is_moving: false,
        ..old.unwrap_or(Standing::UNKNOWN)
    };
    put(tx, owner, &new, old)
}

/// Whether an owner's rows are in a scope.
pub(super) fn is_in(view: &dyn View, owner: OwnerId, scope: Scope) -> Outcome<bool> {
    Ok(match scope {
        Scope::All => true,
        Scope::Owner(asked) => owner == asked,
        Scope::Tenant(tenant) => place(view, owner)? == Place::Tenant(tenant),
    })
}

/// The owners in a place. In `Common` also those whom nobody has placed.
pub(super) fn at_place(view: &dyn View, place: Place) -> Outcome<Vec<OwnerId>> {
    let mut found = at(view, place)?;
    if place == Place::Common {
        found.extend(owners(view, OWNER_UNPLACED, None)?);
    }
    Ok(found)
}

/// Whose rows to list, by an index whose keys are owners.
pub(super) fn source(view: &dyn View, scope: Scope, of_owner: Table) -> Outcome<Source> {
    let owners = match scope {
        Scope::All => return Ok(Source::All),
        Scope::Owner(owner) => vec![owner],
        Scope::Tenant(tenant) => at(view, Place::Tenant(tenant))?,
    };
    let keys = owners.into_iter().map(|owner| Key::new().owner(owner));
    Ok(Source::Of(of_owner, keys.collect()))
}

fn get(view: &dyn View, owner: OwnerId) -> Outcome<Option<Standing>> {
    let Some(stored) = row::<Stored>(view, OWNERS, &owner.to_bytes())? else {
        return Ok(None);
    };
    Ok(Some(Standing {
        place: Place::from_word(&stored.place).ok_or_else(|| damaged("place"))?,
        held: stored.held,
        is_moving: stored.is_moving,
        moves: stored.moves,
    }))
}

fn put(tx: &mut Tx<'_>, owner: OwnerId, new: &Standing, old: Option<Standing>) -> Outcome<()> {
    if old.is_some() {
        remove(tx, owner)?;
    }
    let key = owner.to_bytes();
    tx.delete(OWNER_UNPLACED, &key)?;
    tx.delete(OWNER_GONE, &key)?;
    tx.put(OWNER_AT, place_key(new.place).owner(owner).bytes(), &[])?;
    for (index, is_in) in [(OWNER_HELD, new.held), (OWNER_MOVING, new.is_moving)] {
        if is_in {
            tx.put(index, &key, &[])?;
        }
    }
    let stored = Stored {
        place: new.place.to_string(),
        held: new.held,
        moves: new.moves,
        is_moving: new.is_moving,
    };
    tx.put_row(OWNERS, &key, &stored)
}

fn remove(tx: &mut Tx<'_>, owner: OwnerId) -> Outcome<()> {
    let key = owner.to_bytes();
    tx.delete(OWNER_UNPLACED, &key)?;
    if let Some(old) = get(tx, owner)? {
        tx.delete(OWNER_AT, place_key(old.place).owner(owner).bytes())?;
        for table in [OWNER_HELD, OWNER_MOVING, OWNERS] {
            tx.delete(table, &key)?;
        }
    }
    Ok(())
}

fn usage(view: &dyn View, owner: OwnerId) -> Outcome<OwnerUsage> {
    let keys = numbers::kept(view, KEY_COUNT, &owner.to_bytes())?;
    Ok(OwnerUsage {
        keys: keys.max(0).unsigned_abs(),
        records: record_changes::usage(view, owner)?,
    })
}

/// The owners who were placed there.
fn at(view: &dyn View, place: Place) -> Outcome<Vec<OwnerId>> {
    let place = place_key(place);
    let mut owners = Vec::new();
    each(view, OWNER_AT, &Span::prefix(place.bytes()), |key, _| {
        let mut parts = Parts::of(key);
        parts.text()?;
        owners.push(parts.owner()?);
        Ok(Go::On)
    })?;
    Ok(owners)
}

fn owners(view: &dyn View, table: Table, after: Option<OwnerId>) -> Outcome<Vec<OwnerId>> {
    let all = Span::all();
    let span = after.map_or(all.clone(), |after| all.after(&after.to_bytes()));
    let mut owners = Vec::new();
    each(view, table, &span, |key, _| {
        owners.push(Parts::of(key).owner()?);
        Ok(Go::On)
    })?;
    Ok(owners)
}

fn place_key(place: Place) -> Key {
    Key::new().text(&place.to_string())
}
