//! The generations of shards of keys: every edit and deletion moves them, and they are checked
//! before every use of a key that is held in memory.

use apikey_core::LookupId;
use gatepost_storage::keys::{ChangedKeys, KeyChanges, KeyGeneration, KeyShard};
use rusqlite::{Connection, params};

use crate::column::parse;
use crate::error::Result;
use crate::named::Named;
use crate::sql::{Sql as _, value};

/// The number of changes of a shard that are remembered. A caller that asks for older changes must
/// drop all keys of the shard.
const CHANGES_KEPT: i64 = 64;

/// Moves the generation of the key's shard, records the changed key, and deletes the oldest change.
pub(crate) fn changed(c: &Connection, lookup: LookupId) -> Result<()> {
    let (shard, generation) = (KeyShard::of(lookup).0, next(c)?);
    let sql = "INSERT INTO gatepost_key_change (shard, generation, lookup) VALUES (?1, ?2, ?3)";
    c.run(sql, params![shard, generation, lookup.as_str()])?;
    let sql = sql!("keys/move_shard");
    let forgotten: i64 = c.one(sql, params![shard, generation, CHANGES_KEPT], value)?;
    let sql = "DELETE FROM gatepost_key_change WHERE shard = ?1 AND generation <= ?2";
    c.run(sql, params![shard, forgotten])
}

/// Moves all shards, because more keys were changed than can be named.
pub(crate) fn changed_at_large(c: &Connection) -> Result<()> {
    let generation = next(c)?;
    let sql = "UPDATE gatepost_key_shard SET generation = ?1, forgotten = ?1";
    c.run(sql, [generation])?;
    c.run("DELETE FROM gatepost_key_change", [])
}

/// Returns the changes in a shard, read in one transaction.
pub(crate) fn changes(c: &Connection, shard: KeyShard, since: KeyGeneration) -> Result<KeyChanges> {
    let tx = c.unchecked_transaction()?;
    let (forgotten, generation): (i64, i64) =
        tx.one(sql!("keys/generation"), [shard.0], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
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
    let sql = "SELECT lookup FROM gatepost_key_change WHERE shard = ?1 AND generation > ?2";
    let params = params![shard.0, since.0];
    c.all(sql, params, |row| parse(&Named::of(row), "lookup"))
}

fn next(c: &Connection) -> Result<i64> {
    let next =
        "UPDATE gatepost_key_generation SET generation = generation + 1 RETURNING generation";
    c.one(next, [], value)
}
