//! The log of changes in memory.

use async_trait::async_trait;

use super::rows::{page, page_of};
use super::store::MemoryStore;
use crate::audit::{AuditEntry, AuditQuery, AuditRemoval, AuditRow, AuditStore};
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

    async fn remove_audit(&self, which: AuditRemoval, limit: u32) -> Result<u64, StoreError> {
        let audit = &mut self.tables().audit;
        let limit = limit as usize;
        let some = match which {
            AuditRemoval::Before(time) => {
                let rows = audit.rows.values();
                let mut old: Vec<_> = rows
                    .filter(|row| row.entry.at < time)
                    .map(|row| (row.entry.at, row.id))
                    .collect();
                old.sort_unstable();
                old.into_iter().take(limit).map(|(_, id)| id).collect()
            }
            AuditRemoval::OfOwner(owner) => audit.of_owner.of(owner).take(limit).collect(),
        };
        Ok(audit.remove_all(some))
    }
}
