//! What is matched in a place, and what has changed there.

use std::collections::BTreeSet;

use gatepost_ids::{OwnerId, Place};
use webhook_model::{EventId, EventName, EventType, TaskId, WebhookId};

use super::places::Change;
use super::store::Tables;
use crate::webhooks::{
    EventRoute, RecordId, RouteChanges, Routes, RoutesVersion, TaskRoute, WebhookRoute,
};

/// Records by number, each once.
#[derive(Default)]
struct Named {
    webhooks: BTreeSet<WebhookId>,
    tasks: BTreeSet<TaskId>,
    events: BTreeSet<EventId>,
}

impl Tables {
    pub(super) fn routes(&self, place: Place, only: Option<(&EventType, &EventName)>) -> Routes {
        let Some((event_type, event)) = only else {
            return self.routes_where(place, |_| true, |_, _| true);
        };
        let wanted = |e: &EventRoute| e.event_type == *event_type && e.event == *event;
        self.routes_where(place, wanted, |task, events| {
            events.iter().any(|event| event.task == task)
        })
    }

    fn routes_where(
        &self,
        place: Place,
        event: impl Fn(&EventRoute) -> bool,
        task: impl Fn(TaskId, &[EventRoute]) -> bool,
    ) -> Routes {
        let named = self.all_of(self.owners.at(place));
        let events = named.events.iter();
        let events = events.filter_map(|id| self.event_route(*id, place));
        let events: Vec<EventRoute> = events.filter(event).collect();
        let tasks = named.tasks.iter().filter(|id| task(**id, &events));
        let tasks: Vec<_> = tasks.filter_map(|id| self.task_route(*id, place)).collect();
        let webhooks: BTreeSet<_> = tasks.iter().map(|task| task.webhook).collect();
        let webhooks = webhooks.iter();
        Routes {
            version: self.places.version(place),
            webhooks: webhooks
                .filter_map(|id| self.webhook_route(*id, place))
                .collect(),
            tasks,
            events,
        }
    }

    pub(super) fn route_changes(&self, place: Place, since: RoutesVersion) -> Option<RouteChanges> {
        let changes = self.places.since(place, since)?;
        let mut named = Named::default();
        for change in changes {
            match change {
                Change::Records(records) => records.iter().for_each(|record| named.add(*record)),
                Change::Entered(owner) => named.extend(self.all_of([*owner].into_iter())),
            }
        }
        let tasks = named.tasks.iter();
        let tasks: Vec<_> = tasks.map(|id| (*id, self.task_route(*id, place))).collect();
        // A webhook that no task sent may not be held yet.
        let sent = tasks.iter().filter_map(|(_, task)| Some((*task)?.webhook));
        named.webhooks.extend(sent);
        Some(RouteChanges {
            version: self.places.version(place),
            webhooks: (named.webhooks.iter())
                .map(|id| (*id, self.webhook_route(*id, place)))
                .collect(),
            tasks,
            events: (named.events.iter())
                .map(|id| (*id, self.event_route(*id, place)))
                .collect(),
        })
    }

    fn all_of(&self, owners: impl Iterator<Item = OwnerId>) -> Named {
        let owned = &self.records.owned;
        let mut named = Named::default();
        for owner in owners {
            named.webhooks.extend(owned.webhooks.of(owner));
            named.tasks.extend(owned.tasks.of(owner));
            named.events.extend(owned.events.of(owner));
        }
        named
    }

    fn is_matched(&self, owner: OwnerId, place: Place) -> bool {
        self.owners.place(owner) == place && !self.owners.is_held(owner)
    }

    fn webhook_route(&self, id: WebhookId, place: Place) -> Option<WebhookRoute> {
        let row = self.records.webhooks.get(&id)?;
        self.is_matched(row.owner, place)
            .then(|| WebhookRoute::of(row))
    }

    fn task_route(&self, id: TaskId, place: Place) -> Option<TaskRoute> {
        let row = self.records.tasks.get(&id)?;
        let matched = self.is_matched(row.owner, place);
        matched.then(|| TaskRoute::of(row)).flatten()
    }

    fn event_route(&self, id: EventId, place: Place) -> Option<EventRoute> {
        let row = self.records.events.get(&id)?;
        let matched = self.is_matched(row.owner, place);
        matched.then(|| EventRoute::of(row)).flatten()
    }
}

impl Named {
    fn add(&mut self, record: RecordId) {
        let _ = match record {
            RecordId::Webhook(id) => self.webhooks.insert(id),
            RecordId::Task(id) => self.tasks.insert(id),
            RecordId::Event(id) => self.events.insert(id),
        };
    }

    fn extend(&mut self, other: Self) {
        self.webhooks.extend(other.webhooks);
        self.tasks.extend(other.tasks);
        self.events.extend(other.events);
    }
}
