//! Numbers that are kept by themselves: counters, and how much there is of something.

use gatepost_storage::owners::PassedOver;

use super::error::{Outcome, damaged};
use super::key::Key;
use super::tables::META;
use super::tx::Tx;
use crate::contract::View;
use crate::table::Table;

/// A number; 0 where none is kept.
pub(super) fn kept(view: &dyn View, table: Table, key: &[u8]) -> Outcome<i64> {
    let Some(value) = view.get(table, key)? else {
        return Ok(0);
    };
    let number = <[u8; 8]>::try_from(&*value).map_err(|_| damaged(table.name))?;
    Ok(i64::from_be_bytes(number))
}

/// Adds to a number, and returns what it is then.
pub(super) fn add(tx: &mut Tx<'_>, table: Table, key: &[u8], more: i64) -> Outcome<i64> {
    let sum = kept(tx, table, key)?.saturating_add(more);
    match sum {
        0 => tx.delete(table, key)?,
        _ => tx.put(table, key, &sum.to_be_bytes())?,
    }
    Ok(sum)
}

/// The next number of a counter, which is given once.
pub(super) fn next(tx: &mut Tx<'_>, counter: &str) -> Outcome<i64> {
    add(tx, META, Key::new().text(counter).bytes(), 1)
}

/// Lets a counter go on beyond numbers that may have been given since a backup.
pub(super) fn pass_over(tx: &mut Tx<'_>, counter: &str, passed: PassedOver) -> Outcome<()> {
    let key = Key::new().text(counter);
    let last = passed.beyond(kept(tx, META, key.bytes())?);
    tx.put(META, key.bytes(), &last.to_be_bytes())
}
