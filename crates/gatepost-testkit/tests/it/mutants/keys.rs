//! A key store with one fault, named by the clause that it breaks.

use std::sync::Mutex;

use apikey_core::{ApiKey, KeyId, LastLogin, LookupId};
use async_trait::async_trait;
use chrono::{DateTime, SubsecRound, Utc};
use gatepost_storage::keys::{ChangedKeys, KeyChanges, KeyGeneration, KeyQuery, KeyRow, Login};
use gatepost_storage::{ErrorKind, KeyStore, MemoryStore, StoreError};

#[derive(Debug)]
pub(crate) struct Mutant {
    inner: MemoryStore,
    fault: String,
    last: Mutex<Option<LastLogin>>,
}

impl Mutant {
    pub(crate) fn new(fault: &str) -> Self {
        Self {
            inner: MemoryStore::new(),
            fault: fault.to_owned(),
            last: Mutex::new(None),
        }
    }

    fn is(&self, faults: &[&str]) -> bool {
        faults.contains(&self.fault.as_str())
    }
}

#[async_trait]
impl KeyStore for Mutant {
    async fn insert_key(&self, key: &ApiKey) -> Result<KeyRow, StoreError> {
        let mut key = key.clone();
        if self.is(&["k13"]) {
            key.created = key.created.trunc_subsecs(3);
        }
        let mut answer = self.inner.insert_key(&key).await;
        if self.is(&["k17"]) {
            let digest = format!("{:?}", String::from_utf8_lossy(&key.digest.bytes));
            let hex: String = key
                .digest
                .bytes
                .iter()
                .map(|b| format!("{b:02x}"))
                .collect();
            answer = answer.map_err(|e| e.with_source(digest + &hex));
        }
        if self.is(&["k02", "k03", "k04"]) && answer.is_err() {
            answer = Ok(self.inner.key(KeyId(1)).await?.unwrap());
        }
        if self.is(&["k08"]) {
            answer = answer.map(|row| KeyRow {
                id: KeyId(1),
                ..row
            });
        }
        answer
    }

    async fn key(&self, id: KeyId) -> Result<Option<KeyRow>, StoreError> {
        let mut row = self.inner.key(id).await?;
        let last = *self.last.lock().unwrap();
        if let (Some(row), Some(last)) = (&mut row, last) {
            if self.is(&["k11"]) {
                row.key.last_login = Some(last);
            }
            if self.is(&["k14"]) {
                row.revision = row.revision.next();
            }
        }
        Ok(row)
    }

    async fn key_by_lookup(&self, lookup: LookupId) -> Result<Option<KeyRow>, StoreError> {
        if self.is(&["k01"]) {
            return Ok(None);
        }
        self.inner.key_by_lookup(lookup).await
    }

    async fn list_keys(&self, query: &KeyQuery) -> Result<Vec<KeyRow>, StoreError> {
        let mut query = query.clone();
        if self.is(&["k12"]) {
            query.page.after = query.page.after.map(|id| KeyId(id.0 + 1));
        }
        if self.is(&["k15"]) {
            query.name = None;
        }
        self.inner.list_keys(&query).await
    }

    async fn update_key(&self, row: &KeyRow, now: DateTime<Utc>) -> Result<KeyRow, StoreError> {
        let mut shown = row.clone();
        if self.is(&["k05"]) {
            shown.revision = self.inner.key(row.id).await?.unwrap().revision;
        }
        match self.inner.update_key(&shown, now).await {
            Ok(mut new) => {
                if self.is(&["k06"]) {
                    new.key.owner = row.key.owner;
                }
                Ok(new)
            }
            Err(e) if self.is(&["k16"]) && e.kind() == ErrorKind::NotFound => {
                self.inner.insert_key(&row.key).await
            }
            Err(e) => Err(e),
        }
    }

    async fn delete_key(&self, id: KeyId, now: DateTime<Utc>) -> Result<(), StoreError> {
        if self.is(&["k07"]) {
            return Ok(());
        }
        self.inner.delete_key(id, now).await
    }

    async fn record_logins(&self, logins: &[Login]) -> Result<(), StoreError> {
        *self.last.lock().unwrap() = logins.last().map(|l| l.login);
        self.inner.record_logins(logins).await
    }

    fn key_generation(&self) -> Option<KeyGeneration> {
        if self.is(&["k09"]) {
            return Some(KeyGeneration(0));
        }
        self.inner.key_generation()
    }

    async fn key_changes(&self, since: KeyGeneration) -> Result<KeyChanges, StoreError> {
        let mut changes = self.inner.key_changes(since).await?;
        if self.is(&["k10"]) {
            changes.changed = ChangedKeys::These(Vec::new());
        }
        Ok(changes)
    }
}
