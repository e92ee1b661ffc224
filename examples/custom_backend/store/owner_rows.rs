//! Owners' rows: where an owner is, and what scope a row is in.

use gatepost_ids::{OwnerId, Place};
use gatepost_storage::owners::OwnerRow;
use gatepost_storage::{Scope, StoreError};
use redb::ReadableTable;
use serde_json::{Value, json};

use super::codec::{Fields, corrupt};
use super::error::Answer;
use super::tables::{OWNERS, Tx, row};

/// What the store knows of an owner.
#[derive(Clone, Copy)]
pub(super) struct Owner {
    pub(super) place: Place,
    /// Whether the platform placed or held the owner.
    pub(super) placed: bool,
    pub(super) held: bool,
    /// Removed, and not placed again.
    pub(super) gone: bool,
    /// The last delivery that was made in another place, until those that wait have ended.
    pub(super) moved: Option<i64>,
}

impl Owner {
    const UNKNOWN: Self = Self {
        place: Place::Common,
        placed: false,
        held: false,
        gone: false,
        moved: None,
    };

    /// The row, if there is one.
    pub(super) fn row(self, owner: OwnerId) -> Option<OwnerRow> {
        self.placed.then_some(OwnerRow {
            owner,
            place: self.place,
            held: self.held,
        })
    }

    /// Whether nothing of this owner's is matched or sent.
    pub(super) fn is_held(self) -> bool {
        self.held || self.moved.is_some()
    }
}

pub(super) fn owner(rows: &impl ReadableTable<u128, &'static str>, id: OwnerId) -> Answer<Owner> {
    let Some(row) = row(rows, id.0)? else {
        return Ok(Owner::UNKNOWN);
    };
    decode(&row)
}

pub(super) fn decode(row: &Value) -> Answer<Owner> {
    let is = |field: &str| row[field].as_bool().unwrap_or_default();
    let place = row["place"].as_str().and_then(Place::from_word);
    Ok(Owner {
        place: place.ok_or_else(|| corrupt("place"))?,
        placed: is("placed"),
        held: is("held"),
        gone: is("gone"),
        moved: row["moved"].as_i64(),
    })
}

/// Whether a row, which names its owner, is in this scope.
pub(super) fn in_scope(
    owners: &impl ReadableTable<u128, &'static str>,
    scope: Scope,
    row: &Value,
) -> Answer<bool> {
    Ok(match scope {
        Scope::All => true,
        Scope::Owner(owner) => row["owner"] == json!(owner),
        Scope::Tenant(tenant) => {
            let id = Fields(row).owner("owner")?;
            owner(owners, id)?.place == Place::Tenant(tenant)
        }
    })
}

impl Tx {
    pub(super) fn owner(&self, id: OwnerId) -> Answer<Owner> {
        owner(&self.open(OWNERS)?, id)
    }

    pub(super) fn set_owner(&self, id: OwnerId, owner: Owner) -> Answer<()> {
        let row = json!({
            "place": owner.place.to_string(), "placed": owner.placed, "held": owner.held, "gone": owner.gone,
            "moved": owner.moved,
        });
        self.put(OWNERS, id.0, &row)
    }

    /// To be called for each key and webhook that is stored: an owner who has something is found by
    /// `list_owners`.
    pub(super) fn has_something(&self, id: OwnerId) -> Result<(), StoreError> {
        match self.row(OWNERS, id.0)? {
            Some(_) => Ok(()),
            None => self.set_owner(id, Owner::UNKNOWN),
        }
    }
}
