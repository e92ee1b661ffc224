//! Inserts, edits and deletions of keys.

use apikey_core::{ApiKey, Expiration, KeyId};
use gatepost_storage::ErrorKind;
use gatepost_storage::keys::{KeyRow, Rolled};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::find::find;
use super::row;
use crate::column::micros;
use crate::error::{Failure, Result};
use crate::generations;
use crate::owners::row::{has_something, usage};

pub(super) fn insert(c: &Connection, key: &ApiKey, at_most: u64, rolled: Rolled) -> Result<KeyRow> {
    has_something(c, key.owner)?;
    name_free(c, key, None)?;
    let twin = "SELECT 1 FROM gatepost_key WHERE lookup = ?1";
    if c.prepare_cached(twin)?.exists([key.lookup.as_str()])? {
        return Err(Failure::new(
            ErrorKind::Conflict,
            "a key with that lookup id",
        ));
    }
    if at_most < u64::MAX && usage(c, key.owner)?.keys >= at_most {
        return Err(Failure::new(ErrorKind::Full, "rows"));
    }
    c.prepare_cached(include_str!("../sql/keys/insert.sql"))?
        .query_row(
            params![
                key.owner.to_bytes(),
                key.lookup.as_str(),
                key.hint.as_str(),
                key.digest.scheme.to_string(),
                key.digest.bytes.as_slice(),
                key.name.as_str(),
                key.description.as_str(),
                expires(key.expiration),
                key.ip.allow.to_string(),
                key.ip.deny.to_string(),
                micros(key.created),
                key.last_login.map(|l| micros(l.at)),
                key.last_login.map(|l| l.from.to_string()),
                key.enabled,
                key.grant.is_read_only(),
                key.grant.tables().to_string(),
                key.grant.scopes().to_string(),
                key.limit.map(i64::from),
                rolled.from.map(|id| id.0),
                key.locked,
            ],
            |row| Ok(row::key(row)),
        )?
}

pub(super) fn update(c: &Connection, row: &KeyRow) -> Result<KeyRow> {
    let stored = find(c, "k.id =", row.id.0)?.ok_or_else(|| Failure::not_found("key"))?;
    if stored.revision != row.revision {
        return Err(Failure::new(ErrorKind::Stale, "key"));
    }
    let owned = ApiKey {
        owner: stored.key.owner,
        ..row.key.clone()
    };
    name_free(c, &owned, Some(row.id))?;
    generations::changed(c, stored.key.lookup)?;
    c.prepare_cached(include_str!("../sql/keys/update.sql"))?
        .query_row(
            params![
                row.id.0,
                row.revision.0,
                row.key.name.as_str(),
                row.key.description.as_str(),
                expires(row.key.expiration),
                row.key.ip.allow.to_string(),
                row.key.ip.deny.to_string(),
                row.key.digest.scheme.to_string(),
                row.key.digest.bytes.as_slice(),
                row.key.enabled,
                row.key.grant.is_read_only(),
                row.key.grant.tables().to_string(),
                row.key.grant.scopes().to_string(),
                row.key.limit.map(i64::from),
                row.key.locked,
            ],
            |row| Ok(row::key(row)),
        )?
}

pub(super) fn roll(
    c: &Connection,
    old: &KeyRow,
    new: &ApiKey,
    at_most: u64,
) -> Result<(KeyRow, KeyRow)> {
    let stored = find(c, "k.id =", old.id.0)?.filter(|row| row.key.owner == new.owner);
    let stored = stored.ok_or_else(|| Failure::not_found("key"))?;
    if stored.revision != old.revision {
        return Err(Failure::new(ErrorKind::Stale, "key"));
    }
    let from = Rolled {
        from: Some(old.id),
        to: None,
    };
    let new = insert(c, new, at_most, from)?;
    generations::changed(c, stored.key.lookup)?;
    let expires = expires(old.key.expiration);
    let ended = c
        .prepare_cached(include_str!("../sql/keys/roll.sql"))?
        .query_row(
            params![old.id.0, old.revision.0, expires, new.id.0],
            |row| Ok(row::key(row)),
        )??;
    Ok((new, ended))
}

pub(super) fn delete(c: &Connection, id: KeyId) -> Result<()> {
    let sql = format!(
        "SELECT k.lookup FROM gatepost_key k WHERE k.id = ?1 AND {}",
        row::LIVE
    );
    let lookup: Option<String> = c
        .prepare_cached(&sql)?
        .query_row([id.0], |row| row.get(0))
        .optional()?;
    let lookup = lookup.ok_or_else(|| Failure::not_found("key"))?;
    c.prepare_cached("DELETE FROM gatepost_key WHERE id = ?1")?
        .execute([id.0])?;
    match lookup.parse() {
        Ok(lookup) => generations::changed(c, lookup),
        // Nobody holds a key whose lookup id cannot be read.
        Err(_) => Ok(()),
    }
}

fn name_free(c: &Connection, key: &ApiKey, own: Option<KeyId>) -> Result<()> {
    // What is still to be removed takes neither a name nor a lookup id.
    c.prepare_cached(include_str!("../sql/keys/remove_twins.sql"))?
        .execute(params![
            key.owner.to_bytes(),
            key.name.as_str(),
            key.lookup.as_str()
        ])?;
    let taken = "SELECT 1 FROM gatepost_key WHERE owner = ?1 AND name = ?2 AND id IS NOT ?3";
    if c.prepare_cached(taken)?.exists(params![
        key.owner.to_bytes(),
        key.name.as_str(),
        own.map(|id| id.0)
    ])? {
        return Err(Failure::new(
            ErrorKind::Conflict,
            "the owner has a key of that name",
        ));
    }
    Ok(())
}

fn expires(expiration: Expiration) -> Option<i64> {
    match expiration {
        Expiration::At(at) => Some(micros(at)),
        Expiration::Never => None,
    }
}
