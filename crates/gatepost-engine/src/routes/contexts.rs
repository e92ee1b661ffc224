//! The contexts of events for the messages of their tasks. They are not cached, as few messages use
//! them.

use std::collections::HashMap;
use std::sync::Arc;

use gatepost_storage::webhooks::{EventQuery, WebhookStore};
use gatepost_storage::{Bodies, Page, Scope, StoreError};
use webhook_model::{Data, EventId, Occurrence, TaskId};

use super::matched::MatchedTask;

/// Events of a task read at a time.
const READ: u32 = 100;
/// The maximum bytes of their filters and contexts read at a time.
const BYTES: u64 = 1024 * 1024;
/// The maximum number of reads: events of an owner beyond them are not found.
const READS: usize = 100;

#[derive(Debug)]
pub(crate) struct Contexts {
    store: Arc<dyn WebhookStore>,
}

impl Contexts {
    pub(crate) fn new(store: Arc<dyn WebhookStore>) -> Self {
        Self { store }
    }

    /// Returns the contexts of the events that reached these tasks. If the event is unknown,
    /// because the run waited in the outbox, returns that of the first of the task's events that
    /// the occurrence matches.
    pub(crate) async fn of(
        &self,
        tasks: &[&MatchedTask],
        occurrence: &Occurrence,
    ) -> Result<HashMap<TaskId, Data>, StoreError> {
        let ids = tasks.iter().filter_map(|task| Some(task.event?.0));
        let ids: Vec<EventId> = ids.collect();
        let mut rows = Vec::new();
        if !ids.is_empty() {
            rows = self.store.events(&ids).await?;
        }
        let mut contexts = HashMap::new();
        for task in tasks {
            let context = match task.event {
                Some((id, _)) => {
                    let row = rows.iter().find(|row| row.id == id);
                    row.map(|row| Data::from(&row.value.context))
                }
                None => self.first(task, occurrence).await?,
            };
            contexts.extend(context.map(|context| (task.id(), context)));
        }
        Ok(contexts)
    }

    async fn first(
        &self,
        task: &MatchedTask,
        occurrence: &Occurrence,
    ) -> Result<Option<Data>, StoreError> {
        let mut query = EventQuery {
            scope: Scope::Owner(task.owner()),
            task: Some(task.id()),
            event_type: Some(occurrence.event_type.clone()),
            page: Page::first(READ).with_bodies(Bodies::UpTo(BYTES)),
        };
        for _ in 0..READS {
            let rows = self.store.list_events(&query).await?;
            let Some(last) = rows.last().map(|row| row.id) else {
                break;
            };
            if let Some(row) = rows.iter().find(|row| row.value.matches(occurrence)) {
                return Ok(Some(Data::from(&row.value.context)));
            }
            query.page = query.page.beyond(last);
        }
        Ok(None)
    }
}
