//! The realm and account status of each owner.

use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::Scope;
use gatepost_storage::owners::OwnerRow;
use serde::{Deserialize, Serialize};

use super::error::Outcome;
use super::key::{Key, Parts};
use super::rows::Source;
use super::tables::{OWNER_AT, OWNER_GONE, OWNER_HELD, OWNER_MOVING, OWNER_UNPLACED, OWNERS};
use super::tx::{Tx, row, rows_in};
use crate::contract::View;
use crate::key_range::KeyRange;
use crate::table::Table;

/// The realm and account status of an owner, stored once the platform has assigned the owner to a
/// realm or suspended the account.
#[derive(Clone, Copy, Deserialize, Serialize)]
pub(super) struct Standing {
    pub(super) place: Realm,
    pub(super) held: bool,
    /// The number of times that the owner left a tenant while something waited.
    pub(super) moves: i64,
    /// True until that has ended.
    pub(super) is_moving: bool,
}

impl Standing {
    /// The status of an owner for which the platform has set none.
    pub(super) const UNKNOWN: Self = Self {
        place: Realm::Shared,
        held: false,
        is_moving: false,
        moves: 0,
    };

    /// Returns whether the owner's records are matched and deliveries are sent.
    pub(super) fn sends(self) -> bool {
        !self.held && !self.is_moving
    }

    pub(super) fn row(self, owner: OwnerId) -> OwnerRow {
        OwnerRow {
            owner,
            realm: self.place,
            suspended: self.held,
        }
    }
}

/// Records that an owner has a key or webhook, for each that is stored.
pub(super) fn has_something(tx: &mut Tx<'_>, owner: OwnerId) -> Outcome<()> {
    if get(tx, owner)?.is_none() {
        tx.put(OWNER_UNPLACED, &owner.to_bytes(), &[])?;
    }
    Ok(())
}

pub(super) fn of(view: &dyn View, owner: OwnerId) -> Outcome<Standing> {
    Ok(get(view, owner)?.unwrap_or(Standing::UNKNOWN))
}

pub(super) fn place(view: &dyn View, owner: OwnerId) -> Outcome<Realm> {
    Ok(of(view, owner)?.place)
}

/// Returns whether the owner was removed, and was not assigned to a realm after that.
pub(super) fn is_gone(view: &dyn View, owner: OwnerId) -> Outcome<bool> {
    Ok(view.get(OWNER_GONE, &owner.to_bytes())?.is_some())
}

/// Returns the owners who are moving.
pub(super) fn moving(view: &dyn View) -> Outcome<Vec<OwnerId>> {
    owners(view, OWNER_MOVING, None)
}

/// Records that all deliveries have ended that waited when the owner moved.
pub(super) fn has_moved(tx: &mut Tx<'_>, owner: OwnerId) -> Outcome<()> {
    let old = get(tx, owner)?;
    let new = Standing {
        is_moving: false,
        ..old.unwrap_or(Standing::UNKNOWN)
    };
    put(tx, owner, &new, old)
}

/// Returns whether an owner's rows are in a scope.
pub(super) fn is_in(view: &dyn View, owner: OwnerId, scope: Scope) -> Outcome<bool> {
    Ok(match scope {
        Scope::All => true,
        Scope::Owner(asked) => owner == asked,
        Scope::Tenant(tenant) => place(view, owner)? == Realm::Tenant(tenant),
    })
}

/// Returns the owners in a realm. `Shared` includes the owners without an assigned realm.
pub(super) fn at_place(view: &dyn View, place: Realm) -> Outcome<Vec<OwnerId>> {
    let mut found = at(view, place)?;
    if place == Realm::Shared {
        found.extend(owners(view, OWNER_UNPLACED, None)?);
    }
    Ok(found)
}

/// Returns the source of the rows in a scope, by an index whose keys are owners.
pub(super) fn source(view: &dyn View, scope: Scope, of_owner: Table) -> Outcome<Source> {
    let owners = match scope {
        Scope::All => return Ok(Source::All),
        Scope::Owner(owner) => vec![owner],
        Scope::Tenant(tenant) => at(view, Realm::Tenant(tenant))?,
    };
    let keys = owners.into_iter().map(|owner| Key::new().owner(owner));
    Ok(Source::Of(of_owner, keys.collect()))
}

pub(super) fn get(view: &dyn View, owner: OwnerId) -> Outcome<Option<Standing>> {
    row(view, OWNERS, &owner.to_bytes())
}

pub(super) fn put(
    tx: &mut Tx<'_>,
    owner: OwnerId,
    new: &Standing,
    old: Option<Standing>,
) -> Outcome<()> {
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
    tx.put_row(OWNERS, &key, new)
}

pub(super) fn remove(tx: &mut Tx<'_>, owner: OwnerId) -> Outcome<()> {
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

/// Returns the owners who were assigned to this realm.
pub(super) fn at(view: &dyn View, place: Realm) -> Outcome<Vec<OwnerId>> {
    let place = place_key(place);
    let range = KeyRange::prefix(place.bytes());
    rows_in(view, OWNER_AT, &range, usize::MAX, |key, _| {
        let mut parts = Parts::of(key);
        parts.text()?;
        parts.owner()
    })
}

pub(super) fn owners(
    view: &dyn View,
    table: Table,
    after: Option<OwnerId>,
) -> Outcome<Vec<OwnerId>> {
    let all = KeyRange::all();
    let range = after.map_or(all.clone(), |after| all.after(&after.to_bytes()));
    let owner = |key: &[u8], _: &[u8]| Parts::of(key).owner();
    rows_in(view, table, &range, usize::MAX, owner)
}

fn place_key(place: Realm) -> Key {
    Key::new().text(&place.to_string())
}
