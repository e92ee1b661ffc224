//! How tasks are searched, filtered and sorted.

use std::borrow::Cow;
use std::collections::BTreeMap;

use gatepost_storage::webhooks::{TaskQuery, TaskRow};
use webhook_model::{Action, TaskId, WebhookId};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::list_view::{Asked, Kept, Listing, Rank, Shape, Shown, SortBy};

/// Tasks, with the names of the webhooks that they send.
pub(super) struct TaskList {
    pub names: BTreeMap<WebhookId, String>,
}

impl TaskList {
    /// The name of the webhook that a task sends, if the caller may see it.
    pub(super) fn webhook(&self, row: &TaskRow) -> &str {
        let name = webhook_of(row).and_then(|webhook| self.names.get(&webhook));
        name.map_or("", String::as_str)
    }
}

impl Listing for TaskList {
    type Row = TaskRow;
    const SHAPE: Shape = Shape {
        one: "task",
        many: "tasks",
        searched: "name, description and webhook",
        orders: &[
            SortBy {
                name: "name",
                up: "Name, A to Z",
                down: "Name, Z to A",
            },
            SortBy {
                name: "webhook",
                up: "Webhook, A to Z",
                down: "Webhook, Z to A",
            },
            SortBy {
                name: "run",
                up: "Longest not run",
                down: "Last run",
            },
            SortBy {
                name: "state",
                up: "Enabled before disabled",
                down: "Disabled before enabled",
            },
        ],
        states: &[
            ("enabled", "Enabled"),
            ("disabled", "Disabled"),
            ("once", "One-time"),
            ("never", "Never run"),
        ],
        kept: &[Kept {
            name: "webhook",
            how: "open the tasks of one webhook",
            of: Some("of one webhook"),
        }],
    };

    fn number(row: &TaskRow) -> i64 {
        row.id.0
    }

    fn texts<'a>(&'a self, row: &'a TaskRow) -> Vec<Cow<'a, str>> {
        vec![
            row.task.name.as_str().into(),
            row.task.description.as_str().into(),
            self.webhook(row).into(),
        ]
    }

    fn rank(&self, row: &TaskRow, order: &str) -> Rank {
        match order {
            "webhook" => Rank::text(self.webhook(row)),
            "run" => Rank::time_or_never(row.last_run),
            "state" => Rank::Number(u64::from(!row.task.enabled)),
            _ => Rank::text(row.task.name.as_str()),
        }
    }

    fn is_in(&self, row: &TaskRow, state: &str) -> bool {
        match state {
            "enabled" => row.task.enabled,
            "disabled" => !row.task.enabled,
            "once" => row.task.delete_after_run,
            _ => row.last_run.is_none(),
        }
    }
}

/// The page of tasks that was asked for, with the names that it shows.
pub(super) async fn shown(
    ctx: &PageContext,
    asked: &Asked,
) -> Result<(Shown<TaskRow>, TaskList), Failure> {
    let scope = asked.scope();
    let webhook = asked.kept("webhook").parse().ok().map(WebhookId);
    let found = asked
        .read::<TaskList, _>(ctx, async |page| {
            let query = TaskQuery {
                scope,
                creator: None,
                webhook,
                name: None,
                page: page.numbered(TaskId),
            };
            let listed = ctx.actor.tasks(&query).await?;
            Ok((listed.rows, listed.next.map(|id| id.0)))
        })
        .await?;
    let webhooks = found.rows.iter().filter_map(webhook_of);
    let list = TaskList {
        names: ctx.actor.webhook_names(webhooks).await?,
    };
    Ok((asked.select(found, &list).await, list))
}

/// The webhook that a task sends.
pub(super) fn webhook_of(row: &TaskRow) -> Option<WebhookId> {
    match &row.task.action {
        Action::Send { webhook, .. } => Some(*webhook),
        _ => None,
    }
}
