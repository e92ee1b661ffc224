//! API keys.

mod row;

use apikey_core::{ApiKey, Expiration, KeyId, LookupId};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_storage::ErrorKind;
use gatepost_storage::keys::{
    ChangedKeys, KeyChanges, KeyGeneration, KeyQuery, KeyRow, KeyStore, Login,
};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::column::{micros, parse};
use crate::error::{Answer, Failure, Result};
use crate::list::List;
use crate::store::SqliteStore;

/// How many changes are remembered. Whoever asks for older ones has to forget all keys.
const CHANGES_KEPT: i64 = 10_000;

#[async_trait]
impl KeyStore for SqliteStore {
    async fn insert_key(&self, key: &ApiKey) -> Answer<KeyRow> {
        let key = key.clone();
        self.write(move |c| insert(c, &key)).await
    }

    async fn key(&self, id: KeyId) -> Answer<Option<KeyRow>> {
        self.read(move |c| find(c, "id =", id.0)).await
    }

    async fn key_by_lookup(&self, lookup: LookupId) -> Answer<Option<KeyRow>> {
        self.read(move |c| find(c, "lookup =", lookup.as_str().to_owned()))
            .await
    }

    async fn list_keys(&self, query: &KeyQuery) -> Answer<Vec<KeyRow>> {
        let list = List::of(row::COLUMNS)
            .filter("owner =", query.owner.map(|o| o.0))
            .filter("name =", query.name.clone());
        let page = query.page;
        self.read(move |c| list.page(c, &page, |id| id.0, row::key))
            .await
    }

    async fn update_key(&self, row: &KeyRow, _now: DateTime<Utc>) -> Answer<KeyRow> {
        let row = row.clone();
        self.write(move |c| update(c, &row)).await
    }

    async fn delete_key(&self, id: KeyId, _now: DateTime<Utc>) -> Answer<()> {
        self.write(move |c| {
            let lookup: Option<String> = c
                .prepare_cached("DELETE FROM gatepost_key WHERE id = ?1 RETURNING lookup")?
                .query_row([id.0], |row| row.get(0))
                .optional()?;
            changed(c, &lookup.ok_or_else(|| Failure::not_found("key"))?)
        })
        .await
    }

    async fn record_logins(&self, logins: &[Login]) -> Answer<()> {
        let logins = logins.to_vec();
        self.write(move |c| {
            let mut record = c.prepare_cached(include_str!("../sql/keys/record_login.sql"))?;
            for Login { key, login } in logins {
                record.execute(params![key.0, micros(login.at), login.from.to_string()])?;
            }
            Ok(())
        })
        .await
    }

    fn key_generation(&self) -> Option<KeyGeneration> {
        self.watch().key_generation().map(KeyGeneration)
    }

    async fn key_changes(&self, since: KeyGeneration) -> Answer<KeyChanges> {
        self.read(move |c| changes(c, since)).await
    }
}

fn insert(c: &Connection, key: &ApiKey) -> Result<KeyRow> {
    name_free(c, key, None)?;
    let twin = "SELECT 1 FROM gatepost_key WHERE lookup = ?1";
    if c.prepare_cached(twin)?.exists([key.lookup.as_str()])? {
        return Err(Failure::new(
            ErrorKind::Conflict,
            "a key with that lookup id",
        ));
    }
    c.prepare_cached(include_str!("../sql/keys/insert.sql"))?
        .query_row(
            params![
                key.owner.0,
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
            ],
            |row| Ok(row::key(row)),
        )?
}

fn update(c: &Connection, row: &KeyRow) -> Result<KeyRow> {
    let stored = find(c, "id =", row.id.0)?.ok_or_else(|| Failure::not_found("key"))?;
    if stored.revision != row.revision {
        return Err(Failure::new(ErrorKind::Stale, "key"));
    }
    let owned = ApiKey {
        owner: stored.key.owner,
        ..row.key.clone()
    };
    name_free(c, &owned, Some(row.id))?;
    changed(c, stored.key.lookup.as_str())?;
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
            ],
            |row| Ok(row::key(row)),
        )?
}

fn find(
    c: &Connection,
    condition: &str,
    value: impl Into<rusqlite::types::Value>,
) -> Result<Option<KeyRow>> {
    c.prepare_cached(&format!("SELECT {} WHERE {condition} ?1", row::COLUMNS))?
        .query_row([value.into()], |row| Ok(row::key(row)))
        .optional()?
        .transpose()
}

fn name_free(c: &Connection, key: &ApiKey, own: Option<KeyId>) -> Result<()> {
    let taken = "SELECT 1 FROM gatepost_key WHERE owner = ?1 AND name = ?2 AND id IS NOT ?3";
    if c.prepare_cached(taken)?.exists(params![
        key.owner.0,
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

/// Moves the generation, notes which key it was, and forgets the oldest change.
fn changed(c: &Connection, lookup: &str) -> Result<()> {
    let next =
        "UPDATE gatepost_key_generation SET generation = generation + 1 RETURNING generation";
    let generation: i64 = c.prepare_cached(next)?.query_row([], |row| row.get(0))?;
    c.prepare_cached("INSERT INTO gatepost_key_change (generation, lookup) VALUES (?1, ?2)")?
        .execute(params![generation, lookup])?;
    c.prepare_cached("DELETE FROM gatepost_key_change WHERE generation <= ?1")?
        .execute([generation - CHANGES_KEPT])?;
    Ok(())
}

fn changes(c: &Connection, since: KeyGeneration) -> Result<KeyChanges> {
    let generation: i64 = c
        .prepare_cached("SELECT generation FROM gatepost_key_generation")?
        .query_row([], |row| row.get(0))?;
    let mut statement =
        c.prepare_cached("SELECT lookup FROM gatepost_key_change WHERE generation > ?1")?;
    let mut rows = statement.query([since.0])?;
    let mut lookups = Vec::new();
    while let Some(row) = rows.next()? {
        lookups.push(parse(row, "lookup")?);
    }
    let generation = KeyGeneration(generation);
    Ok(KeyChanges {
        generation,
        changed: ChangedKeys::logged(lookups, since, generation),
    })
}

fn expires(expiration: Expiration) -> Option<i64> {
    match expiration {
        Expiration::At(at) => Some(micros(at)),
        Expiration::Never => None,
    }
}
