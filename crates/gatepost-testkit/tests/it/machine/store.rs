//! The reference store with one broken field: keys, owners, the audit log.

use apikey_core::{ApiKey, KeyId};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use gatepost_ids::{OwnerId, Realm};
use gatepost_kv::MemoryStore;
use gatepost_storage::audit::{AuditEntry, AuditId, AuditQuery, AuditRemoval, AuditRow};
use gatepost_storage::keys::{
    KeyChanges, KeyGeneration, KeyQuery, KeyRow, KeySelector, KeyShard, KeyUse, Login,
};
use gatepost_storage::owners::{OwnerFilter, OwnerRow, OwnerUsage, Removal};
use gatepost_storage::webhooks::{AttemptRecord, Delivery, OutboxRow, TaskRow};
use gatepost_storage::{AuditStore, KeyStore, OwnerStore, Row, StoreError};
use webhook_model::{Event, EventId, Webhook, WebhookId};

use super::breaker::Breaker;

pub(super) type Result<T> = std::result::Result<T, StoreError>;

/// The reference store, and the breaker for the rows of each table, of which one has a fault.
#[derive(Debug, Default)]
pub(super) struct Broken {
    pub(super) inner: MemoryStore,
    pub(super) keys: Breaker<KeyRow>,
    pub(super) owners: Breaker<OwnerRow>,
    pub(super) webhooks: Breaker<Row<WebhookId, Webhook>>,
    pub(super) tasks: Breaker<TaskRow>,
    pub(super) events: Breaker<Row<EventId, Event>>,
    pub(super) deliveries: Breaker<Delivery>,
    pub(super) attempts: Breaker<AttemptRecord>,
    pub(super) outbox: Breaker<OutboxRow>,
    pub(super) audit: Breaker<AuditRow>,
}

/// The methods of a trait that are passed on unchanged, and after them the others.
macro_rules! passed_on {
    ($trait:ident { $(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ok:ty;)* } $($more:tt)*) => {
        #[async_trait]
        impl $trait for Broken {
            $(async fn $name(&self, $($arg: $ty),*) -> Result<$ok> {
                self.inner.$name($($arg),*).await
            })*
            $($more)*
        }
    };
}
pub(super) use passed_on;

passed_on! { KeyStore {
    fn delete_key(id: KeyId, now: DateTime<Utc>) -> ();
    fn record_activity(logins: &[Login], uses: &[KeyUse]) -> ();
    fn key_uses(key: KeyId, from: NaiveDate, before: NaiveDate, limit: u32) -> Vec<KeyUse>;
    fn key_changes(shard: KeyShard, since: KeyGeneration) -> KeyChanges;
}
    async fn insert_key(&self, key: &ApiKey, at_most: u64) -> Result<KeyRow> {
        let row = self.inner.insert_key(key, at_most).await?;
        Ok(self.keys.written("insert_key", row.id.0, None, row))
    }

    async fn find_key(&self, selector: KeySelector) -> Result<Option<KeyRow>> {
        let row = self.inner.find_key(selector).await?;
        let method = match selector {
            KeySelector::Id(_) => "find_key, by id",
            KeySelector::Lookup(_) => "find_key, by lookup id",
        };
        Ok(row.map(|row| self.keys.read(method, row.id.0, row)))
    }

    async fn list_keys(&self, query: &KeyQuery) -> Result<Vec<KeyRow>> {
        let rows = self.inner.list_keys(query).await?.into_iter();
        Ok(rows.map(|row| self.keys.read("list_keys", row.id.0, row)).collect())
    }

    async fn expiring_keys(
        &self,
        after: (DateTime<Utc>, KeyId),
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<KeyRow>> {
        let rows = self.inner.expiring_keys(after, before, limit).await?.into_iter();
        Ok(rows.map(|row| self.keys.read("expiring_keys", row.id.0, row)).collect())
    }

    async fn update_key(&self, row: &KeyRow, now: DateTime<Utc>) -> Result<KeyRow> {
        let new = self.inner.update_key(row, now).await?;
        Ok(self.keys.written("update_key", new.id.0, Some(row), new))
    }

    async fn roll_key(
        &self,
        old: &KeyRow,
        new: &ApiKey,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Result<(KeyRow, KeyRow)> {
        let (new, ended) = self.inner.roll_key(old, new, at_most, now).await?;
        let new = self.keys.written("roll_key, new", new.id.0, None, new);
        let ended = self.keys.written("roll_key, old", ended.id.0, Some(old), ended);
        Ok((new, ended))
    }

    fn key_generation(&self, shard: KeyShard) -> Option<KeyGeneration> {
        self.inner.key_generation(shard)
    }
}

passed_on! { OwnerStore {
    fn usage(owner: OwnerId) -> OwnerUsage;
    fn mark_gone(gone: Removal, now: DateTime<Utc>) -> ();
    fn remove_gone(limit: u32, now: DateTime<Utc>) -> u64;
    fn restored(now: DateTime<Utc>) -> ();
    fn lease(name: &str, holder: u128, until: DateTime<Utc>, now: DateTime<Utc>) -> bool;
}
    async fn owner(&self, owner: OwnerId) -> Result<Option<OwnerRow>> {
        let row = self.inner.owner(owner).await?;
        Ok(row.map(|row| self.owners.read("owner", row.owner.0.cast_signed(), row)))
    }

    async fn set_owner(
        &self,
        owner: OwnerId,
        realm: Option<Realm>,
        suspended: Option<bool>,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let call = if realm.is_some() { "set_owner, realm" } else { "set_owner, suspended" };
        self.inner.set_owner(owner, realm, suspended, now).await?;
        if let Some(row) = self.inner.owner(owner).await? {
            self.owners.written(call, owner.0.cast_signed(), None, row);
        }
        Ok(())
    }

    async fn list_owners(
        &self,
        which: OwnerFilter,
        after: Option<OwnerId>,
        limit: u32,
    ) -> Result<Vec<OwnerRow>> {
        let rows = self.inner.list_owners(which, after, limit).await?.into_iter();
        let rows = rows.map(|row| self.owners.read("list_owners", row.owner.0.cast_signed(), row));
        Ok(rows.collect())
    }
}

passed_on! { AuditStore {
    fn remove_audit(which: AuditRemoval, limit: u32) -> u64;
}
    async fn append_audit(&self, entries: &[AuditEntry], most: u64) -> Result<()> {
        let broken = entries.iter().map(|entry| {
            let (id, entry) = (AuditId(0), entry.clone());
            let row = AuditRow { id, entry };
            self.audit.given("append_audit", row).entry
        });
        let broken: Vec<_> = broken.collect();
        self.inner.append_audit(&broken, most).await
    }

    async fn list_audit(&self, query: &AuditQuery) -> Result<Vec<AuditRow>> {
        let rows = self.inner.list_audit(query).await?.into_iter();
        Ok(rows.map(|row| self.audit.read("list_audit", row.id.0, row)).collect())
    }
}
