//! What is matched in one place: no messages, no texts. It is changed in place, at the cost of what
//! has changed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use gatepost_ids::Place;
use gatepost_storage::Revision;
use gatepost_storage::webhooks::{
    EventRoute, RouteDelta, Routes, RoutesVersion, TaskRoute, WebhookRoute,
};
use webhook_model::{
    EventId, EventName, EventType, ObjectId, Occurrence, TagId, Target, TaskId, WebhookId,
};

use super::matched::MatchedTask;

/// What an empty table costs, about.
const TABLE: usize = 512;
/// What a row costs with all that leads to it, about.
pub(super) const ROW: usize = 192;
/// Rows of which nothing may be left but the events of deleted tasks, before the table is read
/// again.
const SLACK: usize = 1_000;

type Trigger = (EventType, EventName);
/// In order of tasks: an occurrence runs them in that order.
type Reached = BTreeSet<(TaskId, EventId)>;

/// The tasks of one type and event, by what they are about.
#[derive(Debug, Default)]
struct Triggers {
    generic: Reached,
    instances: HashMap<ObjectId, Reached>,
    tags: HashMap<TagId, Reached>,
}

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
        let object = occurrence.object.iter();
        let by_instance = object.filter_map(|object| triggers.instances.get(&object.id));
        let tags = occurrence.tags.iter();
        let by_tag = tags.filter_map(|tag| triggers.tags.get(tag));
        let reached: BTreeMap<TaskId, EventId> = by_instance
            .chain(by_tag)
            .flatten()
            .chain(&triggers.generic)
            .copied()
            .collect();
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
        triggers
            .reached(event.target)
            .insert((event.task, event.id));
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

impl Triggers {
    fn reached(&mut self, target: Target) -> &mut Reached {
        match target {
            Target::Generic => &mut self.generic,
            Target::Instance(id) => self.instances.entry(id).or_default(),
            Target::Tag(id) => self.tags.entry(id).or_default(),
        }
    }

    fn take(&mut self, target: Target, reached: (TaskId, EventId)) {
        let tasks = self.reached(target);
        tasks.remove(&reached);
        if tasks.is_empty() {
            match target {
                Target::Generic => {}
                Target::Instance(id) => drop(self.instances.remove(&id)),
                Target::Tag(id) => drop(self.tags.remove(&id)),
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.generic.is_empty() && self.instances.is_empty() && self.tags.is_empty()
    }
}

fn set<K: Eq + std::hash::Hash, V>(map: &mut HashMap<K, V>, key: K, value: Option<V>) {
    match value {
        Some(value) => drop(map.insert(key, value)),
        None => drop(map.remove(&key)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use webhook_model::OwnerId;

    use super::*;
    use crate::testing::poweron;

    const OWNER: OwnerId = OwnerId(1);

    fn webhook(id: i64) -> WebhookRoute {
        WebhookRoute {
            id: WebhookId(id),
            revision: Revision::FIRST,
            owner: OWNER,
            active: true,
            in_order: false,
            timeout: Duration::from_secs(5),
        }
    }

    fn task(id: i64, webhook: i64) -> TaskRoute {
        TaskRoute {
            id: TaskId(id),
            revision: Revision::FIRST,
            owner: OWNER,
            webhook: WebhookId(webhook),
            once: false,
        }
    }

    fn event(id: i64, target: Target, task: i64) -> EventRoute {
        EventRoute {
            id: EventId(id),
            revision: Revision::FIRST,
            event_type: "vms".parse().unwrap(),
            event: "poweron".parse().unwrap(),
            target,
            task: TaskId(task),
        }
    }

    /// Tasks 1 and 2 send webhook 1; the first is reached by object 1 and tag 4, the other by tag
    /// 5.
    fn table() -> RouteTable {
        let routes = Routes {
            version: RoutesVersion(7),
            webhooks: vec![webhook(1)],
            tasks: vec![task(1, 1), task(2, 1)],
            events: vec![
                event(1, Target::Instance(ObjectId(1)), 1),
                event(2, Target::Tag(TagId(4)), 1),
                event(3, Target::Tag(TagId(5)), 2),
                event(4, Target::Generic, 99),
            ],
        };
        RouteTable::new(Place::Common, routes)
    }

    fn ids(table: &RouteTable, occurrence: &Occurrence) -> Vec<i64> {
        let matched = table.matches(occurrence);
        matched.iter().map(|matched| matched.id().0).collect()
    }

    #[test]
    fn a_task_matches_once_by_instance_or_by_tag_and_an_event_without_a_task_runs_nothing() {
        let table = table();
        assert_eq!(ids(&table, &poweron(1, &[4])), [1]);
        assert_eq!(ids(&table, &poweron(1, &[5])), [1, 2]);
        assert_eq!(ids(&table, &poweron(2, &[])), [0; 0]);
        let elsewhere = Occurrence {
            event: "off".parse().unwrap(),
            ..poweron(1, &[4])
        };
        assert_eq!(ids(&table, &elsewhere), [0; 0]);
        let unnamed = Occurrence {
            object: None,
            ..poweron(1, &[4, 5])
        };
        assert_eq!(ids(&table, &unnamed), [1, 2]);
    }

    #[test]
    fn a_task_that_was_disabled_and_enabled_again_is_reached_by_its_old_events() {
        let mut table = table();
        let set = |task| RouteDelta {
            tasks: vec![(TaskId(1), task)],
            ..RouteDelta::default()
        };
        table.apply(set(None), RoutesVersion(8));
        assert_eq!(ids(&table, &poweron(1, &[5])), [2]);
        table.apply(set(Some(task(1, 1))), RoutesVersion(9));
        assert_eq!(ids(&table, &poweron(1, &[5])), [1, 2]);
        assert_eq!(table.version, RoutesVersion(9));
    }

    #[test]
    fn a_change_moves_an_event_and_a_webhook_that_is_gone_takes_its_tasks() {
        let mut table = table();
        let moved = RouteDelta {
            webhooks: vec![(WebhookId(2), Some(webhook(2)))],
            tasks: vec![(TaskId(2), Some(task(2, 2)))],
            events: vec![
                (EventId(1), Some(event(1, Target::Tag(TagId(6)), 2))),
                (EventId(2), None),
                (EventId(9), None),
            ],
        };
        table.apply(moved, RoutesVersion(8));
        assert_eq!(ids(&table, &poweron(1, &[4])), [0; 0]);
        assert_eq!(ids(&table, &poweron(1, &[6])), [2]);
        let gone = RouteDelta {
            webhooks: vec![(WebhookId(2), None)],
            ..RouteDelta::default()
        };
        table.apply(gone, RoutesVersion(9));
        assert_eq!(ids(&table, &poweron(1, &[5, 6])), [0; 0]);
        assert!(table.task(TaskId(1)).is_some() && table.task(TaskId(2)).is_none());
    }

    #[test]
    fn what_consumed_tasks_leave_behind_is_noticed() {
        let mut table = table();
        for n in 100..100 + 2 * SLACK as i64 {
            assert_eq!(table.is_overgrown(), n > 100 + SLACK as i64 + 7, "{n}");
            let once = RouteDelta {
                tasks: vec![(TaskId(n), Some(task(n, 1)))],
                events: vec![(EventId(n), Some(event(n, Target::Generic, n)))],
                ..RouteDelta::default()
            };
            table.apply(once, RoutesVersion(n));
            table.consumed(&[TaskId(n)], RoutesVersion(n + 1));
            assert_eq!(ids(&table, &poweron(9, &[])), [0; 0]);
        }
    }
}
