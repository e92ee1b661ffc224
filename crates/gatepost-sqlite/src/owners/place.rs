//! Placing, moving, holding.

use gatepost_ids::{OwnerId, Place};
use rusqlite::{Connection, params};

use super::remove::moved;
use super::row::find;
use crate::error::Result;
use crate::places::{Change, changed, left, place_of};
use crate::watch::stirred;

pub(super) fn place(c: &Connection, owner: OwnerId, place: Place) -> Result<()> {
    if find(c, owner)?.is_some_and(|row| row.place == place) {
        return Ok(());
    }
    let old = place_of(c, owner)?;
    // What was made while nobody had placed the owner stays good.
    let moves = old != place && old != Place::Common && moved::any_open(c, owner)?;
    if old != place {
        left(c, old, owner)?;
    }
    c.prepare_cached(include_str!("../sql/owners/place.sql"))?
        .execute(params![owner.to_bytes(), place.to_string(), moves])?;
    changed(c, place, &[Change::Owner(owner)])?;
    Ok(())
}

pub(super) fn hold(c: &Connection, owner: OwnerId, held: bool) -> Result<()> {
    if find(c, owner)?.is_some_and(|row| row.held == held) {
        return Ok(());
    }
    c.prepare_cached(include_str!("../sql/owners/hold.sql"))?
        .execute(params![owner.to_bytes(), held])?;
    changed(c, place_of(c, owner)?, &[Change::Owner(owner)])?;
    if !held {
        stirred(c)?;
    }
    Ok(())
}
