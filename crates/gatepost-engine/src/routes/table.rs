//! The routes of one realm: no messages, no texts. It is updated in place, at the cost of the
//! changes.

use std::collections::HashMap;
use std::sync::Arc;

use gatepost_ids::Realm;
use gatepost_storage::Revision;
use gatepost_storage::webhooks::{
    EventRoute, RouteChanges, Routes, RoutesVersion, TaskRoute, WebhookRoute,
};
use webhook_model::{EventId, EventName, EventType, Filter, Occurrence, Target, TaskId, WebhookId};

use super::matched::MatchedTask;
use super::triggers::Triggers;

/// The approximate memory of an empty table.
const TABLE: usize = 512;
/// The approximate memory of a row with all its index entries.
pub(super) const ROW: usize = 192;
/// The maximum memory of a byte of a filter's text, whatever its form (`filter_memory` of
/// `webhook-model`).
const FILTER: usize = 20;
/// The approximate memory of a channel that a webhook lists, in addition to its name.
const CHANNEL: usize = 32;
/// The number of rows that may be only events of deleted tasks, before the table is read again.
pub(super) const SLACK: usize = 1_000;

type Trigger = (EventType, EventName);

#[derive(Debug)]
struct KnownEvent {
    revision: Revision,
    trigger: Arc<Trigger>,
    target: Target,
    task: TaskId,
    filter: Filter,
}

/// Tasks that events of a kind reach, and the filters of those events.
#[derive(Debug, Default)]
pub(super) struct Reached {
    /// In order of their row numbers, each once for every event.
    pub tasks: Vec<MatchedTask>,
    /// One for each task; empty if no event has a filter.
    pub filters: Vec<Filter>,
}

#[derive(Debug)]
pub(super) struct RouteTable {
    place: Realm,
    pub(super) version: RoutesVersion,
    webhooks: HashMap<WebhookId, WebhookRoute>,
    tasks: HashMap<TaskId, TaskRoute>,
    events: HashMap<EventId, KnownEvent>,
    triggers: HashMap<Arc<Trigger>, Triggers>,
    /// The approximate memory of the events' filters and the webhooks' channels.
    texts: usize,
    /// The number of rows when it was read.
    read: usize,
}

impl Reached {
    fn push(&mut self, task: MatchedTask, filter: &Filter) {
        if !filter.is_empty() {
            self.filters.resize(self.tasks.len(), Filter::default());
        }
        if !filter.is_empty() || !self.filters.is_empty() {
            self.filters.push(filter.clone());
        }
        self.tasks.push(task);
    }
}

impl RouteTable {
    pub(super) fn new(place: Realm, routes: Routes) -> Self {
        let mut table = Self {
            place,
            version: routes.version,
            tasks: routes.tasks.into_iter().map(|t| (t.id, t)).collect(),
            events: HashMap::new(),
            triggers: HashMap::new(),
            texts: routes.webhooks.iter().map(listed).sum(),
            webhooks: routes.webhooks.into_iter().map(|w| (w.id, w)).collect(),
            read: 0,
        };
        routes.events.into_iter().for_each(|event| table.put(event));
        table.read = table.rows();
        table
    }

    /// Returns the tasks that an occurrence reaches, if their filters match.
    pub(super) fn reached(&self, occurrence: &Occurrence) -> Reached {
        let key = (occurrence.event_type.clone(), occurrence.event.clone());
        let Some(triggers) = self.triggers.get(&key) else {
            return Reached::default();
        };
        let mut about: Vec<_> = triggers.reached(occurrence).collect();
        about.sort_unstable();
        about.dedup();
        let known = |(task, id): (TaskId, EventId)| {
            let event = self.events.get(&id)?;
            let task = self.matched(task, Some((id, event.revision)))?;
            is_for(&task.webhook, occurrence).then_some((task, &event.filter))
        };
        let mut reached = Reached {
            tasks: Vec::with_capacity(about.len()),
            ..Reached::default()
        };
        for (task, filter) in about.into_iter().filter_map(known) {
            reached.push(task, filter);
        }
        reached
    }

