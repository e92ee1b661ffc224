//! What all changes of records have in common.

use gatepost_ids::OwnerId;

use super::super::places::Change;
use super::super::store::Tables;
use crate::error::{ErrorKind, StoreError};
use crate::page::AtMost;
use crate::webhooks::{RecordId, RecordUsage};

impl Tables {
    /// Moves the versions of the places in which a record stood and stands.
    pub(super) fn records_changed(&mut self, owners: [OwnerId; 2], records: &[RecordId]) {
        let [old, new] = owners.map(|owner| self.owners.place(owner));
        self.places.changed(new, Change::Records(records.to_vec()));
        if old != new {
            self.places.changed(old, Change::Records(records.to_vec()));
        }
    }

    pub(in super::super) fn owner_of(&self, record: RecordId) -> Option<OwnerId> {
        match record {
            RecordId::Webhook(id) => self.records.webhooks.get(&id).map(|row| row.owner),
            RecordId::Task(id) => self.records.tasks.get(&id).map(|row| row.owner),
            RecordId::Event(id) => self.records.events.get(&id).map(|row| row.owner),
        }
    }

    /// Before an insert: whether the owner may have one more row and these bytes.
    pub(super) fn check_room(
        &self,
        owner: OwnerId,
        rows: impl Fn(&RecordUsage) -> u64,
        bytes: u64,
        at_most: AtMost,
    ) -> Result<(), StoreError> {
        let usage = self.records.usage(owner);
        if rows(&usage) >= at_most.rows {
            return Err(StoreError::new(ErrorKind::Full, "rows"));
        }
        if usage.bytes.saturating_add(bytes) > at_most.bytes {
            return Err(StoreError::new(ErrorKind::Full, "bytes"));
        }
        Ok(())
    }

    /// Before a change that takes `less` bytes from an owner and gives `more`.
    pub(super) fn check_growth(
        &self,
        owner: OwnerId,
        (less, more): (u64, u64),
        at_most: AtMost,
    ) -> Result<(), StoreError> {
        let after = self.records.usage(owner).bytes.saturating_sub(less);
        if more > less && after.saturating_add(more) > at_most.bytes {
            return Err(StoreError::new(ErrorKind::Full, "bytes"));
        }
        Ok(())
    }
}
