//! Every field of an event.

use async_trait::async_trait;
use gatepost_storage::webhooks::EventQuery;
use gatepost_storage::{Page, Revision, Row, Scope};
use webhook_model::{Event, EventId, OwnerId, TaskId};

use super::edits::{Table, prove, same};
use super::home::{Home, two_webhooks};
use crate::fields::{Field, of_event};
use crate::fixtures::{UNLIMITED, at, event, task};
use crate::harness::Webhooks;
use crate::outcome::Outcome;

type EventRow = Row<EventId, Event>;

struct Events {
    store: Webhooks,
    /// The tasks of owners 1 and 2.
    tasks: [TaskId; 2],
}

/// Every field of an event is stored with it, separately and exactly. An edit of one field must
/// change that field and no other but the owner, who is that of its task, and fields that no edit
/// may change must stay, whatever the caller passes. Every read must return the same, also when the
/// store is opened again.
pub async fn f04_every_field_of_an_event_is_kept(place: Home) -> Outcome {
    let store = place.fresh().await;
    let mut tasks = [TaskId(0); 2];
    for (id, webhook) in tasks.iter_mut().zip(two_webhooks(&store).await) {
        let task = task(webhook);
        let made = store.records.insert_task(&task, UNLIMITED, at(0)).await;
        *id = made.expect("a task is stored").id;
    }
    let table = Events { store, tasks };
    let rows = prove(&table).await;
    if let Some(store) = place.reopen(table.store).await {
        same(&Events { store, tasks }, &rows).await;
    }
    Outcome::Held
}

impl Events {
    fn owner(&self, event: &Event) -> OwnerId {
        OwnerId(if event.task == self.tasks[1] { 2 } else { 1 })
    }
}

#[async_trait]
impl Table for Events {
    type Row = EventRow;

    const CONTRACT_TEST: &'static str = "F4";

    fn fields(&self, base: &EventRow) -> Vec<Field<EventRow>> {
        of_event(base, self.tasks)
    }

    fn base(&self, number: i64) -> EventRow {
        Row {
            id: EventId(0),
            owner: OwnerId(1),
            revision: Revision::FIRST,
            created: at(number),
            modified: at(number),
            value: event(self.tasks[0]),
        }
    }

    async fn insert(&self, row: &EventRow) -> EventRow {
        let records = &self.store.records;
        let inserted = records.insert_event(&row.value, UNLIMITED, row.created);
        inserted.await.expect("F4 a new event is stored")
    }

    async fn update(&self, row: &EventRow, second: i64) -> EventRow {
        let records = &self.store.records;
        let updated = records.update_event(row, UNLIMITED, at(second)).await;
        updated.expect("F4 an edit is stored")
    }

    fn inserted(&self, asked: &mut EventRow, found: &EventRow) {
        (asked.id, asked.owner) = (found.id, self.owner(&asked.value));
    }

    fn edited(&self, stored: &mut EventRow, second: i64) {
        stored.revision = stored.revision.next();
        stored.modified = at(second);
        stored.owner = self.owner(&stored.value);
    }

    /// No call records use of an event.
    async fn used(&self, row: &EventRow) -> EventRow {
        row.clone()
    }

    async fn reads(&self, row: &EventRow) -> Vec<(&'static str, Option<EventRow>)> {
        let records = &self.store.records;
        let by_number = records.event(row.id).await.expect("F4 by number");
        let query = EventQuery {
            scope: Scope::Owner(row.owner),
            task: Some(row.value.task),
            event_type: None,
            page: Page::first(999),
        };
        let listed = records.list_events(&query).await.expect("F4 listed");
        let listed = listed.into_iter().find(|found| found.id == row.id);
        vec![("by number", by_number), ("in a list", listed)]
    }
}
