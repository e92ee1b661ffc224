//! Single stored numbers: counters and amounts.

use gatepost_storage::owners::SkippedIds;

use super::blocks::{Block, Blocks};
use super::error::{Outcome, damaged};
use super::key::Key;
use super::tables::META;
use super::tx::Tx;
use crate::contract::View;
use crate::table::Table;

/// The size of a block of numbers: with larger blocks, processes that reserve numbers conflict less
/// often.
const BLOCK: i64 = 256;

/// The counters that are reserved in blocks.
pub(super) const IDS: &str = "delivery";
pub(super) const TOKENS: &str = "token";

/// Returns a stored number; 0 if there is none.
pub(super) fn kept(view: &dyn View, table: Table, key: &[u8]) -> Outcome<i64> {
    let Some(value) = view.get(table, key)? else {
        return Ok(0);
    };
    let number = <[u8; 8]>::try_from(&*value).map_err(|_| damaged(table.name))?;
    Ok(i64::from_be_bytes(number))
}

/// Adds to a number, and returns the sum.
pub(super) fn add(tx: &mut Tx<'_>, table: Table, key: &[u8], more: i64) -> Outcome<i64> {
    let sum = kept(tx, table, key)?.saturating_add(more);
    match sum {
        0 => tx.delete(table, key)?,
        _ => tx.put(table, key, &sum.to_be_bytes())?,
    }
    Ok(sum)
}

/// Returns the next number of a counter, which is assigned only once.
pub(super) fn next(tx: &mut Tx<'_>, counter: &str) -> Outcome<i64> {
    add(tx, META, Key::new().text(counter).bytes(), 1)
}

/// Returns the number of a delivery. Numbers rise; for a webhook in order they rise across all
/// processes.
pub(super) fn next_id(tx: &mut Tx<'_>, in_order: bool) -> Outcome<i64> {
    let mut block = tx.common.blocks.ids.clone();
    let is_alone = in_order && tx.common.others_write;
    if is_alone || block.given == block.taken {
        let size = if is_alone { 1 } else { BLOCK };
        block = take(tx, IDS, size)?;
    }
    block.given += 1;
    tx.common.blocks.ids = block.clone();
    Ok(block.given)
}

/// Returns a token greater than the one that was assigned last.
pub(super) fn next_token(tx: &mut Tx<'_>, last: i64) -> Outcome<i64> {
    let mut block = tx.common.blocks.tokens.clone();
    if block.given == block.taken || block.given < last {
        block = take(tx, TOKENS, BLOCK)?;
    }
    block.given += 1;
    tx.common.blocks.tokens = block.clone();
    Ok(block.given)
}

fn take(tx: &mut Tx<'_>, counter: &str, size: i64) -> Outcome<Block> {
    let taken = add(tx, META, Key::new().text(counter).bytes(), size)?;
    let given = taken - size;
    Ok(Block { given, taken })
}

/// Moves a counter beyond numbers that may have been assigned after a backup.
pub(super) fn pass_over(tx: &mut Tx<'_>, counter: &str, passed: SkippedIds) -> Outcome<()> {
    let key = Key::new().text(counter);
    let last = passed.beyond(kept(tx, META, key.bytes())?);
    tx.common.blocks = Blocks::default();
    tx.put(META, key.bytes(), &last.to_be_bytes())
}
