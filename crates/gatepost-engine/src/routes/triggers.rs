//! The events of one type and event name, by target.

use std::collections::{BTreeSet, HashMap};

use webhook_model::{EventId, ObjectId, Occurrence, TagId, Target, TaskId};

/// A task and the event that reaches it, in order of tasks: an occurrence runs them in that order.
type EventTasks = BTreeSet<(TaskId, EventId)>;

#[derive(Debug, Default)]
pub(super) struct Triggers {
    generic: EventTasks,
    instances: HashMap<ObjectId, EventTasks>,
    tags: HashMap<TagId, EventTasks>,
}

impl Triggers {
    /// Returns the tasks and events that an occurrence of this type and event reaches.
    pub(super) fn reached<'a>(
        &'a self,
        occurrence: &'a Occurrence,
    ) -> impl Iterator<Item = (TaskId, EventId)> + 'a {
        let object = occurrence.object.iter();
        let by_instance = object.filter_map(|object| self.instances.get(&object.id));
        let tags = occurrence.tags.iter();
        let by_tag = tags.filter_map(|tag| self.tags.get(tag));
        let specific = by_instance.chain(by_tag).flatten();
        specific.chain(&self.generic).copied()
    }

    pub(super) fn add(&mut self, target: Target, reached: (TaskId, EventId)) {
        self.about(target).insert(reached);
    }

    pub(super) fn take(&mut self, target: Target, reached: (TaskId, EventId)) {
        let tasks = self.about(target);
        tasks.remove(&reached);
        if tasks.is_empty() {
            match target {
                Target::Generic => {}
                Target::Instance(id) => drop(self.instances.remove(&id)),
                Target::Tag(id) => drop(self.tags.remove(&id)),
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.generic.is_empty() && self.instances.is_empty() && self.tags.is_empty()
    }

    fn about(&mut self, target: Target) -> &mut EventTasks {
        match target {
            Target::Generic => &mut self.generic,
            Target::Instance(id) => self.instances.entry(id).or_default(),
            Target::Tag(id) => self.tags.entry(id).or_default(),
        }
    }
}
