//! API keys in memory.

use std::sync::atomic::Ordering;

use apikey_core::{Expiration, KeyId, LastLogin, LookupId};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::key_table::name_of;
use super::rows::{micros, page};
use super::store::{MemoryStore, lock};
use crate::error::{ErrorKind, StoreError};
use crate::keys::{ChangedKeys, KeyChanges, KeyGeneration, KeyQuery, KeyRow, KeyStore, Login};
use crate::page::Revision;

#[async_trait]
impl KeyStore for MemoryStore {
    async fn insert_key(&self, key: &apikey_core::ApiKey) -> Result<KeyRow, StoreError> {
        let mut keys = lock(&self.keys);
        let mut key = key.clone();
        key.created = micros(key.created);
        key.last_login = key.last_login.map(login_micros);
        key.expiration = expiration_micros(key.expiration);
        let mut row = KeyRow {
            id: KeyId(0),
            revision: Revision::FIRST,
            key,
        };
        if keys.name_taken(&row) {
            return Err(StoreError::new(
                ErrorKind::Conflict,
                "the owner has a key of that name",
            ));
        }
        if keys.by_lookup.contains_key(&row.key.lookup) {
            return Err(StoreError::new(
                ErrorKind::Conflict,
                "a key with that lookup id",
            ));
        }
        row.id = KeyId(keys.ids.next());
        keys.by_lookup.insert(row.key.lookup, row.id);
        keys.by_name.insert(name_of(&row), row.id);
        keys.rows.insert(row.id, row.clone());
        Ok(row)
    }

    async fn key(&self, id: KeyId) -> Result<Option<KeyRow>, StoreError> {
        Ok(lock(&self.keys).rows.get(&id).cloned())
    }

    async fn key_by_lookup(&self, lookup: LookupId) -> Result<Option<KeyRow>, StoreError> {
        let keys = lock(&self.keys);
        Ok(keys
            .by_lookup
            .get(&lookup)
            .and_then(|id| keys.rows.get(id))
            .cloned())
    }

    async fn list_keys(&self, query: &KeyQuery) -> Result<Vec<KeyRow>, StoreError> {
        Ok(page(&lock(&self.keys).rows, &query.page, |row| {
            query.owner.is_none_or(|o| row.key.owner == o)
                && query
                    .name
                    .as_ref()
                    .is_none_or(|n| row.key.name.as_str() == n)
        }))
    }

    async fn update_key(&self, row: &KeyRow, _now: DateTime<Utc>) -> Result<KeyRow, StoreError> {
        let mut keys = lock(&self.keys);
        let stored = keys
            .rows
            .get(&row.id)
            .ok_or_else(|| StoreError::not_found("key"))?;
        if stored.revision != row.revision {
            return Err(StoreError::new(ErrorKind::Stale, "key"));
        }
        let mut new = stored.clone();
        new.revision = stored.revision.next();
        new.key.name = row.key.name.clone();
        new.key.description = row.key.description.clone();
        new.key.expiration = expiration_micros(row.key.expiration);
        new.key.ip = row.key.ip.clone();
        new.key.digest = row.key.digest;
        if keys.name_taken(&new) {
            return Err(StoreError::new(
                ErrorKind::Conflict,
                "the owner has a key of that name",
            ));
        }
        keys.changed(new.key.lookup, &self.key_generation);
        if let Some(old) = keys.rows.insert(new.id, new.clone()) {
            keys.by_name.remove(&name_of(&old));
        }
        keys.by_name.insert(name_of(&new), new.id);
        Ok(new)
    }

    async fn delete_key(&self, id: KeyId, _now: DateTime<Utc>) -> Result<(), StoreError> {
        let mut keys = lock(&self.keys);
        let row = keys
            .rows
            .remove(&id)
            .ok_or_else(|| StoreError::not_found("key"))?;
        keys.by_lookup.remove(&row.key.lookup);
        keys.by_name.remove(&name_of(&row));
        keys.changed(row.key.lookup, &self.key_generation);
        Ok(())
    }

    async fn record_logins(&self, logins: &[Login]) -> Result<(), StoreError> {
        let mut keys = lock(&self.keys);
        for login in logins {
            if let Some(row) = keys.rows.get_mut(&login.key) {
                let new = login_micros(login.login);
                if row.key.last_login.is_none_or(|old| old.at < new.at) {
                    row.key.last_login = Some(new);
                }
            }
        }
        Ok(())
    }

    fn key_generation(&self) -> Option<KeyGeneration> {
        Some(KeyGeneration(self.key_generation.load(Ordering::Acquire)))
    }

    async fn key_changes(&self, since: KeyGeneration) -> Result<KeyChanges, StoreError> {
        let keys = lock(&self.keys);
        let generation = self.key_generation.load(Ordering::Acquire);
        let missed = generation
            .checked_sub(since.0)
            .and_then(|n| usize::try_from(n).ok());
        let missed = missed.filter(|n| *n <= keys.changes.len());
        let changed = match missed {
            Some(n) => ChangedKeys::These(keys.changes.iter().rev().take(n).copied().collect()),
            None => ChangedKeys::All,
        };
        Ok(KeyChanges {
            generation: KeyGeneration(generation),
            changed,
        })
    }
}

fn login_micros(login: LastLogin) -> LastLogin {
    LastLogin {
        at: micros(login.at),
        ..login
    }
}

fn expiration_micros(expiration: Expiration) -> Expiration {
    match expiration {
        Expiration::At(at) => Expiration::At(micros(at)),
        Expiration::Never => Expiration::Never,
    }
}
