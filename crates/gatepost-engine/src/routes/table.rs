//! What is matched in one place: no messages, no texts. It is changed in place, at the cost of what
//! has changed.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use gatepost_ids::Place;
use gatepost_storage::Revision;
use gatepost_storage::webhooks::{
    EventRoute, RouteDelta, Routes, RoutesVersion, TaskRoute, WebhookRoute,
};
use webhook_model::{EventId, EventName, EventType, Occurrence, Target, TaskId, WebhookId};

use super::matched::MatchedTask;
use super::triggers::Triggers;

/// What an empty table costs, about.
const TABLE: usize = 512;
/// What a row costs with all that leads to it, about.
pub(super) const ROW: usize = 192;
/// Rows of which nothing may be left but the events of deleted tasks, before the table is read
/// again.
pub(super) const SLACK: usize = 1_000;

type Trigger = (EventType, EventName);

#[derive(Debug)]
struct Known {
    revision: Revision,
    trigger: Arc<Trigger>,
    target: Target,
    task: TaskId,
}

#[derive(Debug)]
pub(super) struct RouteTable {
    place: Place,
    pub(super) version: RoutesVersion,
    webhooks: HashMap<WebhookId, WebhookRoute>,
    tasks: HashMap<TaskId, TaskRoute>,
    events: HashMap<EventId, Known>,
    triggers: HashMap<Arc<Trigger>, Triggers>,
    /// Rows when it was read.
    read: usize,
}

impl RouteTable {
    pub(super) fn new(place: Place, routes: Routes) -> Self {
        let mut table = Self {
            place,
            version: routes.version,
            webhooks: routes.webhooks.into_iter().map(|w| (w.id, w)).collect(),
            tasks: routes.tasks.into_iter().map(|t| (t.id, t)).collect(),
            events: HashMap::new(),
            triggers: HashMap::new(),
            read: 0,
        };
        routes.events.into_iter().for_each(|event| table.put(event));
        table.read = table.rows();
        table
    }

    /// The tasks that an occurrence runs: each once, however many of its events match; in order of
    /// their row numbers.
    pub(super) fn matches(&self, occurrence: &Occurrence) -> Vec<MatchedTask> {
        let key = (occurrence.event_type.clone(), occurrence.event.clone());
        let Some(triggers) = self.triggers.get(&key) else {
            return Vec::new();
        };
        let reached: BTreeMap<TaskId, EventId> = triggers.reached(occurrence).collect();
        let matched = |(task, event): (TaskId, EventId)| {
            let revision = self.events.get(&event)?.revision;
            self.matched(task, Some((event, revision)))
        };
        reached.into_iter().filter_map(matched).collect()
    }

    /// A task of this place, whatever reaches it.
    pub(super) fn task(&self, id: TaskId) -> Option<MatchedTask> {
        self.matched(id, None)
    }

    /// What has changed. An event of a task that is not there any more stays: it runs nothing, and
    /// the task may only have been disabled.
    pub(super) fn apply(&mut self, delta: RouteDelta, version: RoutesVersion) {
        for (id, webhook) in delta.webhooks {
            set(&mut self.webhooks, id, webhook);
        }
        for (id, task) in delta.tasks {
            set(&mut self.tasks, id, task);
        }
        for (id, event) in delta.events {
            self.take(id);
            event.into_iter().for_each(|event| self.put(event));
        }
        self.version = version;
    }

    /// This process itself consumed these tasks, and nothing else has changed.
    pub(super) fn consumed(&mut self, tasks: &[TaskId], version: RoutesVersion) {
        for task in tasks {
            self.tasks.remove(task);
        }
        self.version = version;
    }

    /// Whether so much has been added since it was read that much of it may be leftovers.
    pub(super) fn is_overgrown(&self) -> bool {
        self.rows() > 2 * self.read + SLACK
    }

    pub(super) fn bytes(&self) -> usize {
        TABLE + ROW * self.rows()
    }

    fn rows(&self) -> usize {
        self.webhooks.len() + self.tasks.len() + self.events.len()
    }

    fn matched(&self, task: TaskId, event: Option<(EventId, Revision)>) -> Option<MatchedTask> {
        let task = *self.tasks.get(&task)?;
        Some(MatchedTask {
            place: self.place,
            task,
            webhook: *self.webhooks.get(&task.webhook)?,
            event,
        })
    }

    fn put(&mut self, event: EventRoute) {
        let key = (event.event_type, event.event);
        let known = self.triggers.get_key_value(&key);
        let trigger = known.map_or_else(|| Arc::new(key), |(trigger, _)| trigger.clone());
        let triggers = self.triggers.entry(trigger.clone()).or_default();
        triggers.add(event.target, (event.task, event.id));
        let known = Known {
            revision: event.revision,
            trigger,
            target: event.target,
            task: event.task,
        };
        self.events.insert(event.id, known);
    }

    fn take(&mut self, id: EventId) {
        let Some(known) = self.events.remove(&id) else {
            return;
        };
        if let Some(triggers) = self.triggers.get_mut(&known.trigger) {
            triggers.take(known.target, (known.task, id));
            if triggers.is_empty() {
                self.triggers.remove(&known.trigger);
            }
        }
    }
}

fn set<K: Eq + std::hash::Hash, V>(map: &mut HashMap<K, V>, key: K, value: Option<V>) {
    match value {
        Some(value) => drop(map.insert(key, value)),
        None => drop(map.remove(&key)),
    }
}
