//! The tasks that an occurrence reaches.

use gatepost_ids::Realm;
use gatepost_storage::Revision;
use gatepost_storage::webhooks::{Precondition, RecordId, RoutesVersion, TaskRoute, WebhookRoute};
use webhook_model::{EventId, OwnerId, TaskId};

/// A task that is reached, with the event that reaches it.
#[derive(Clone, Debug)]
pub(crate) struct MatchedTask {
    /// The realm of its owner.
    pub place: Realm,
    pub task: TaskRoute,
    pub webhook: WebhookRoute,
    /// One of the events that match; `None` when the task itself was selected.
    pub event: Option<(EventId, Revision)>,
}

impl MatchedTask {
    pub(crate) fn id(&self) -> TaskId {
        self.task.id
    }

    pub(crate) fn owner(&self) -> OwnerId {
        self.task.owner
    }

    /// Returns the rows that must be unchanged for this task to run.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (RecordId, Revision)> {
        let event = self
            .event
            .map(|(id, revision)| (RecordId::Event(id), revision));
        std::iter::once((RecordId::Task(self.task.id), self.task.revision)).chain(event)
    }

    /// Whether a change of this row affects the match.
    pub(crate) fn is_of(&self, row: RecordId) -> bool {
        match row {
            RecordId::Webhook(id) => self.webhook.id == id,
            RecordId::Task(id) => self.task.id == id,
            RecordId::Event(id) => self.event.is_some_and(|(event, _)| event == id),
        }
    }
}

/// The tasks that an occurrence reaches in its realms.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matched {
    /// The versions of the realms for which this is true.
    pub seen: Vec<(Realm, RoutesVersion)>,
    /// Each task once, in order of their row numbers.
    pub tasks: Vec<MatchedTask>,
}

impl Matched {
    pub(super) fn add(&mut self, place: Realm, version: RoutesVersion, tasks: Vec<MatchedTask>) {
        self.seen.push((place, version));
        if self.tasks.is_empty() {
            self.tasks = tasks;
        } else {
            self.tasks.extend(tasks);
        }
    }

    /// Sorts the tasks and removes duplicates: an owner who moved between two reads is in both
    /// realms, and the store refuses the outdated one.
    pub(super) fn in_order(mut self) -> Self {
        self.tasks.sort_by_key(MatchedTask::id);
        self.tasks.dedup_by_key(|matched| matched.task.id);
        self
    }

    /// Returns the precondition that nothing in these realms has changed.
    pub(crate) fn by_places(&self) -> Precondition {
        Precondition::Realms(self.seen.clone())
    }
}
