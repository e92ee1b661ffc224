//! Owners: their realms, their usage, and the removal of their data.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::owners::{OwnerFilter, OwnerRow, OwnerUsage, Removal};
use gatepost_storage::{OwnerStore, StoreError};
use serde::{Deserialize, Serialize};

use super::error::Outcome;
use super::key::Key;
use super::kv_store::KvStore;
use super::owner_status::{self, Standing};
use super::realms::Change;
use super::record_changes::{records_of, remove_records_of};
use super::tables::{KEY_COUNT, LEASES, OWNER_GONE, OWNER_HELD, OWNER_UNPLACED, USAGE};
use super::tx::row;
use super::{deleted, keys, numbers, realms, record_changes, sessions};
use crate::contract::View;

#[derive(Deserialize, Serialize)]
struct Lease {
    holder: String,
    until: i64,
}

#[async_trait]
impl OwnerStore for KvStore {
    async fn owner(&self, owner: OwnerId) -> Result<Option<OwnerRow>, StoreError> {
        self.read(move |view| {
            Ok(owner_status::get(view, owner)?.map(|standing| standing.row(owner)))
        })
        .await
    }

    async fn usage(&self, owner: OwnerId) -> Result<OwnerUsage, StoreError> {
        self.read(move |view| usage(view, owner)).await
    }

    async fn set_owner(
        &self,
        owner: OwnerId,
        realm: Option<Realm>,
        suspended: Option<bool>,
        _now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.write(move |tx| {
            let old = owner_status::get(tx, owner)?;
            let before = old.unwrap_or(Standing::UNKNOWN);
            let mut new = Standing {
                place: realm.unwrap_or(before.place),
                held: suspended.unwrap_or(before.held),
                ..before
            };
            if old.is_some_and(|old| (old.place, old.held) == (new.place, new.held)) {
                return Ok(());
            }
            let leaves = before.place != new.place && before.place != Realm::Shared;
            if leaves && deleted::has_open(tx, owner)? {
                new.moves += 1;
                new.is_moving = true;
            }
            let left = Change::Records(records_of(tx, owner)?);
            realms::changed(tx, before.place, &left)?;
            owner_status::put(tx, owner, &new, old)?;
            realms::changed(tx, new.place, &Change::Entered(owner))?;
            Ok(())
        })
        .await
    }

    async fn list_owners(
        &self,
        which: OwnerFilter,
        after: Option<OwnerId>,
        limit: u32,
    ) -> Result<Vec<OwnerRow>, StoreError> {
        self.read(move |view| {
            let table = match which {
                OwnerFilter::Suspended => OWNER_HELD,
                OwnerFilter::Unplaced => OWNER_UNPLACED,
            };
            let mut found = Vec::new();
            for owner in owner_status::owners(view, table, after)? {
                if found.len() == limit as usize {
                    break;
                }
                match which {
                    OwnerFilter::Suspended => {
                        found.extend(owner_status::get(view, owner)?.map(|held| held.row(owner)));
                    }
                    OwnerFilter::Unplaced => {
                        let has = usage(view, owner)?;
                        let unplaced = Standing::UNKNOWN.row(owner);
                        // A task has its webhook's owner.
                        found.extend((has.keys + has.records.webhooks > 0).then_some(unplaced));
                    }
                }
            }
            Ok(found)
        })
        .await
    }

    async fn mark_gone(&self, gone: Removal, _now: DateTime<Utc>) -> Result<(), StoreError> {
        self.write(move |tx| {
            let owners = match gone {
                Removal::Owner(owner) => vec![owner],
                Removal::Tenant(tenant) => owner_status::at(tx, Realm::Tenant(tenant))?,
            };
            for owner in owners {
                keys::remove_of(tx, owner)?;
                sessions::end_of(tx, owner)?;
                let left = Change::Records(records_of(tx, owner)?);
                let before = owner_status::place(tx, owner)?;
                realms::changed(tx, before, &left)?;
                remove_records_of(tx, owner)?;
                owner_status::remove(tx, owner)?;
                tx.put(OWNER_GONE, &owner.to_bytes(), &[])?;
                tx.delete(USAGE, &owner.to_bytes())?;
            }
            Ok(())
        })
        .await
    }

    async fn remove_gone(&self, limit: u32, _now: DateTime<Utc>) -> Result<u64, StoreError> {
        self.write(move |tx| deleted::remove(tx, limit as usize))
            .await
    }

    async fn restored(&self, now: DateTime<Utc>) -> Result<(), StoreError> {
        self.pass_over(now).await
    }

    async fn lease(
        &self,
        name: &str,
        holder: u128,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let key = Key::new().text(name);
        let own = holder.to_string();
        self.write(move |tx| {
            let held: Option<Lease> = row(tx, LEASES, key.bytes())?;
            if held.is_some_and(|l| l.holder != own && l.until > now.timestamp_micros()) {
                return Ok(false);
            }
            let lease = Lease {
                holder: own.clone(),
                until: until.timestamp_micros(),
            };
            tx.put_row(LEASES, key.bytes(), &lease)?;
            Ok(true)
        })
        .await
    }
}

fn usage(view: &dyn View, owner: OwnerId) -> Outcome<OwnerUsage> {
    let keys = numbers::kept(view, KEY_COUNT, &owner.to_bytes())?;
    Ok(OwnerUsage {
        keys: keys.max(0).unsigned_abs(),
        records: record_changes::usage(view, owner)?,
    })
}
