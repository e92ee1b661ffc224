//! The table of owners: where each of them stands.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};

use super::rows::Groups;
use crate::owners::OwnerRow;
use crate::page::Scope;

#[derive(Debug, Default)]
pub(super) struct Owners {
    rows: BTreeMap<OwnerId, OwnerRow>,
    by_place: Groups<Place, OwnerId>,
    held: BTreeSet<OwnerId>,
    /// Owners who were removed, until they are placed again.
    gone: BTreeSet<OwnerId>,
    /// Owners who have had something since before they were placed.
    unplaced: BTreeSet<OwnerId>,
    /// Owners who were moved, and the number of the last delivery that was made before.
    #[cfg(feature = "webhooks")]
    pub(super) moving: BTreeMap<OwnerId, i64>,
    pub(super) leases: HashMap<String, (u128, DateTime<Utc>)>,
}

impl Owners {
    pub(super) fn row(&self, owner: OwnerId) -> Option<OwnerRow> {
        self.rows.get(&owner).copied()
    }

    pub(super) fn place(&self, owner: OwnerId) -> Place {
        self.rows.get(&owner).map_or(Place::Common, |row| row.place)
    }

    #[cfg(feature = "webhooks")]
    pub(super) fn is_held(&self, owner: OwnerId) -> bool {
        self.held.contains(&owner)
    }

    pub(super) fn held_after(&self, after: Option<OwnerId>) -> impl Iterator<Item = OwnerRow> {
        let beyond = move |owner: &&OwnerId| after.is_none_or(|after| **owner > after);
        let held = self.held.iter().filter(beyond);
        held.filter_map(|owner| self.row(*owner))
    }

    #[cfg(feature = "webhooks")]
    pub(super) fn is_gone(&self, owner: OwnerId) -> bool {
        self.gone.contains(&owner)
    }

    /// The owners in a place. In `Common` also those without a row, as far as they have something.
    pub(super) fn at(&self, place: Place) -> impl Iterator<Item = OwnerId> {
        let unplaced = (place == Place::Common).then_some(&self.unplaced);
        let placed = self.by_place.of(place);
        placed.chain(unplaced.into_iter().flatten().copied())
    }

    /// Whose rows to list; `None` for everybody's.
    pub(super) fn of(&self, scope: Scope) -> Option<Vec<OwnerId>> {
        match scope {
            Scope::All => None,
            Scope::Owner(owner) => Some(vec![owner]),
            Scope::Tenant(tenant) => Some(self.at(Place::Tenant(tenant)).collect()),
        }
    }

    /// To be called for each row that is stored.
    pub(super) fn has_something(&mut self, owner: OwnerId) {
        if !self.rows.contains_key(&owner) {
            self.unplaced.insert(owner);
        }
    }

    pub(super) fn unplaced_after(&self, after: Option<OwnerId>) -> impl Iterator<Item = OwnerRow> {
        let unplaced = self.unplaced.iter().copied();
        let beyond = unplaced.filter(move |owner| after.is_none_or(|after| *owner > after));
        beyond.map(|owner| OwnerRow {
            owner,
            place: Place::Common,
            held: false,
        })
    }

    pub(super) fn put(&mut self, row: OwnerRow) {
        self.remove(row.owner);
        self.gone.remove(&row.owner);
        self.by_place.add(row.place, row.owner);
        if row.held {
            self.held.insert(row.owner);
        }
        self.rows.insert(row.owner, row);
    }

    pub(super) fn mark_gone(&mut self, owner: OwnerId) {
        self.remove(owner);
        #[cfg(feature = "webhooks")]
        self.moving.remove(&owner);
        self.gone.insert(owner);
    }

    fn remove(&mut self, owner: OwnerId) {
        self.unplaced.remove(&owner);
        self.held.remove(&owner);
        if let Some(old) = self.rows.remove(&owner) {
            self.by_place.remove(old.place, owner);
        }
    }
}