    /// Returns a task of this realm, whatever reaches it.
    pub(super) fn task(&self, id: TaskId) -> Option<MatchedTask> {
        self.matched(id, None)
    }

    /// Applies changes. The events of a task that has left the table stay: they run nothing, and
    /// the task may only have been disabled.
    pub(super) fn apply(&mut self, changes: RouteChanges) {
        for (id, webhook) in changes.webhooks {
            self.texts += webhook.as_ref().map_or(0, listed);
            let before = match webhook {
                Some(webhook) => self.webhooks.insert(id, webhook),
                None => self.webhooks.remove(&id),
            };
            self.texts -= before.as_ref().map_or(0, listed);
        }
        for (id, task) in changes.tasks {
            set(&mut self.tasks, id, task);
        }
        for (id, event) in changes.events {
            self.take(id);
            event.into_iter().for_each(|event| self.put(event));
        }
        self.version = changes.version;
    }

    /// Removes the tasks that this process itself consumed, if nothing else has changed.
    pub(super) fn consumed(&mut self, tasks: &[TaskId], version: RoutesVersion) {
        for task in tasks {
            self.tasks.remove(task);
        }
        self.version = version;
    }

    /// Whether so much has been added since it was read that much of it may be outdated.
    pub(super) fn is_overgrown(&self) -> bool {
        self.rows() > 2 * self.read + SLACK
    }

    /// Whether it costs more than this number of rows without filters.
    pub(super) fn is_larger_than(&self, rows: u32) -> bool {
        self.bytes() > TABLE + ROW * rows as usize
    }

    pub(super) fn bytes(&self) -> usize {
        TABLE + ROW * self.rows() + self.texts
    }

    fn rows(&self) -> usize {
        self.webhooks.len() + self.tasks.len() + self.events.len()
    }

    fn matched(&self, task: TaskId, event: Option<(EventId, Revision)>) -> Option<MatchedTask> {
        let task = *self.tasks.get(&task)?;
        Some(MatchedTask {
            place: self.place,
            task,
            webhook: self.webhooks.get(&task.webhook)?.clone(),
            event,
        })
    }

    fn put(&mut self, event: EventRoute) {
        let key = (event.event_type, event.event);
        let known = self.triggers.get_key_value(&key);
        let trigger = known.map_or_else(|| Arc::new(key), |(trigger, _)| trigger.clone());
        let triggers = self.triggers.entry(trigger.clone()).or_default();
        triggers.add(event.target, (event.task, event.id));
        let known = KnownEvent {
            revision: event.revision,
            trigger,
            target: event.target,
            task: event.task,
            filter: event.filter,
        };
        self.texts += cost(&known.filter);
        self.events.insert(event.id, known);
    }

    fn take(&mut self, id: EventId) {
        let Some(known) = self.events.remove(&id) else {
            return;
        };
        self.texts -= cost(&known.filter);
        if let Some(triggers) = self.triggers.get_mut(&known.trigger) {
            triggers.take(known.target, (known.task, id));
            if triggers.is_empty() {
                self.triggers.remove(&known.trigger);
            }
        }
    }
}

/// Whether an occurrence that reaches a task of this webhook is for it, by its addressed webhooks
/// and its channel.
fn is_for(webhook: &WebhookRoute, occurrence: &Occurrence) -> bool {
    let chosen = occurrence.to.as_ref();
    chosen.is_none_or(|to| to.contains(webhook.id))
        && webhook.channels.include(occurrence.channel.as_ref())
}

/// The approximate memory of the channels of a webhook.
fn listed(webhook: &WebhookRoute) -> usize {
    webhook
        .channels
        .iter()
        .map(|name| CHANNEL + name.as_str().len())
        .sum()
}

/// The maximum memory of a filter with its text and conditions.
fn cost(filter: &Filter) -> usize {
    match filter.is_empty() {
        true => 0,
        false => FILTER * filter.as_str().len(),
    }
}

fn set<K: Eq + std::hash::Hash, V>(map: &mut HashMap<K, V>, key: K, value: Option<V>) {
    match value {
        Some(value) => drop(map.insert(key, value)),
        None => drop(map.remove(&key)),
    }
}
