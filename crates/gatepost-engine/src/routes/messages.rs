//! The messages of tasks, parsed: recently used ones are cached, the others are read.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gatepost_storage::webhooks::WebhookStore;
use gatepost_storage::{Revision, StoreError};
use webhook_model::{Action, OwnerId, TaskId, Template};

use crate::cooperative_yield::{GiveWay, apart};
use crate::fair_map::Shares;
use crate::guard::guarded;
use crate::small_map::Few;

/// The approximate memory of an entry in addition to its text.
const ENTRY: usize = 256;
/// The number of tasks for which the engine remembers that an unreadable message was reported.
const REPORTED: usize = 10_000;
/// The divisor of the memory that gives the size of the largest cached message.
const LARGEST: usize = 16;

type Parsed = (Revision, Arc<Template>);

#[derive(Debug)]
pub(crate) struct Messages {
    store: Arc<dyn WebhookStore>,
    memory: usize,
    recent: Mutex<Shares<TaskId, Parsed>>,
    /// Tasks without a readable message that were reported, at which revision.
    reported: Mutex<Shares<TaskId, Revision>>,
}

impl Messages {
    pub(crate) fn new(store: Arc<dyn WebhookStore>, memory: usize) -> Self {
        Self {
            store,
            memory,
            recent: Mutex::new(Shares::new(memory)),
            reported: Mutex::new(Shares::new(REPORTED)),
        }
    }

    /// Returns the messages of these tasks, with one read for those that are not cached. A deleted
    /// task has none. A changed one has its new message: the caller's task is then outdated, and
    /// the store refuses what was made of it.
    pub(crate) async fn of(
        &self,
        tasks: impl Iterator<Item = (TaskId, OwnerId, Revision)>,
    ) -> Result<Few<TaskId, Arc<Template>>, StoreError> {
        let (mut found, mut missing) = (Few::default(), Vec::new());
        for (id, owner, revision) in tasks {
            match self.lock().get(id) {
                Some((known, template)) if *known == revision => {
                    found.insert(id, template.clone());
                }
                _ => missing.push((id, owner, revision)),
            }
        }
        if missing.is_empty() {
            return Ok(found);
        }
        let ids: Vec<TaskId> = missing.iter().map(|(id, ..)| *id).collect();
        let mut turns = GiveWay::default();
        for read in self.store.tasks(&ids).await? {
            let Action::Send { message, .. } = read.value.action else {
                continue;
            };
            let length = message.as_str().len();
            turns.after(length).await;
            let template = Arc::new(apart(length, move || Template::parse(&message)).await);
            let bytes = 2 * length + ENTRY;
            let asked = missing.iter().find(|(id, ..)| *id == read.id);
            if bytes <= self.memory / LARGEST
                && let Some((_, owner, _)) = asked
            {
                let parsed = (read.revision, template.clone());
                self.lock().insert(read.id, *owner, parsed, bytes);
            }
            found.insert(read.id, template);
        }
        for (id, owner, revision) in missing {
            if found.get(id).is_none() {
                self.report(id, owner, revision);
            }
        }
        Ok(found)
    }

    /// Reports once for each revision.
    fn report(&self, id: TaskId, owner: OwnerId, revision: Revision) {
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        if reported.get(id).is_some_and(|known| *known == revision) {
            return;
        }
        reported.insert(id, owner, revision, 1);
        drop(reported);
        let task = id.0;
        guarded(|| tracing::warn!(task, "this task is missing or unreadable; it does not run"));
    }

    fn lock(&self) -> MutexGuard<'_, Shares<TaskId, Parsed>> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
