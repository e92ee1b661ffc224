//! Owners in memory.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};

use super::rows::micros;
use super::store::{MemoryStore, Tables};
use crate::error::StoreError;
use crate::owners::{Gone, OwnerFilter, OwnerRow, OwnerStore, OwnerUsage, PassedOver};

#[async_trait]
impl OwnerStore for MemoryStore {
    async fn owner(&self, owner: OwnerId) -> Result<Option<OwnerRow>, StoreError> {
        Ok(self.tables().owners.row(owner))
    }

    async fn usage(&self, owner: OwnerId) -> Result<OwnerUsage, StoreError> {
        Ok(self.tables().usage(owner))
    }

    async fn set_owner(
        &self,
        owner: OwnerId,
        realm: Option<Place>,
        suspended: Option<bool>,
        _now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let mut tables = self.tables();
        let old = tables.owners.row(owner);
        let new = OwnerRow {
            owner,
            place: realm.unwrap_or_else(|| tables.owners.place(owner)),
            held: suspended.unwrap_or_else(|| old.is_some_and(|old| old.held)),
        };
        if old != Some(new) {
            tables.set_owner(new);
        }
        Ok(())
    }

    async fn list_owners(
        &self,
        which: OwnerFilter,
        after: Option<OwnerId>,
        limit: u32,
    ) -> Result<Vec<OwnerRow>, StoreError> {
        let tables = self.tables();
        Ok(match which {
            OwnerFilter::Suspended => {
                let held = tables.owners.held_after(after);
                held.take(limit as usize).collect()
            }
            OwnerFilter::Unplaced => {
                let unplaced = tables.owners.unplaced_after(after);
                // A task has its webhook's owner.
                let has_rows = |usage: OwnerUsage| usage.keys + usage.records.webhooks > 0;
                let unplaced = unplaced.filter(|row| has_rows(tables.usage(row.owner)));
                unplaced.take(limit as usize).collect()
            }
        })
    }

    async fn mark_gone(&self, gone: Gone, _now: DateTime<Utc>) -> Result<(), StoreError> {
        let mut tables = self.tables();
        let owners = match gone {
            Gone::Owner(owner) => vec![owner],
            Gone::Tenant(tenant) => tables.owners.at(Place::Tenant(tenant)).collect(),
        };
        for owner in owners {
            #[cfg(feature = "keys")]
            tables.keys.remove_of(owner, &self.generations);
            #[cfg(feature = "webhooks")]
            tables.remove_records_of(owner);
            tables.owners.mark_gone(owner);
        }
        Ok(())
    }

    async fn remove_gone(&self, limit: u32, _now: DateTime<Utc>) -> Result<u64, StoreError> {
        let mut tables = self.tables();
        #[cfg(feature = "webhooks")]
        let removed = tables.remove_gone(limit);
        #[cfg(not(feature = "webhooks"))]
        let removed = {
            let _ = (&mut tables, limit);
            0
        };
        Ok(removed)
    }

    async fn restored(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        let mut tables = self.tables();
        tables.audit.pass_over(PassedOver::of_log(now));
        #[cfg(feature = "keys")]
        tables.keys.restored(&self.generations, now);
        #[cfg(feature = "webhooks")]
        tables.records_restored(now);
        Ok(())
    }

    async fn lease(
        &self,
        name: &str,
        holder: u128,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let mut tables = self.tables();
        let leases = &mut tables.owners.leases;
        let by_another = |(by, until): &(u128, DateTime<Utc>)| *by != holder && *until > now;
        if leases.get(name).is_some_and(by_another) {
            return Ok(false);
        }
        leases.insert(name.to_owned(), (holder, micros(until)));
        Ok(true)
    }
}

impl Tables {
    fn usage(&self, owner: OwnerId) -> OwnerUsage {
        #[cfg(feature = "keys")]
        let keys = self.keys.by_owner.count(owner);
        #[cfg(not(feature = "keys"))]
        let keys = 0;
        #[cfg(feature = "webhooks")]
        let records = self.records.usage(owner);
        #[cfg(not(feature = "webhooks"))]
        let records = OwnerUsage::default().records;
        OwnerUsage { keys, records }
    }

    fn set_owner(&mut self, row: OwnerRow) {
        #[cfg(feature = "webhooks")]
        self.leave(row.owner, row.place);
        self.owners.put(row);
        #[cfg(feature = "webhooks")]
        self.enter(row.owner);
    }
}
