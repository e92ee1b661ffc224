//! Inserts, edits and deletions of keys.

use apikey_core::{ApiKey, KeyId};
use gatepost_storage::ErrorKind;
use gatepost_storage::keys::{KeyRow, Rolled};
use rusqlite::{Connection, params};

use super::find::find;
use super::row::{LIVE, SQL, store};
use crate::error::{Failure, Result};
use crate::generations;
use crate::owners::row::{has_something, usage};
use crate::sql::{Sql as _, value};

pub(super) fn insert(c: &Connection, key: &ApiKey, at_most: u64, rolled: Rolled) -> Result<KeyRow> {
    has_something(c, key.owner)?;
    name_free(c, key, None)?;
    let twin = "SELECT 1 FROM gatepost_key WHERE lookup = ?1";
    if c.has(twin, [key.lookup.as_str()])? {
        return Err(Failure::new(
            ErrorKind::Conflict,
            "a key with that lookup id",
        ));
    }
    if at_most < u64::MAX && usage(c, key.owner)?.keys >= at_most {
        return Err(Failure::new(ErrorKind::Full, "rows"));
    }
    let row = KeyRow::inserted(KeyId(0), key, rolled);
    store(c, &SQL.insert, key.owner.to_bytes().to_vec().into(), &row)
}

pub(super) fn update(c: &Connection, row: &KeyRow) -> Result<KeyRow> {
    let stored = find(c, "k.id =", row.id.0)?.ok_or_else(|| Failure::not_found("key"))?;
    let new = stored.edited_by(row)?;
    name_free(c, &new.key, Some(new.id))?;
    generations::changed(c, new.key.lookup)?;
    store(c, &SQL.update, new.id.0.into(), &new)
}

pub(super) fn roll(
    c: &Connection,
    old: &KeyRow,
    new: &ApiKey,
    at_most: u64,
) -> Result<(KeyRow, KeyRow)> {
    let stored = find(c, "k.id =", old.id.0)?.filter(|row| row.key.owner == new.owner);
    let stored = stored.ok_or_else(|| Failure::not_found("key"))?;
    let mut ended = stored.rolled_by(old)?;
    let from = Rolled {
        from: Some(old.id),
        to: None,
    };
    let new = insert(c, new, at_most, from)?;
    generations::changed(c, ended.key.lookup)?;
    ended.rolled.to = Some(new.id);
    let ended = store(c, &SQL.update, ended.id.0.into(), &ended)?;
    Ok((new, ended))
}

pub(super) fn delete(c: &Connection, id: KeyId) -> Result<()> {
    let sql = format!(
        "SELECT k.lookup FROM gatepost_key k WHERE k.id = ?1 AND {}",
        LIVE
    );
    let lookup: Option<String> = c.first(&sql, [id.0], value)?;
    let lookup = lookup.ok_or_else(|| Failure::not_found("key"))?;
    c.run("DELETE FROM gatepost_key WHERE id = ?1", [id.0])?;
    match lookup.parse() {
        Ok(lookup) => generations::changed(c, lookup),
        // No cache holds a key whose lookup id cannot be read.
        Err(_) => Ok(()),
    }
}

fn name_free(c: &Connection, key: &ApiKey, own: Option<KeyId>) -> Result<()> {
    // A row that is still to remove must not block a name or a lookup id.
    let (owner, name) = (key.owner.to_bytes(), key.name.as_str());
    let twins = params![owner, name, key.lookup.as_str()];
    c.run(sql!("keys/remove_twins"), twins)?;
    let taken = "SELECT 1 FROM gatepost_key WHERE owner = ?1 AND name = ?2 AND id IS NOT ?3";
    if c.has(taken, params![owner, name, own.map(|id| id.0)])? {
        return Err(Failure::new(
            ErrorKind::Conflict,
            "the owner has a key of that name",
        ));
    }
    Ok(())
}
