//! The tables of webhooks, tasks and events, and their indexes.

use std::collections::{BTreeMap, HashMap};

use gatepost_ids::OwnerId;
use webhook_model::{Action, Event, EventId, Task, TaskId, Webhook, WebhookId};

use super::rows::{Counter, Groups};
use crate::owners::RecordUsage;
use crate::page::Row;
use crate::webhooks::{RecordHead, RecordId, RecordRow, TaskRow};

pub(super) type WebhookRow = Row<WebhookId, Webhook>;
pub(super) type EventRow = Row<EventId, Event>;

#[derive(Debug, Default)]
pub(super) struct Records {
    pub(super) ids: Numbers,
    pub(super) webhooks: BTreeMap<WebhookId, WebhookRow>,
    pub(super) tasks: BTreeMap<TaskId, TaskRow>,
    pub(super) events: BTreeMap<EventId, EventRow>,
    pub(super) owned: Owned,
    pub(super) tasks_of: Groups<WebhookId, TaskId>,
    pub(super) events_of: Groups<TaskId, EventId>,
    by_name: HashMap<(OwnerId, String), WebhookId>,
}

#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) webhooks: Counter,
    pub(super) tasks: Counter,
    pub(super) events: Counter,
}

/// What each owner has.
#[derive(Debug, Default)]
pub(super) struct Owned {
    pub(super) webhooks: Groups<OwnerId, WebhookId>,
    pub(super) tasks: Groups<OwnerId, TaskId>,
    pub(super) events: Groups<OwnerId, EventId>,
    bytes: HashMap<OwnerId, u64>,
}

impl Owned {
    fn add_bytes(&mut self, owner: OwnerId, bytes: u64) {
        *self.bytes.entry(owner).or_default() += bytes;
    }

    fn remove_bytes(&mut self, owner: OwnerId, bytes: u64) {
        if let Some(sum) = self.bytes.get_mut(&owner) {
            *sum = sum.saturating_sub(bytes);
            if *sum == 0 {
                self.bytes.remove(&owner);
            }
        }
    }
}

impl Records {
    pub(super) fn get(&self, id: RecordId) -> Option<RecordRow> {
        match id {
            RecordId::Webhook(id) => self.webhooks.get(&id).cloned().map(Into::into),
            RecordId::Task(id) => self.tasks.get(&id).cloned().map(Into::into),
            RecordId::Event(id) => self.events.get(&id).cloned().map(Into::into),
        }
    }

    pub(super) fn head(&self, record: RecordId) -> Option<RecordHead> {
        let (owner, name, enabled) = match record {
            RecordId::Webhook(id) => {
                let row = self.webhooks.get(&id)?;
                (row.owner, Some(row.value.name.as_str()), row.value.sends())
            }
            RecordId::Task(id) => {
                let row = self.tasks.get(&id)?;
                (row.owner, Some(row.value.name.as_str()), row.value.enabled)
            }
            RecordId::Event(id) => {
                let row = self.events.get(&id)?;
                (row.owner, None, row.value.enabled)
            }
        };
        Some(RecordHead {
            record,
            owner,
            name: name.map(str::to_owned),
            enabled,
        })
    }

    pub(super) fn usage(&self, owner: OwnerId) -> RecordUsage {
        RecordUsage {
            webhooks: self.owned.webhooks.count(owner),
            tasks: self.owned.tasks.count(owner),
            events: self.owned.events.count(owner),
            bytes: self.owned.bytes.get(&owner).copied().unwrap_or(0),
        }
    }

    pub(super) fn name_taken(&self, row: &WebhookRow) -> bool {
        let taken = self.by_name.get(&name_of(row));
        taken.is_some_and(|id| *id != row.id)
    }

    pub(super) fn put_webhook(&mut self, row: WebhookRow) {
        self.take_webhook(row.id);
        self.owned.webhooks.add(row.owner, row.id);
        self.owned.add_bytes(row.owner, row.value.stored_bytes());
        self.by_name.insert(name_of(&row), row.id);
        self.webhooks.insert(row.id, row);
    }

    pub(super) fn take_webhook(&mut self, id: WebhookId) -> Option<WebhookRow> {
        let row = self.webhooks.remove(&id)?;
        self.owned.webhooks.remove(row.owner, id);
        self.owned.remove_bytes(row.owner, row.value.stored_bytes());
        self.by_name.remove(&name_of(&row));
        Some(row)
    }

    pub(super) fn put_task(&mut self, row: TaskRow) {
        self.take_task(row.id);
        self.owned.tasks.add(row.owner, row.id);
        self.owned.add_bytes(row.owner, row.value.stored_bytes());
        if let Some(webhook) = webhook_of(&row.value) {
            self.tasks_of.add(webhook, row.id);
        }
        self.tasks.insert(row.id, row);
    }

    pub(super) fn take_task(&mut self, id: TaskId) -> Option<TaskRow> {
        let row = self.tasks.remove(&id)?;
        self.owned.tasks.remove(row.owner, id);
        self.owned.remove_bytes(row.owner, row.value.stored_bytes());
        if let Some(webhook) = webhook_of(&row.value) {
            self.tasks_of.remove(webhook, id);
        }
        Some(row)
    }

    pub(super) fn put_event(&mut self, row: EventRow) {
        self.take_event(row.id);
        self.owned.events.add(row.owner, row.id);
        self.owned.add_bytes(row.owner, row.value.stored_bytes());
        self.events_of.add(row.value.task, row.id);
        self.events.insert(row.id, row);
    }

    pub(super) fn take_event(&mut self, id: EventId) -> Option<EventRow> {
        let row = self.events.remove(&id)?;
        self.owned.events.remove(row.owner, id);
        self.owned.remove_bytes(row.owner, row.value.stored_bytes());
        self.events_of.remove(row.value.task, id);
        Some(row)
    }

    /// Removes a task with its events.
    pub(super) fn drop_task(&mut self, id: TaskId) -> Option<TaskRow> {
        let events: Vec<EventId> = self.events_of.of(id).collect();
        for event in events {
            self.take_event(event);
        }
        self.take_task(id)
    }

    /// Removes a webhook with its tasks and their events.
    pub(super) fn drop_webhook(&mut self, id: WebhookId) -> Option<WebhookRow> {
        let tasks: Vec<TaskId> = self.tasks_of.of(id).collect();
        for task in tasks {
            self.drop_task(task);
        }
        self.take_webhook(id)
    }
}

pub(super) fn webhook_of(task: &Task) -> Option<WebhookId> {
    match &task.action {
        Action::Send { webhook, .. } => Some(*webhook),
        _ => None,
    }
}

fn name_of(row: &WebhookRow) -> (OwnerId, String) {
    (row.owner, row.value.name.as_str().to_owned())
}
