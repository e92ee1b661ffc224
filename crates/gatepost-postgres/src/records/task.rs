//! Tasks.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::TaskRow;
use webhook_model::{Action, Task, TaskId};

use super::statement::change;
use super::table::{Stored as _, cells, params, row};
use crate::change::{Alone, most};
use crate::error::Result;
use crate::store::PostgresStore;

const DELETE: &str = change!("delete_task");

impl PostgresStore {
    pub(super) async fn change_task(
        &self,
        new: &TaskRow,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Result<TaskRow> {
        let fields = cells(&new.value, self.sealing())?;
        let (size, bytes) = (most(new.value.stored_bytes()), most(at_most));
        let params = params(&[&now, &size, &bytes, &new.id.0, &new.revision.0], &fields);
        let alone = Alone {
            webhooks: webhook_of(&new.value),
            tasks: vec![new.id.0],
            ..Alone::default()
        };
        let update = (Task::table().update.as_str(), &params[..]);
        let (verdict, stored) = self.db().change(&alone, None, update).await?;
        Task::WORDS.check(&verdict)?;
        row(&stored, self.sealing())
    }

    pub(super) async fn remove_task(&self, id: TaskId) -> Result<()> {
        let alone = Alone {
            tasks: vec![id.0],
            ..Alone::default()
        };
        let (verdict, _) = self.db().change(&alone, None, (DELETE, &[&id.0])).await?;
        Task::WORDS.check(&verdict)
    }
}

/// The webhook that it sends.
pub(super) fn webhook_of(task: &Task) -> Vec<i64> {
    match &task.action {
        Action::Send { webhook, .. } => vec![webhook.0],
        _ => Vec::new(),
    }
}
