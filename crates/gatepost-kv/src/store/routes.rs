//! The routes of a realm, and their changes.

use std::collections::BTreeSet;

use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{
    EventRoute, RecordId, RouteChanges, Routes, RoutesVersion, TaskRoute, WebhookRoute,
};
use webhook_model::{Event, EventId, EventName, EventType, Task, TaskId, Webhook, WebhookId};

use super::error::Outcome;
use super::heads::found;
use super::owner_status;
use super::realms::{self, Change};
use super::record_changes::records_of;
use crate::contract::View;

/// Reads of one realm in one snapshot.
pub(super) struct Matching<'a> {
    pub(super) view: &'a dyn View,
    pub(super) keys: &'a SealingKeys,
    pub(super) place: Realm,
}

/// Records by number, each once.
#[derive(Default)]
struct Named {
    webhooks: BTreeSet<WebhookId>,
    tasks: BTreeSet<TaskId>,
    events: BTreeSet<EventId>,
}

impl Matching<'_> {
    /// Returns all routes, or those that match one type and event.
    pub(super) fn routes(&self, only: Option<&(EventType, EventName)>) -> Outcome<Routes> {
        let mut named = Named::default();
        for owner in owner_status::at_place(self.view, self.place)? {
            named.extend(records_of(self.view, owner)?);
        }
        let mut events = Vec::new();
        for id in named.events {
            events.extend(self.event(id)?.filter(|event| {
                only.is_none_or(|(t, e)| event.event_type == *t && event.event == *e)
            }));
        }
        if only.is_some() {
            named.tasks = events.iter().map(|event| event.task).collect();
        }
        let (mut tasks, mut webhooks) = (Vec::new(), Vec::new());
        for id in named.tasks {
            tasks.extend(self.task(id)?);
        }
        let sent: BTreeSet<WebhookId> = tasks.iter().map(|task| task.webhook).collect();
        for id in sent {
            webhooks.extend(self.webhook(id)?);
        }
        // The tasks of an unreadable webhook are left out.
        let known: BTreeSet<WebhookId> = webhooks.iter().map(|webhook| webhook.id).collect();
        tasks.retain(|task| known.contains(&task.webhook));
        Ok(Routes {
            version: realms::version(self.view, self.place)?,
            webhooks,
            tasks,
            events,
        })
    }

    pub(super) fn changes(&self, since: RoutesVersion) -> Outcome<Option<RouteChanges>> {
        let Some(changes) = realms::since(self.view, self.place, since)? else {
            return Ok(None);
        };
        let mut named = Named::default();
        for change in changes {
            match change {
                Change::Records(records) => named.extend(records),
                Change::Entered(owner) => named.extend(records_of(self.view, owner)?),
            }
        }
        let mut delta = RouteChanges::none(realms::version(self.view, self.place)?);
        for id in named.tasks {
            let mut task = self.task(id)?;
            // The caller may not hold a webhook that no task used until this change.
            if let Some(sent) = task.map(|task| task.webhook) {
                named.webhooks.insert(sent);
                task = task.filter(|_| matches!(self.webhook(sent), Ok(Some(_))));
            }
            delta.tasks.push((id, task));
        }
        for id in named.webhooks {
            delta.webhooks.push((id, self.webhook(id)?));
        }
        for id in named.events {
            delta.events.push((id, self.event(id)?));
        }
        Ok(Some(delta))
    }

    fn is_matched(&self, owner: OwnerId) -> Outcome<bool> {
        let standing = owner_status::of(self.view, owner)?;
        Ok(standing.place == self.place && !standing.held)
    }

    fn webhook(&self, id: WebhookId) -> Outcome<Option<WebhookRoute>> {
        match found::<Webhook>(self.view, self.keys, id)? {
            Ok(Some(row)) if self.is_matched(row.owner)? => Ok(Some(WebhookRoute::of(&row))),
            _ => Ok(None),
        }
    }

    fn task(&self, id: TaskId) -> Outcome<Option<TaskRoute>> {
        match found::<Task>(self.view, self.keys, id)? {
            Ok(Some(row)) if self.is_matched(row.owner)? => Ok(TaskRoute::of(&row)),
            _ => Ok(None),
        }
    }

    fn event(&self, id: EventId) -> Outcome<Option<EventRoute>> {
        match found::<Event>(self.view, self.keys, id)? {
            Ok(Some(row)) if self.is_matched(row.owner)? => Ok(EventRoute::of(&row)),
            _ => Ok(None),
        }
    }
}

impl Named {
    fn extend(&mut self, records: impl IntoIterator<Item = RecordId>) {
        for record in records {
            let _ = match record {
                RecordId::Webhook(id) => self.webhooks.insert(id),
                RecordId::Task(id) => self.tasks.insert(id),
                RecordId::Event(id) => self.events.insert(id),
            };
        }
    }
}
