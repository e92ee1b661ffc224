//! Tasks.

use chrono::{DateTime, Utc};
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{NamedTask, TaskMessage, TaskQuery, TaskRow};
use gatepost_storage::{AtMost, Revision};
use uuid::Uuid;
use webhook_model::{Action, Task, TaskId, TaskName};

use super::scope::scoped;
use super::statement::change;
use super::table::{self, Stored as _, cells, params};
use crate::change::{Alone, Words, most};
use crate::column::{owner, stored, text};
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

/// What is read of a task of which the name is wanted.
const NAME: &str = "r.id, r.owner, r.name, r.enabled";
const DELETE: &str = change!("delete_task");
const WORDS: Words = Words {
    what: "task",
    taken: "task",
    reference: "the task's webhook does not exist",
};

impl PostgresStore {
    pub(super) async fn add_task(
        &self,
        task: &Task,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<TaskRow> {
        let fields = cells(task, self.sealing())?;
        let (rows, bytes) = (most(at_most.rows), most(at_most.bytes));
        let size = most(task.stored_bytes());
        let params = params(&[&now, &size, &rows, &bytes], &fields);
        let alone = Alone {
            webhooks: webhook_of(task),
            ..Alone::default()
        };
        let insert = (Task::table().insert.as_str(), &params[..]);
        let (verdict, stored) = self.db().change(&alone, None, insert).await?;
        WORDS.check(&verdict)?;
        read(&stored)
    }

    pub(super) async fn find_task(&self, id: TaskId) -> Result<Option<TaskRow>> {
        let found = self.find::<Task>(id).await?;
        found.as_ref().map(read).transpose()
    }

    pub(super) async fn some_tasks(&self, query: &TaskQuery) -> Result<Vec<TaskRow>> {
        let list = scoped(&Task::table().select, query.scope)
            .bodies(&Task::table().bodies)
            .filter("r.creator =", query.creator.map(Uuid::from))
            .filter("r.webhook =", query.webhook.map(|w| w.0))
            .filter("r.name =", query.name.clone());
        list.readable(self.db(), &query.page, |id| id.0, read).await
    }

    pub(super) async fn change_task(
        &self,
        new: &TaskRow,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<TaskRow> {
        let fields = cells(&new.value, self.sealing())?;
        let (size, bytes) = (most(new.value.stored_bytes()), most(at_most.bytes));
        let params = params(&[&now, &size, &bytes, &new.id.0, &new.revision.0], &fields);
        let alone = Alone {
            webhooks: webhook_of(&new.value),
            tasks: vec![new.id.0],
            ..Alone::default()
        };
        let update = (Task::table().update.as_str(), &params[..]);
        let (verdict, stored) = self.db().change(&alone, None, update).await?;
        WORDS.check(&verdict)?;
        read(&stored)
    }

    pub(super) async fn remove_task(&self, id: TaskId) -> Result<()> {
        let alone = Alone {
            tasks: vec![id.0],
            ..Alone::default()
        };
        let (verdict, _) = self.db().change(&alone, None, (DELETE, &[&id.0])).await?;
        WORDS.check(&verdict)
    }

    pub(super) async fn find_task_names(&self, ids: &[TaskId]) -> Result<Vec<NamedTask>> {
        let read = |row: &tokio_postgres::Row| -> Result<NamedTask> {
            Ok(NamedTask {
                id: TaskId(row.try_get("id")?),
                owner: owner(row, "owner")?,
                name: stored(row, "name", TaskName::stored)?,
                enabled: row.try_get("enabled")?,
            })
        };
        self.find_all::<Task, _>(NAME, ids.iter().copied(), read)
            .await
    }

    pub(super) async fn some_messages(&self, tasks: &[TaskId]) -> Result<Vec<TaskMessage>> {
        let ids: Vec<i64> = tasks.iter().map(|id| id.0).collect();
        let sql = include_str!("../sql/records/messages.sql");
        let found = self.db().query(sql, &[&ids]).await?;
        let read = |row: &tokio_postgres::Row| -> Result<TaskMessage> {
            Ok(TaskMessage {
                id: TaskId(row.try_get("id")?),
                revision: Revision(row.try_get("revision")?),
                message: text(row, "message")?
                    .parse()
                    .map_err(|e| Failure::corrupt("message", e))?,
            })
        };
        let messages = found.iter().map(read);
        messages
            .filter(|message| !matches!(message, Err(failure) if failure.is_corrupt()))
            .collect()
    }
}

/// The webhook that it sends.
fn webhook_of(task: &Task) -> Vec<i64> {
    match &task.action {
        Action::Send { webhook, .. } => vec![webhook.0],
        _ => Vec::new(),
    }
}

pub(super) fn read(row: &tokio_postgres::Row) -> Result<TaskRow> {
    table::row(row, &SealingKeys::none())
}
