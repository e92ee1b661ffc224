//! The generations of shards of keys: every edit and deletion moves them, and they are checked
//! before every use of a key that is held in memory.

use apikey_core::LookupId;
use gatepost_storage::keys::{ChangedKeys, KeyChanges, KeyGeneration, KeyShard};
use rusqlite::{Connection, params};

use crate::column::parse;
use crate::error::Result;
use crate::named::Named;

/// The number of changes of a shard that are remembered. A caller that asks for older changes must
/// drop all keys of the shard.
const CHANGES_KEPT: i64 = 64;

/// Moves the generation of the key's shard, records the changed key, and deletes the oldest change.
pub(crate) fn changed(c: &Connection, lookup: LookupId) -> Result<()> {
    let (shard, generation) = (KeyShard::of(lookup).0, next(c)?);
    c.prepare_cached(
        "INSERT INTO gatepost_key_change (shard, generation, lookup) VALUES (?1, ?2, ?3)",
    )?
    .execute(params![shard, generation, lookup.as_str()])?;
    let forgotten: i64 = c
        .prepare_cached(include_str!("sql/keys/move_shard.sql"))?
        .query_row(params![shard, generation, CHANGES_KEPT], |row| row.get(0))?;
    c.prepare_cached("DELETE FROM gatepost_key_change WHERE shard = ?1 AND generation <= ?2")?
        .execute(params![shard, forgotten])?;
    Ok(())
}

/// Moves all shards, because more keys were changed than can be named.
pub(crate) fn changed_at_large(c: &Connection) -> Result<()> {
    let generation = next(c)?;
    c.prepare_cached("UPDATE gatepost_key_shard SET generation = ?1, forgotten = ?1")?
        .execute([generation])?;
    c.prepare_cached("DELETE FROM gatepost_key_change")?
        .execute([])?;
    Ok(())
}

/// Returns the changes in a shard, read in one transaction.
pub(crate) fn changes(c: &Connection, shard: KeyShard, since: KeyGeneration) -> Result<KeyChanges> {
    let tx = c.unchecked_transaction()?;
    let (forgotten, generation): (i64, i64) = tx
        .prepare_cached(include_str!("sql/keys/generation.sql"))?
        .query_row([shard.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let changed = if (forgotten..=generation).contains(&since.0) {
        ChangedKeys::These(lookups(&tx, shard, since)?)
    } else {
        ChangedKeys::All
    };
    tx.finish()?;
    Ok(KeyChanges {
        generation: KeyGeneration(generation),
        changed,
    })
}

fn lookups(c: &Connection, shard: KeyShard, since: KeyGeneration) -> Result<Vec<LookupId>> {
    let mut statement = c.prepare_cached(
        "SELECT lookup FROM gatepost_key_change WHERE shard = ?1 AND generation > ?2",
    )?;
    let mut rows = statement.query(params![shard.0, since.0])?;
    let mut lookups = Vec::new();
    while let Some(row) = rows.next()? {
        lookups.push(parse(&Named::of(row), "lookup")?);
    }
    Ok(lookups)
}

fn next(c: &Connection) -> Result<i64> {
    let next =
        "UPDATE gatepost_key_generation SET generation = generation + 1 RETURNING generation";
    Ok(c.prepare_cached(next)?.query_row([], |row| row.get(0))?)
}
