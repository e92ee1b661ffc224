//! Tasks and their columns.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{NamedTask, TaskMessage, TaskQuery, TaskRow};
use gatepost_storage::{AtMost, ErrorKind, Revision};
use tokio_postgres::types::ToSql;
use uuid::Uuid;
use webhook_model::{Action, Description, Task, TaskId, TaskName, WebhookId};

use super::scope::scoped;
use super::statement::change;
use crate::change::{Alone, Words, most};
use crate::column::{owner, stored, text};
use crate::error::{Failure, Result};
use crate::list::Body;
use crate::store::PostgresStore;

/// What is read of a task that is there.
pub(super) const SELECT: &str = "r.id, r.owner, r.revision, r.created, r.modified, r.last_run, r.creator, r.name, r.description, \
     r.enabled, r.delete_after_run, r.webhook, r.message \
     FROM :schema.gatepost_task r JOIN :schema.gatepost_webhook w ON w.id = r.webhook JOIN :schema.gatepost_owner o ON o.owner = r.owner AND NOT o.gone \
     WHERE NOT w.gone";

const BODIES: [Body; 1] = [Body {
    column: "message",
    empty: "",
}];
/// What is read of a task of which the name is wanted.
const NAME: &str = "r.id, r.owner, r.name, r.enabled FROM :schema.gatepost_task r \
     JOIN :schema.gatepost_webhook w ON w.id = r.webhook JOIN :schema.gatepost_owner o ON o.owner = r.owner AND NOT o.gone \
     WHERE NOT w.gone";
const INSERT: &str = change!("insert_task");
const UPDATE: &str = change!("update_task");
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
        let columns = Columns::of(task)?;
        let (rows, bytes) = (most(at_most.rows), most(at_most.bytes));
        let size = most(task.stored_bytes());
        let mut params = columns.params(task, &now);
        params.extend([&size as &(dyn ToSql + Sync), &rows, &bytes]);
        let alone = Alone {
            webhooks: vec![columns.webhook],
            ..Alone::default()
        };
        let (verdict, stored) = self.db().change(&alone, None, (INSERT, &params)).await?;
        WORDS.check(&verdict)?;
        row(&stored)
    }

    pub(super) async fn find_task(&self, id: TaskId) -> Result<Option<TaskRow>> {
        let found = self
            .db()
            .query_opt(&format!("SELECT {SELECT} AND r.id = $1"), &[&id.0])
            .await?;
        found.as_ref().map(row).transpose()
    }

    pub(super) async fn some_tasks(&self, query: &TaskQuery) -> Result<Vec<TaskRow>> {
        let list = scoped(SELECT, query.scope)
            .bodies(&BODIES)
            .filter("r.creator =", query.creator.map(Uuid::from))
            .filter("r.webhook =", query.webhook.map(|w| w.0))
            .filter("r.name =", query.name.clone());
        list.readable(self.db(), &query.page, |id| id.0, row).await
    }

    pub(super) async fn change_task(
        &self,
        new: &TaskRow,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<TaskRow> {
        let columns = Columns::of(&new.task)?;
        let (size, bytes) = (most(new.task.stored_bytes()), most(at_most.bytes));
        let mut params = columns.params(&new.task, &now);
        params.extend([
            &size as &(dyn ToSql + Sync),
            &bytes,
            &new.id.0,
            &new.revision.0,
        ]);
        let alone = Alone {
            webhooks: vec![columns.webhook],
            tasks: vec![new.id.0],
            ..Alone::default()
        };
        let (verdict, stored) = self.db().change(&alone, None, (UPDATE, &params)).await?;
        WORDS.check(&verdict)?;
        row(&stored)
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
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        let sql = format!("SELECT {NAME} AND r.id = ANY ($1) ORDER BY r.id");
        let found = self.db().query(&sql, &[&ids]).await?;
        let read = |row: &tokio_postgres::Row| -> Result<NamedTask> {
            Ok(NamedTask {
                id: TaskId(row.try_get("id")?),
                owner: owner(row, "owner")?,
                name: stored(row, "name", TaskName::stored)?,
                enabled: row.try_get("enabled")?,
            })
        };
        let named = found.iter().map(read);
        named
            .filter(|named| !matches!(named, Err(failure) if failure.is_corrupt()))
            .collect()
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

struct Columns<'a> {
    creator: Uuid,
    name: &'a str,
    description: &'a str,
    webhook: i64,
    message: &'a [u8],
}

impl<'a> Columns<'a> {
    fn of(task: &'a Task) -> Result<Self> {
        match &task.action {
            Action::Send { webhook, message } => Ok(Self {
                creator: task.creator.into(),
                name: task.name.as_str(),
                description: task.description.as_str(),
                webhook: webhook.0,
                message: message.as_str().as_bytes(),
            }),
            _ => Err(Failure::new(
                ErrorKind::Invalid,
                "an action that this backend does not know",
            )),
        }
    }

    fn params(&'a self, task: &'a Task, now: &'a DateTime<Utc>) -> Vec<&'a (dyn ToSql + Sync)> {
        vec![
            now,
            &self.creator,
            &self.name,
            &self.description,
            &task.enabled,
            &task.delete_after_run,
            &self.webhook,
            &self.message,
        ]
    }
}

pub(super) fn row(row: &tokio_postgres::Row) -> Result<TaskRow> {
    Ok(TaskRow {
        id: TaskId(row.try_get("id")?),
        owner: owner(row, "owner")?,
        revision: Revision(row.try_get("revision")?),
        created: row.try_get("created")?,
        modified: row.try_get("modified")?,
        last_run: row.try_get("last_run")?,
        task: Task {
            creator: owner(row, "creator")?,
            name: stored(row, "name", TaskName::stored)?,
            description: stored(row, "description", Description::stored)?,
            enabled: row.try_get("enabled")?,
            delete_after_run: row.try_get("delete_after_run")?,
            action: Action::Send {
                webhook: WebhookId(row.try_get("webhook")?),
                message: text(row, "message")?
                    .parse()
                    .map_err(|e| Failure::corrupt("message", e))?,
            },
        },
    })
}
