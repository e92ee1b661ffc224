//! Faults of an audit log.

use chrono::SubsecRound as _;
use gatepost_ids::OwnerId;
use gatepost_storage::audit::{AuditEntry, AuditId, AuditQuery, AuditRemoval, AuditRow};
use gatepost_storage::{AuditStore, Page, Scope};

use super::mutant::{Mutant, Result, passed_on};

passed_on! { AuditStore {
}
    async fn append_audit(&self, entries: &[AuditEntry], most: u64) -> Result<()> {
        let mut entries = entries.to_vec();
        for entry in &mut entries {
            if self.is(&["a01"]) {
                entry.at = entry.at.trunc_subsecs(3);
            }
            if self.is(&["a01-name"]) {
                entry.name.truncate(252);
            }
        }
        if self.is(&["a04"]) {
            // The entries of all owners are counted together.
            let all = self.inner.list_audit(&AuditQuery::all(Page::first(999))).await?;
            let over = (all.len() + entries.len()).saturating_sub(usize::try_from(most).unwrap());
            for row in all.iter().take(over) {
                let oldest = AuditRemoval::OfOwner(row.entry.owner);
                self.inner.remove_audit(oldest, 1).await?;
            }
        }
        if self.is(&["a07"]) {
            entries.retain(|entry| {
                entry.table.len().max(entry.operation.len()) <= AuditEntry::MAX_WORD
                    && entry.name.len() <= AuditEntry::MAX_NAME
                    && entry.changes.len() <= AuditEntry::MAX_CHANGES
            });
        }
        let most = if self.is(&["a04-bound", "a09"]) { u64::MAX } else { most };
        self.inner.append_audit(&entries, most).await
    }

    async fn list_audit(&self, query: &AuditQuery) -> Result<Vec<AuditRow>> {
        let mut query = query.clone();
        if self.is(&["a02"]) {
            query.page.after = query.page.after.map(|id| AuditId(id.0 + 1));
        }
        if self.is(&["a03"]) {
            query.actor = None;
        }
        if self.is(&["a03-scope"]) && query.record.is_some() {
            query.scope = Scope::All;
        }
        let mut found = self.inner.list_audit(&query).await?;
        if self.is(&["a08"]) {
            found.iter_mut().for_each(|row| row.id = AuditId(1));
        }
        Ok(found)
    }

    async fn remove_audit(&self, which: AuditRemoval, limit: u32) -> Result<u64> {
        let by_time = matches!(which, AuditRemoval::Before(_));
        let limit = if by_time && self.is(&["a05"]) { u32::MAX } else { limit };
        let removed = self.inner.remove_audit(which, limit).await?;
        if !by_time && self.is(&["a06"]) {
            let others = AuditRemoval::OfOwner(OwnerId(2));
            self.inner.remove_audit(others, 1).await?;
        }
        Ok(removed)
    }
}
