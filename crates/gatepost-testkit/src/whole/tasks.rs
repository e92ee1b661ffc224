//! Every field of a task.

use async_trait::async_trait;
use gatepost_storage::webhooks::{TaskQuery, TaskRow};
use gatepost_storage::{Page, Revision, Scope};
use webhook_model::{Action, OwnerId, Task, TaskId, WebhookId};

use super::edits::{Table, prove, same};
use super::home::{Home, two_webhooks};
use crate::fields::{Field, of_task};
use crate::fixtures::{UNLIMITED, at, task};
use crate::harness::Webhooks;
use crate::outcome::Outcome;

struct Tasks {
    store: Webhooks,
    /// The webhooks of owners 1 and 2.
    webhooks: [WebhookId; 2],
}

/// Every field of a task is stored with it, separately and exactly. An edit of one field must
/// change that field and no other but the owner, who is that of its webhook, and fields that no
/// edit may change must stay, whatever the caller passes. Every read must return the same, also
/// when the store is opened again.
pub async fn f03_every_field_of_a_task_is_kept(place: Home) -> Outcome {
    let store = place.fresh().await;
    let webhooks = two_webhooks(&store).await;
    let table = Tasks { store, webhooks };
    let rows = prove(&table).await;
    if let Some(store) = place.reopen(table.store).await {
        same(&Tasks { store, webhooks }, &rows).await;
    }
    Outcome::Held
}

impl Tasks {
    fn owner(&self, task: &Task) -> OwnerId {
        match &task.action {
            Action::Send { webhook, .. } if *webhook == self.webhooks[1] => OwnerId(2),
            _ => OwnerId(1),
        }
    }
}

#[async_trait]
impl Table for Tasks {
    type Row = TaskRow;

    const CONTRACT_TEST: &'static str = "F3";

    fn fields(&self, base: &TaskRow) -> Vec<Field<TaskRow>> {
        of_task(base, self.webhooks)
    }

    fn base(&self, number: i64) -> TaskRow {
        let mut value = task(self.webhooks[0]);
        value.name = format!("t{number}").parse().unwrap();
        value.creator = OwnerId::try_from(number).unwrap();
        TaskRow {
            id: TaskId(0),
            owner: OwnerId(1),
            revision: Revision::FIRST,
            created: at(number),
            modified: at(number),
            value,
        }
    }

    async fn insert(&self, row: &TaskRow) -> TaskRow {
        let records = &self.store.records;
        let inserted = records.insert_task(&row.value, UNLIMITED, row.created);
        inserted.await.expect("F3 a new task is stored")
    }

    async fn update(&self, row: &TaskRow, second: i64) -> TaskRow {
        let records = &self.store.records;
        let updated = records.update_task(row, UNLIMITED, at(second)).await;
        updated.expect("F3 an edit is stored")
    }

    fn inserted(&self, asked: &mut TaskRow, found: &TaskRow) {
        (asked.id, asked.owner) = (found.id, self.owner(&asked.value));
    }

    fn edited(&self, stored: &mut TaskRow, second: i64) {
        stored.revision = stored.revision.next();
        stored.modified = at(second);
        stored.owner = self.owner(&stored.value);
    }

    async fn used(&self, row: &TaskRow) -> TaskRow {
        row.clone()
    }

    async fn reads(&self, row: &TaskRow) -> Vec<(&'static str, Option<TaskRow>)> {
        let records = &self.store.records;
        let by_number = records.task(row.id).await.expect("F3 by number");
        let query = TaskQuery {
            scope: Scope::Owner(row.owner),
            creator: None,
            webhook: None,
            name: Some(row.value.name.as_str().to_owned()),
            page: Page::first(999),
        };
        let listed = records.list_tasks(&query).await.expect("F3 listed");
        let listed = listed.into_iter().find(|found| found.id == row.id);
        vec![("by number", by_number), ("in a list", listed)]
    }
}
