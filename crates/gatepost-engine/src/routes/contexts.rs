//! What events have for the messages of their tasks. It is not remembered, for few messages ask for
//! it.

use std::sync::Arc;

use gatepost_storage::webhooks::{EventQuery, WebhookStore};
use gatepost_storage::{Bodies, Page, Row, Scope, StoreError};
use webhook_model::{Data, Event, EventId, Occurrence};

use super::matched::MatchedTask;
use super::readable::readable;

/// Events of a task read at a time.
const READ: u32 = 100;
/// And how much of their filters and contexts.
const BYTES: u64 = 1024 * 1024;
/// How often, at most: an owner with more events than this can hold is not helped.
const READS: usize = 100;

#[derive(Debug)]
pub(crate) struct Contexts {
    store: Arc<dyn WebhookStore>,
}

impl Contexts {
    pub(crate) fn new(store: Arc<dyn WebhookStore>) -> Self {
        Self { store }
    }

    /// Of the event that reached the task. Where that is not known any more, because the run waited
    /// in the outbox: of the first of the task's events that the occurrence is one of.
    pub(crate) async fn of(
        &self,
        task: &MatchedTask,
        occurrence: &Occurrence,
    ) -> Result<Option<Data>, StoreError> {
        let row = match task.event {
            Some((id, _)) => readable(self.store.event(id).await)?,
            None => self.first(task, occurrence).await?,
        };
        Ok(row.map(|row| Data::from(&row.value.context)))
    }

    async fn first(
        &self,
        task: &MatchedTask,
        occurrence: &Occurrence,
    ) -> Result<Option<Row<EventId, Event>>, StoreError> {
        let mut query = EventQuery {
            scope: Scope::Owner(task.owner()),
            task: Some(task.id()),
            event_type: Some(occurrence.event_type.clone()),
            page: Page::first(READ).with_bodies(Bodies::UpTo(BYTES)),
        };
        for _ in 0..READS {
            let mut rows = self.store.list_events(&query).await?;
            let Some(last) = rows.last().map(|row| row.id) else {
                break;
            };
            if let Some(found) = rows.iter().position(|row| row.value.matches(occurrence)) {
                return Ok(Some(rows.swap_remove(found)));
            }
            query.page = query.page.beyond(last);
        }
        Ok(None)
    }
}
