//! API keys.

use apikey_core::{ApiKey, Expiration, KeyId, LookupId, OwnerId};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use gatepost_storage::keys::{
    ChangedKeys, KeyChanges, KeyGeneration, KeyQuery, KeyRow, KeySelector, KeySlice, KeyUse, Login,
    Rolled,
};
use gatepost_storage::{ErrorKind, KeyStore, Page, StoreError};
use redb::ReadableDatabase as _;
use serde_json::json;

use super::error::{Answer, failed, panicked};
use super::owner_rows::in_scope;
use super::redb_store::{RedbStore, slice_name};
use super::tables::{COUNTERS, KEY_CHANGES, KEYS, NAMES, OWNERS, Tx, counter, page, row};
use super::{codec, key_uses};

/// How many changes are remembered. Whoever asks for older ones has to forget all keys.
const REMEMBERED: i64 = 10_000;

#[async_trait]
impl KeyStore for RedbStore {
    async fn insert_key(&self, key: &ApiKey, at_most: u64) -> Answer<KeyRow> {
        let key = key.clone();
        self.write(move |tx| insert(tx, &key, at_most, Rolled::default()))
            .await
    }

    async fn find_key(&self, selector: KeySelector) -> Answer<Option<KeyRow>> {
        self.read(move |tx, _| {
            let id = match selector {
                KeySelector::Id(id) => Some(id.0),
                KeySelector::Lookup(id) => {
                    let names = tx.open_table(NAMES).map_err(failed)?;
                    let found = names.get(lookup(id).as_str()).map_err(failed)?;
                    found.map(|found| found.value())
                }
            };
            let Some(id) = id else {
                return Ok(None);
            };
            let keys = tx.open_table(KEYS).map_err(failed)?;
            row(&keys, id)?.map(|row| codec::decode(&row)).transpose()
        })
        .await
    }

    async fn list_keys(&self, query: &KeyQuery) -> Answer<Vec<KeyRow>> {
        let query = query.clone();
        self.read(move |tx, _| {
            let keys = tx.open_table(KEYS).map_err(failed)?;
            let owners = tx.open_table(OWNERS).map_err(failed)?;
            let KeyQuery {
                scope,
                name,
                page: p,
            } = query;
            let p = p.numbered(|id| id.0);
            let wanted = |row: &serde_json::Value| {
                Ok(in_scope(&owners, scope, row)?
                    && name.as_ref().is_none_or(|n| row["name"] == n.as_str()))
            };
            page(&keys, &p, wanted, |_, row| codec::decode(&row).map(Some))
        })
        .await
    }

    /// Walks all keys: an index would be a table of its own.
    async fn expiring_keys(
        &self,
        after: (DateTime<Utc>, KeyId),
        before: DateTime<Utc>,
        limit: u32,
    ) -> Answer<Vec<KeyRow>> {
        let every = Page::first(u32::MAX);
        let mut found = self.list_keys(&KeyQuery::all(every)).await?;
        let expiry = |row: &KeyRow| match row.key.expiration {
            Expiration::At(at) => Some((at, row.id)),
            Expiration::Never => None,
        };
        found.retain(|row| expiry(row).is_some_and(|at| at > after && at.0 < before));
        found.sort_by_key(expiry);
        found.truncate(limit as usize);
        Ok(found)
    }

    async fn update_key(&self, row: &KeyRow, _now: DateTime<Utc>) -> Answer<KeyRow> {
        let edit = row.clone();
        self.write(move |tx| {
            let old = stored(tx, edit.id)?;
            let new = old.edited_by(&edit)?;
            tx.take_name(
                &name(&new.key),
                new.id.0,
                "the owner has a key of that name",
            )?;
            if new.key.name != old.key.name {
                tx.free_name(&name(&old.key))?;
            }
            tx.put(KEYS, new.id.0, &codec::encode(&new)?)?;
            changed(tx, new.key.lookup)?;
            Ok(new)
        })
        .await
    }

    async fn roll_key(
        &self,
        old: &KeyRow,
        new: &ApiKey,
        at_most: u64,
        _now: DateTime<Utc>,
    ) -> Answer<(KeyRow, KeyRow)> {
        let (old, new) = (old.clone(), new.clone());
        self.write(move |tx| {
            let mut ended = stored(tx, old.id)?;
            if ended.key.owner != new.owner {
                return Err(StoreError::not_found("key"));
            }
            ended = ended.rolled_by(&old)?;
            let from = Rolled {
                from: Some(old.id),
                to: None,
            };
            let new = insert(tx, &new, at_most, from)?;
            ended.rolled.to = Some(new.id);
            tx.put(KEYS, ended.id.0, &codec::encode(&ended)?)?;
            changed(tx, ended.key.lookup)?;
            Ok((new, ended))
        })
        .await
    }

