//! API keys in memory.

use apikey_core::{ApiKey, KeyId};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};

use super::key_table::KeyTable;
use super::rows::{page, page_of};
use super::store::{MemoryStore, Tables};
use crate::error::{ErrorKind, StoreError};
use crate::keys::{
    KeyChanges, KeyGeneration, KeyQuery, KeyRow, KeySelector, KeySlice, KeyStore, KeyUse, Login,
    Rolled,
};

#[async_trait]
impl KeyStore for MemoryStore {
    async fn insert_key(&self, key: &ApiKey, at_most: u64) -> Result<KeyRow, StoreError> {
        insert(&mut self.tables(), key, at_most, Rolled::default())
    }

    async fn find_key(&self, selector: KeySelector) -> Result<Option<KeyRow>, StoreError> {
        let tables = self.tables();
        let id = match selector {
            KeySelector::Id(id) => Some(id),
            KeySelector::Lookup(lookup) => tables.keys.by_lookup.get(&lookup).copied(),
        };
        Ok(id.and_then(|id| tables.keys.rows.get(&id)).cloned())
    }

    async fn list_keys(&self, query: &KeyQuery) -> Result<Vec<KeyRow>, StoreError> {
        let tables = self.tables();
        let keys = &tables.keys;
        let wanted = |row: &KeyRow| {
            let name = query.name.as_ref();
            name.is_none_or(|name| row.key.name.as_str() == name)
        };
        let found = match tables.owners.of(query.scope) {
            None => page(&keys.rows, &query.page, wanted),
            Some(owners) => page_of(&keys.rows, (&keys.by_owner, &owners), &query.page, wanted),
        };
        Ok(found.into_iter().cloned().collect())
    }

    async fn expiring_keys(
        &self,
        after: (DateTime<Utc>, KeyId),
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<KeyRow>, StoreError> {
        let tables = self.tables();
        let found = tables.keys.expiring(after, before);
        Ok(found.take(limit as usize).cloned().collect())
    }

    async fn update_key(&self, row: &KeyRow, _now: DateTime<Utc>) -> Result<KeyRow, StoreError> {
        let mut tables = self.tables();
        let stored = tables.keys.rows.get(&row.id);
        let stored = stored.ok_or_else(|| StoreError::not_found("key"))?;
        let new = stored.edited_by(row)?;
        check_name(&tables.keys, &new)?;
        tables.keys.put(new.clone());
        tables.keys.changed(new.key.lookup, &self.generations);
        Ok(new)
    }

    async fn roll_key(
        &self,
        old: &KeyRow,
        new: &ApiKey,
        at_most: u64,
        _now: DateTime<Utc>,
    ) -> Result<(KeyRow, KeyRow), StoreError> {
        let mut tables = self.tables();
        let stored = tables.keys.rows.get(&old.id);
        let stored = stored.filter(|row| row.key.owner == new.owner);
        let stored = stored.ok_or_else(|| StoreError::not_found("key"))?;
        let mut ended = stored.rolled_by(old)?;
        let from = Rolled {
            from: Some(old.id),
            to: None,
        };
        let new = insert(&mut tables, new, at_most, from)?;
        ended.rolled.to = Some(new.id);
        tables.keys.put(ended.clone());
        tables.keys.changed(ended.key.lookup, &self.generations);
        Ok((new, ended))
    }

    async fn delete_key(&self, id: KeyId, _now: DateTime<Utc>) -> Result<(), StoreError> {
        let mut tables = self.tables();
        let row = tables.keys.remove(id);
        let row = row.ok_or_else(|| StoreError::not_found("key"))?;
        tables.keys.changed(row.key.lookup, &self.generations);
        Ok(())
    }

    async fn record_activity(&self, logins: &[Login], uses: &[KeyUse]) -> Result<(), StoreError> {
        let mut tables = self.tables();
        for login in logins {
            if let Some(row) = tables.keys.rows.get_mut(&login.key) {
                row.log_in(login.login);
            }
        }
        for day in KeyUse::merged(uses) {
            tables.keys.used(&day);
        }
        Ok(())
    }

    async fn key_uses(
        &self,
        key: KeyId,
        from: NaiveDate,
        before: NaiveDate,
        limit: u32,
    ) -> Result<Vec<KeyUse>, StoreError> {
        let tables = self.tables();
        let days = tables.keys.uses(key, from, before);
        Ok(days.take(limit as usize).copied().collect())
    }

    fn key_generation(&self, slice: KeySlice) -> Option<KeyGeneration> {
        Some(self.generations.get(slice))
    }

    async fn key_changes(
        &self,
        slice: KeySlice,
        since: KeyGeneration,
    ) -> Result<KeyChanges, StoreError> {
        Ok(self.tables().keys.changes(slice, since))
    }
}

fn insert(
    tables: &mut Tables,
    key: &ApiKey,
    at_most: u64,
    rolled: Rolled,
) -> Result<KeyRow, StoreError> {
    let mut row = KeyRow::inserted(KeyId(0), key, rolled);
    check_name(&tables.keys, &row)?;
    if tables.keys.by_lookup.contains_key(&row.key.lookup) {
        return Err(StoreError::new(
            ErrorKind::Conflict,
            "a key with that lookup id",
        ));
    }
    if tables.keys.by_owner.count(row.key.owner) >= at_most {
        return Err(StoreError::new(ErrorKind::Full, "rows"));
    }
    row.id = tables.keys.next_id();
    tables.owners.has_something(row.key.owner);
    tables.keys.put(row.clone());
    Ok(row)
}

fn check_name(keys: &KeyTable, row: &KeyRow) -> Result<(), StoreError> {
    if keys.name_taken(row) {
        return Err(StoreError::new(
            ErrorKind::Conflict,
            "the owner has a key of that name",
        ));
    }
    Ok(())
}
