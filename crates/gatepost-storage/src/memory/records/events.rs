//! Events in memory.

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use webhook_model::{Event, EventId};

use super::super::record_table::EventRow;
use super::super::rows::{page, page_of};
use super::super::store::Tables;
use crate::error::{ErrorKind, StoreError};
use crate::owners::RecordUsage;
use crate::page::Row;
use crate::webhooks::{EventQuery, RecordId};

impl Tables {
    pub(super) fn insert_event(
        &mut self,
        event: Event,
        at_most: &RecordUsage,
        now: DateTime<Utc>,
    ) -> Result<EventRow, StoreError> {
        let owner = self.owner_of_event(&event)?;
        self.check_room(owner, |u| u.events, event.stored_bytes(), at_most)?;
        let id = EventId(self.records.ids.events.next());
        let row = Row::inserted(id, owner, event, now);
        self.records.put_event(row.clone());
        self.records_changed([owner; 2], &[RecordId::Event(id)]);
        Ok(row)
    }

    pub(super) fn list_events(&self, query: &EventQuery) -> Vec<EventRow> {
        let records = &self.records;
        let wanted = |row: &EventRow| {
            query.task.is_none_or(|task| row.value.task == task)
                && (query.event_type.as_ref()).is_none_or(|t| row.value.event_type == *t)
        };
        let owners = self.owners.of(query.scope);
        let bodies = query.page.bodies;
        if let Some(task) = query.task {
            let owned = |row: &EventRow| owners.as_ref().is_none_or(|o| o.contains(&row.owner));
            let wanted = |row: &EventRow| wanted(row) && owned(row);
            let of = (&records.events_of, &[task][..]);
            return bodies.page_of(page_of(&records.events, of, &query.page, wanted));
        }
        bodies.page_of(match &owners {
            None => page(&records.events, &query.page, wanted),
            Some(owners) => page_of(
                &records.events,
                (&records.owned.events, owners),
                &query.page,
                wanted,
            ),
        })
    }

    pub(super) fn update_event(
        &mut self,
        row: &EventRow,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Result<EventRow, StoreError> {
        let stored = self.records.events.get(&row.id);
        let stored = stored.ok_or_else(|| StoreError::not_found("event"))?;
        let mut new = stored.edited_by(row, stored.owner, now)?;
        new.owner = self.owner_of_event(&new.value)?;
        let old_owner = stored.owner;
        let (less, more) = (stored.value.stored_bytes(), new.value.stored_bytes());
        let less = if new.owner == old_owner { less } else { 0 };
        self.check_growth(new.owner, (less, more), at_most)?;
        self.records.put_event(new.clone());
        self.records_changed([old_owner, new.owner], &[RecordId::Event(new.id)]);
        Ok(new)
    }

    pub(super) fn delete_event(&mut self, id: EventId) -> Result<(), StoreError> {
        let row = self.records.take_event(id);
        let row = row.ok_or_else(|| StoreError::not_found("event"))?;
        self.records_changed([row.owner; 2], &[RecordId::Event(id)]);
        Ok(())
    }

    /// An event's owner is its task's.
    fn owner_of_event(&self, event: &Event) -> Result<OwnerId, StoreError> {
        let task = self.records.tasks.get(&event.task);
        let missing = || StoreError::new(ErrorKind::Invalid, "the event's task does not exist");
        task.map(|row| row.owner).ok_or_else(missing)
    }
}