    async fn delete_key(&self, id: KeyId, _now: DateTime<Utc>) -> Answer<()> {
        self.write(move |tx| {
            let old = stored(tx, id)?;
            remove(tx, &old)
        })
        .await
    }

    async fn record_activity(&self, logins: &[Login], uses: &[KeyUse]) -> Answer<()> {
        let (logins, uses) = (logins.to_vec(), KeyUse::merged(uses));
        self.write(move |tx| {
            for Login { key, login } in logins {
                let Some(row) = tx.row(KEYS, key.0)? else {
                    continue;
                };
                let mut row: KeyRow = codec::decode(&row)?;
                if row.log_in(login) {
                    tx.put(KEYS, key.0, &codec::encode(&row)?)?;
                }
            }
            key_uses::add(tx, &uses)
        })
        .await
    }

    async fn key_uses(
        &self,
        key: KeyId,
        from: NaiveDate,
        before: NaiveDate,
        limit: u32,
    ) -> Answer<Vec<KeyUse>> {
        self.read(move |tx, _| key_uses::list(tx, key, from..before, limit))
            .await
    }

    fn key_generation(&self, slice: KeySlice) -> Option<KeyGeneration> {
        Some(KeyGeneration(self.generation(slice)))
    }

    async fn key_changes(&self, slice: KeySlice, since: KeyGeneration) -> Answer<KeyChanges> {
        let db = self.db.clone();
        let asked = tokio::task::spawn_blocking(move || {
            let tx = db.begin_read().map_err(failed)?;
            let generation = counter(&tx.open_table(COUNTERS).map_err(failed)?, "key_generation")?;
            let mut changed = Vec::new();
            for change in tx
                .open_table(KEY_CHANGES)
                .map_err(failed)?
                .range(since.0.saturating_add(1)..)
                .map_err(failed)?
            {
                let (_, id) = change.map_err(failed)?;
                let id: LookupId = id
                    .value()
                    .parse()
                    .map_err(|_| codec::corrupt("key_change"))?;
                changed.push(id);
            }
            // The log is of all slices, so a gap shows.
            let generation = KeyGeneration(generation);
            let changed = ChangedKeys::logged(changed, since, generation).of_slice(slice);
            Ok(KeyChanges {
                generation,
                changed,
            })
        });
        asked.await.map_err(panicked)?
    }
}

fn insert(tx: &Tx, key: &ApiKey, at_most: u64, rolled: Rolled) -> Answer<KeyRow> {
    let row = KeyRow::inserted(KeyId(tx.count("key")?), key, rolled);
    tx.take_name(
        &name(&row.key),
        row.id.0,
        "the owner has a key of that name",
    )?;
    tx.take_name(
        &lookup(row.key.lookup),
        row.id.0,
        "a key with that lookup id",
    )?;
    if keys_of(tx, row.key.owner)?.len() as u64 >= at_most {
        return Err(StoreError::new(ErrorKind::Full, "rows"));
    }
    tx.has_something(row.key.owner)?;
    tx.put(KEYS, row.id.0, &codec::encode(&row)?)?;
    Ok(row)
}

/// All keys of an owner.
pub(super) fn keys_of(tx: &Tx, owner: OwnerId) -> Answer<Vec<KeyRow>> {
    let rows = tx.rows(KEYS)?.into_iter();
    let own = rows.filter(|(_, row)| row["owner"] == json!(owner));
    own.map(|(_, row)| codec::decode(&row)).collect()
}

pub(super) fn remove(tx: &Tx, old: &KeyRow) -> Answer<()> {
    tx.free_name(&name(&old.key))?;
    tx.free_name(&lookup(old.key.lookup))?;
    tx.remove(KEYS, old.id.0)?;
    key_uses::forget(tx, old.id, NaiveDate::MAX)?;
    changed(tx, old.key.lookup)
}

fn stored(tx: &Tx, id: KeyId) -> Answer<KeyRow> {
    let row = tx
        .row(KEYS, id.0)?
        .ok_or_else(|| StoreError::not_found("key"))?;
    codec::decode(&row)
}

/// Moves the generation of the key's slice and remembers who moved it.
fn changed(tx: &Tx, lookup: LookupId) -> Answer<()> {
    let generation = tx.count("key_generation")?;
    let mut changes = tx.open(KEY_CHANGES)?;
    changes
        .insert(generation, lookup.to_string().as_str())
        .map_err(failed)?;
    changes.remove(generation - REMEMBERED).map_err(failed)?;
    let slice = KeySlice::of(lookup);
    tx.set_counter(&slice_name(slice), generation)?;
    tx.moved.borrow_mut().push((slice, generation));
    Ok(())
}

fn name(key: &ApiKey) -> String {
    format!("key/{}/{}", key.owner.0, key.name)
}

fn lookup(id: LookupId) -> String {
    format!("lookup/{id}")
}
