//! What all changes of records have in common.

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;

use super::super::places::Change;
use super::super::store::Tables;
use crate::error::{ErrorKind, StoreError};
use crate::owners::RecordUsage;
use crate::webhooks::{InsertedRecords, NewRecords, RecordId};

impl Tables {
    /// Moves the versions of the places in which a record stood and stands.
    pub(super) fn records_changed(&mut self, owners: [OwnerId; 2], records: &[RecordId]) {
        let [old, new] = owners.map(|owner| self.owners.place(owner));
        self.places.changed(new, Change::Records(records.to_vec()));
        if old != new {
            self.places.changed(old, Change::Records(records.to_vec()));
        }
    }

    pub(super) fn insert_records(
        &mut self,
        records: NewRecords,
        at_most: &RecordUsage,
        now: DateTime<Utc>,
    ) -> Result<InsertedRecords, StoreError> {
        let mut inserted = InsertedRecords::default();
        let all = self.insert_all(records, at_most, now, &mut inserted);
        if all.is_err() {
            // None is stored where one is refused.
            inserted
                .events
                .iter()
                .for_each(|row| drop(self.records.take_event(row.id)));
            inserted
                .task
                .iter()
                .for_each(|row| drop(self.records.take_task(row.id)));
            inserted
                .webhook
                .iter()
                .for_each(|row| drop(self.records.take_webhook(row.id)));
        }
        all.map(|()| inserted)
    }

    fn insert_all(
        &mut self,
        records: NewRecords,
        at_most: &RecordUsage,
        now: DateTime<Utc>,
        inserted: &mut InsertedRecords,
    ) -> Result<(), StoreError> {
        if let Some(webhook) = records.webhook {
            inserted.webhook = Some(self.insert_webhook(webhook, at_most, now)?);
        }
        if let Some(task) = records.task {
            let task = inserted.linked_task(task);
            inserted.task = Some(self.insert_task(task, at_most, now)?);
        }
        for event in records.events {
            let event = inserted.linked_event(event);
            inserted
                .events
                .push(self.insert_event(event, at_most, now)?);
        }
        Ok(())
    }

    /// Before an insert: whether the owner may have one more row and these bytes.
    pub(super) fn check_room(
        &self,
        owner: OwnerId,
        rows: impl Fn(&RecordUsage) -> u64,
        bytes: u64,
        at_most: &RecordUsage,
    ) -> Result<(), StoreError> {
        let usage = self.records.usage(owner);
        if rows(&usage) >= rows(at_most) {
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
        at_most: u64,
    ) -> Result<(), StoreError> {
        let after = self.records.usage(owner).bytes.saturating_sub(less);
        if more > less && after.saturating_add(more) > at_most {
            return Err(StoreError::new(ErrorKind::Full, "bytes"));
        }
        Ok(())
    }
}
