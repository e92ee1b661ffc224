//! Tasks in memory.

use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use webhook_model::{EventId, Task, TaskId};

use super::super::record_table::webhook_of;
use super::super::rows::{page, page_of};
use super::super::store::Tables;
use crate::error::{ErrorKind, StoreError};
use crate::owners::RecordUsage;
use crate::webhooks::{RecordId, RoutesVersion, TaskQuery, TaskRow};

impl Tables {
    pub(super) fn insert_task(
        &mut self,
        task: Task,
        at_most: &RecordUsage,
        now: DateTime<Utc>,
    ) -> Result<TaskRow, StoreError> {
        let owner = self.owner_of_task(&task)?;
        self.check_room(owner, |u| u.tasks, task.stored_bytes(), at_most)?;
        let id = TaskId(self.records.ids.tasks.next());
        let row = TaskRow::inserted(id, owner, task, now);
        self.records.put_task(row.clone());
        self.records_changed([owner; 2], &[RecordId::Task(id)]);
        Ok(row)
    }

    pub(super) fn list_tasks(&self, query: &TaskQuery) -> Vec<TaskRow> {
        let records = &self.records;
        let wanted = |row: &TaskRow| {
            let webhook = webhook_of(&row.value);
            query.creator.is_none_or(|c| row.value.creator == c)
                && query.webhook.is_none_or(|w| webhook == Some(w))
                && (query.name.as_ref()).is_none_or(|n| row.value.name.as_str() == n)
        };
        let owners = self.owners.of(query.scope);
        let bodies = query.page.bodies;
        if let Some(webhook) = query.webhook {
            let owned = |row: &TaskRow| owners.as_ref().is_none_or(|o| o.contains(&row.owner));
            let wanted = |row: &TaskRow| wanted(row) && owned(row);
            let of = (&records.tasks_of, &[webhook][..]);
            return bodies.page_of(page_of(&records.tasks, of, &query.page, wanted));
        }
        bodies.page_of(match &owners {
            None => page(&records.tasks, &query.page, wanted),
            Some(owners) => page_of(
                &records.tasks,
                (&records.owned.tasks, owners),
                &query.page,
                wanted,
            ),
        })
    }

    pub(super) fn update_task(
        &mut self,
        row: &TaskRow,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Result<TaskRow, StoreError> {
        let stored = self.records.tasks.get(&row.id);
        let stored = stored.ok_or_else(|| StoreError::not_found("task"))?;
        let stored = stored.clone();
        let owner = self.owner_of_task(&row.value);
        let mut new = stored.edited_by(row, stored.owner, now)?;
        new.owner = owner?;
        let events: Vec<EventId> = self.records.events_of.of(new.id).collect();
        let (less, more) = (stored.value.stored_bytes(), new.value.stored_bytes());
        let bytes = if new.owner == stored.owner {
            (less, more)
        } else {
            (0, more + self.bytes_of(&events))
        };
        self.check_growth(new.owner, bytes, at_most)?;
        let mut changed = vec![RecordId::Task(new.id)];
        // Whoever dropped the events with the task has to be told of them when it is back.
        let was_dropped =
            !stored.value.enabled || webhook_of(&stored.value) != webhook_of(&new.value);
        if was_dropped {
            changed.extend(events.iter().map(|id| RecordId::Event(*id)));
        }
        self.records.put_task(new.clone());
        for id in events {
            if let Some(mut event) = self.records.take_event(id) {
                event.owner = new.owner;
                self.records.put_event(event);
            }
        }
        self.records_changed([stored.owner, new.owner], &changed);
        Ok(new)
    }

    /// The place in which it stood, and its version now.
    pub(in super::super) fn delete_task(&mut self, id: TaskId) -> Option<(Place, RoutesVersion)> {
        let row = self.records.drop_task(id)?;
        self.records_changed([row.owner; 2], &[RecordId::Task(id)]);
        let place = self.owners.place(row.owner);
        Some((place, self.places.version(place)))
    }

    /// A task's owner is its webhook's.
    fn owner_of_task(&self, task: &Task) -> Result<OwnerId, StoreError> {
        let webhook = webhook_of(task).and_then(|id| self.records.webhooks.get(&id));
        let missing = || StoreError::new(ErrorKind::Invalid, "the task's webhook does not exist");
        webhook.map(|row| row.owner).ok_or_else(missing)
    }

    fn bytes_of(&self, events: &[EventId]) -> u64 {
        let rows = events.iter().filter_map(|id| self.records.events.get(id));
        rows.map(|row| row.value.stored_bytes()).sum()
    }
}
