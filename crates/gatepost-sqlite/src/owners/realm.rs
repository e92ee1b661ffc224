//! Assignment to a realm, moves, suspension.

use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::owners::OwnerRow;
use rusqlite::{Connection, params};

use super::remove::moved;
use super::row::find;
use crate::error::Result;
use crate::realms::{Change, changed, left, place_of};
use crate::sql::Sql as _;
use crate::watch::stirred;

pub(super) fn set(
    c: &Connection,
    owner: OwnerId,
    realm: Option<Realm>,
    suspended: Option<bool>,
) -> Result<()> {
    let (row, old) = (find(c, owner)?, place_of(c, owner)?);
    let place = realm.unwrap_or(old);
    let held = suspended.unwrap_or_else(|| row.is_some_and(|row| row.suspended));
    if row
        == Some(OwnerRow {
            owner,
            realm: place,
            suspended: held,
        })
    {
        return Ok(());
    }
    // Deliveries from before the first assignment of a realm stay valid.
    let moves = old != place && old != Realm::Shared && moved::any_open(c, owner)?;
    if old != place {
        left(c, old, owner)?;
    }
    let params = params![owner.to_bytes(), place.to_string(), moves, held];
    c.run(sql!("owners/set"), params)?;
    changed(c, place, &[Change::Owner(owner)])?;
    if suspended == Some(false) {
        stirred(c)?;
    }
    Ok(())
}
