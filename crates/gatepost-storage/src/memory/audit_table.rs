//! The entries of the log of changes, and whose they are.

use std::collections::BTreeMap;

use gatepost_ids::{OwnerId, TenantId};

use super::rows::{Counter, Groups, micros};
use crate::audit::{AuditEntry, AuditId, AuditRow};
use crate::owners::PassedOver;

#[derive(Debug, Default)]
pub(super) struct AuditTable {
    ids: Counter,
    pub(super) rows: BTreeMap<AuditId, AuditRow>,
    pub(super) of_owner: Groups<OwnerId, AuditId>,
    pub(super) of_tenant: Groups<TenantId, AuditId>,
}

impl AuditTable {
    pub(super) fn add(&mut self, entry: &AuditEntry) {
        let id = AuditId(self.ids.next());
        let mut entry = entry.clone();
        entry.at = micros(entry.at);
        self.of_owner.add(entry.owner, id);
        if let Some(tenant) = entry.tenant {
            self.of_tenant.add(tenant, id);
        }
        self.rows.insert(id, AuditRow { id, entry });
    }

    pub(super) fn pass_over(&mut self, numbers: PassedOver) {
        self.ids.pass_over(numbers);
    }

    fn remove(&mut self, id: AuditId) {
        if let Some(AuditRow { entry, .. }) = self.rows.remove(&id) {
            self.of_owner.remove(entry.owner, id);
            if let Some(tenant) = entry.tenant {
                self.of_tenant.remove(tenant, id);
            }
        }
    }

    /// Removes all of these, and says how many there were.
    pub(super) fn remove_all(&mut self, ids: Vec<AuditId>) -> u64 {
        let count = ids.len() as u64;
        ids.into_iter().for_each(|id| self.remove(id));
        count
    }
}
