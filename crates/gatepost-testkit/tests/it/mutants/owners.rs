//! Faults with owners and their realms.

use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Realm, TenantId};
use gatepost_storage::audit::AuditQuery;
use gatepost_storage::owners::{OwnerFilter, OwnerRow, OwnerUsage, Removal};
use gatepost_storage::{AuditStore as _, OwnerStore, Page};

use super::mutant::{Mutant, Result, passed_on};

impl Mutant {
    /// Returns owners without a row, whether they still have records or not.
    async fn ever_unplaced(
        &self,
        now: Vec<OwnerRow>,
        after: Option<OwnerId>,
    ) -> Result<Vec<OwnerRow>> {
        self.notes()
            .unplaced
            .extend(now.iter().map(|row| row.owner));
        let ever = self.notes().unplaced.clone();
        let mut owners = Vec::new();
        for owner in ever.into_iter().filter(|owner| Some(*owner) > after) {
            if self.inner.owner(owner).await?.is_none() {
                owners.push(OwnerRow {
                    owner,
                    realm: Realm::Shared,
                    suspended: false,
                });
            }
        }
        Ok(owners)
    }
}

passed_on! { OwnerStore {}
    async fn owner(&self, owner: OwnerId) -> Result<Option<OwnerRow>> {
        let row = self.inner.owner(owner).await?;
        let lost = |row| OwnerRow { realm: Realm::Shared, ..row };
        Ok(if self.is(&["p01"]) { row.map(lost) } else { row })
    }

    async fn usage(&self, owner: OwnerId) -> Result<OwnerUsage> {
        let mut usage = self.inner.usage(owner).await?;
        if self.is(&["r30"]) {
            usage.records.bytes = usage.records.bytes.max(1_000);
        }
        Ok(usage)
    }

    async fn set_owner(
        &self,
        owner: OwnerId,
        realm: Option<Realm>,
        suspended: Option<bool>,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let known = self.inner.owner(owner).await?.is_some();
        if self.is(&["p10"]) && known && realm.is_some()
            || self.is(&["p03", "p06"]) && suspended.is_some()
        {
            return Ok(());
        }
        if self.is(&["p13"]) && !known && realm.is_some() {
            let elsewhere = Realm::Tenant(TenantId(99));
            self.inner.assign_realm(owner, elsewhere, now).await?;
        }
        self.inner.set_owner(owner, realm, suspended, now).await
    }

    async fn list_owners(
        &self,
        which: OwnerFilter,
        after: Option<OwnerId>,
        limit: u32,
    ) -> Result<Vec<OwnerRow>> {
        let unplaced = which == OwnerFilter::Unplaced;
        let ignored = self.is(&[if unplaced { "p04" } else { "p08" }]);
        let after = after.filter(|_| !ignored);
        let mut owners = self.inner.list_owners(which, after, limit).await?;
        if unplaced && self.is(&["k23"]) {
            owners.reverse();
        }
        if unplaced && self.is(&["k23-nothing", "p04-nothing"]) {
            return self.ever_unplaced(owners, after).await;
        }
        Ok(owners)
    }

    async fn mark_gone(&self, gone: Removal, now: DateTime<Utc>) -> Result<()> {
        let tenant = matches!(gone, Removal::Tenant(_));
        if self.is(&["p15", "k22"]) || self.is(&["p16"]) && tenant {
            return Ok(());
        }
        self.inner.mark_gone(gone, now).await
    }

    async fn remove_gone(&self, limit: u32, now: DateTime<Utc>) -> Result<u64> {
        let limit = if self.is(&["p18"]) { 1000 } else { limit };
        if self.is(&["p11"]) {
            return Ok(0);
        }
        if self.is(&["p17"]) {
            self.inner.mark_gone(Removal::Owner(OwnerId(1)), now).await?;
        }
        let count = self.inner.remove_gone(limit, now).await?;
        Ok(if self.is(&["p11-count"]) { 0 } else { count })
    }

    async fn restored(&self, now: DateTime<Utc>) -> Result<()> {
        let newest = AuditQuery::all(Page::newest(1));
        let empty = self.is(&["a11-empty"]) && self.inner.list_audit(&newest).await?.is_empty();
        if self.is(&["p19", "k34", "a11"]) || empty {
            return Ok(());
        }
        let floorless = self.is(&["p19-floor", "k34-floor", "a11-floor"]);
        let now = if floorless { DateTime::UNIX_EPOCH } else { now };
        self.inner.restored(now).await
    }

    async fn lease(
        &self,
        name: &str,
        holder: u128,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        let held = self.inner.lease(name, holder, until, now).await?;
        Ok(held || self.is(&["p05"]))
    }
}
