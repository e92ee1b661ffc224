//! Tasks and their columns.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{TaskQuery, TaskRow};
use gatepost_storage::{ErrorKind, Revision};
use tokio_postgres::types::ToSql;
use webhook_model::{Action, OwnerId, Task, TaskId, WebhookId};

use super::revision::missing_or_stale;
use crate::column::{parse, text};
use crate::error::{Failure, Result};
use crate::list::List;
use crate::store::PostgresStore;

pub(super) const COLUMNS: &str = "id, revision, created, modified, last_run, creator, name, description, enabled, delete_after_run, webhook, message FROM gatepost_task";

impl PostgresStore {
    pub(super) async fn add_task(&self, task: &Task, now: DateTime<Utc>) -> Result<TaskRow> {
        let columns = Columns::of(task)?;
        let mut client = self.db().client().await?;
        let tx = client.transaction().await?;
        self.db().routes_changed(&tx).await?;
        let stored = row(&tx
            .query_one(
                include_str!("../sql/records/insert_task.sql"),
                &columns.params(task, &now),
            )
            .await?)?;
        tx.commit().await?;
        Ok(stored)
    }

    pub(super) async fn find_task(&self, id: TaskId) -> Result<Option<TaskRow>> {
        let found = self
            .db()
            .query_opt(&format!("SELECT {COLUMNS} WHERE id = $1"), &[&id.0])
            .await?;
        found.as_ref().map(row).transpose()
    }

    pub(super) async fn some_tasks(&self, query: &TaskQuery) -> Result<Vec<TaskRow>> {
        let list = List::of(COLUMNS)
            .filter("creator =", query.creator.map(|c| c.0))
            .filter("webhook =", query.webhook.map(|w| w.0))
            .filter("name =", query.name.clone());
        list.page(self.db(), &query.page, |id| id.0)
            .await?
            .iter()
            .map(row)
            .collect()
    }

    pub(super) async fn change_task(&self, new: &TaskRow, now: DateTime<Utc>) -> Result<TaskRow> {
        let columns = Columns::of(&new.task)?;
        let mut client = self.db().client().await?;
        let tx = client.transaction().await?;
        self.db().routes_changed(&tx).await?;
        let mut params = columns.params(&new.task, &now);
        params.extend([&new.id.0 as &(dyn ToSql + Sync), &new.revision.0]);
        let Some(stored) = tx
            .query_opt(include_str!("../sql/records/update_task.sql"), &params)
            .await?
        else {
            return Err(missing_or_stale(
                &tx,
                "SELECT FROM gatepost_task WHERE id = $1",
                new.id.0,
                "task",
            )
            .await);
        };
        let stored = row(&stored)?;
        tx.commit().await?;
        Ok(stored)
    }
}

struct Columns<'a> {
    name: &'a str,
    description: &'a str,
    webhook: i64,
    message: &'a [u8],
}

impl<'a> Columns<'a> {
    fn of(task: &'a Task) -> Result<Self> {
        match &task.action {
            Action::Send { webhook, message } => Ok(Self {
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
            &task.creator.0,
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
        revision: Revision(row.try_get("revision")?),
        created: row.try_get("created")?,
        modified: row.try_get("modified")?,
        last_run: row.try_get("last_run")?,
        task: Task {
            creator: OwnerId(row.try_get("creator")?),
            name: parse(row, "name")?,
            description: parse(row, "description")?,
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
