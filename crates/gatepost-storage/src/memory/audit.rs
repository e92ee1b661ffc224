//! The log of changes in memory.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;

use super::rows::{page, page_of};
use super::store::MemoryStore;
use crate::audit::{AuditEntry, AuditQuery, AuditRow, AuditStore};
use crate::error::StoreError;
use crate::page::Scope;

#[async_trait]
impl AuditStore for MemoryStore {
    async fn append_audit(&self, entries: &[AuditEntry], most: u64) -> Result<(), StoreError> {
        let entries = AuditEntry::admitted(entries, most)?;
        let audit = &mut self.tables().audit;
        entries.iter().for_each(|entry| audit.add(entry));
        for (owner, _) in AuditEntry::by_owner(&entries) {
            let over = audit.of_owner.count(owner).saturating_sub(most);
            let over = usize::try_from(over).unwrap_or(usize::MAX);
            let oldest = audit.of_owner.of(owner).take(over).collect();
            audit.remove_all(oldest);
        }
        Ok(())
    }

    async fn list_audit(&self, query: &AuditQuery) -> Result<Vec<AuditRow>, StoreError> {
        let audit = &self.tables().audit;
        let wanted = |row: &AuditRow| query.matches(&row.entry);
        let (rows, asked) = (&audit.rows, &query.page);
        let found = match query.scope {
            Scope::All => page(rows, asked, wanted),
            Scope::Owner(owner) => page_of(rows, (&audit.of_owner, &[owner]), asked, wanted),
            Scope::Tenant(tenant) => page_of(rows, (&audit.of_tenant, &[tenant]), asked, wanted),
        };
        Ok(found.into_iter().cloned().collect())
    }

    async fn trim_audit(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StoreError> {
        let audit = &mut self.tables().audit;
        let rows = audit.rows.values();
        let mut old: Vec<_> = rows
            .filter(|row| row.entry.at < before)
            .map(|row| (row.entry.at, row.id))
            .collect();
        old.sort_unstable();
        let old = old.into_iter().take(limit as usize);
        let old = old.map(|(_, id)| id).collect();
        Ok(audit.remove_all(old))
    }

    async fn forget_audit(&self, owner: OwnerId, limit: u32) -> Result<u64, StoreError> {
        let audit = &mut self.tables().audit;
        let some = audit.of_owner.of(owner).take(limit as usize).collect();
        Ok(audit.remove_all(some))
    }
}
