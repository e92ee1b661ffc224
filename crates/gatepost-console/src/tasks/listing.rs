//! How tasks are searched, filtered and sorted.

use std::borrow::Cow;
use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{TaskQuery, TaskRow};
use webhook_model::{Action, TaskId, WebhookId};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::list_view::{Asked, Kept, ListTexts, Listing, Rank, Shape, Shown, SortBy};

/// Tasks, with the names of the webhooks that they send and when they last ran.
pub(super) struct TaskList {
    pub names: BTreeMap<WebhookId, String>,
    pub runs: BTreeMap<TaskId, DateTime<Utc>>,
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
        limit: "tasks",
        texts: ListTexts {
            search: "lists-tasks-search",
            searched: "lists-tasks-searched",
            count: "lists-tasks-count",
            more: "lists-tasks-more",
            matches: "lists-tasks-matches",
            too_many: "lists-tasks-too-many",
        },
        orders: &[
            SortBy {
                name: "name",
                up: "lists-tasks-sort-name",
                down: "lists-tasks-sort-name-down",
            },
            SortBy {
                name: "webhook",
                up: "lists-tasks-sort-webhook",
                down: "lists-tasks-sort-webhook-down",
            },
            SortBy {
                name: "run",
                up: "lists-tasks-sort-run",
                down: "lists-tasks-sort-run-down",
            },
            SortBy {
                name: "state",
                up: "lists-tasks-sort-state",
                down: "lists-tasks-sort-state-down",
            },
        ],
        states: &[
            ("enabled", "lists-tasks-state-enabled"),
            ("disabled", "lists-tasks-state-disabled"),
            ("once", "lists-tasks-state-once"),
            ("never", "lists-tasks-state-never"),
        ],
        kept: &[Kept {
            name: "webhook",
            how: "lists-tasks-narrow-webhook",
            only: Some("lists-tasks-only-webhook"),
        }],
    };

    fn number(row: &TaskRow) -> i64 {
        row.id.0
    }

    fn texts<'a>(&'a self, row: &'a TaskRow) -> Vec<Cow<'a, str>> {
        vec![
            row.value.name.as_str().into(),
            row.value.description.as_str().into(),
            self.webhook(row).into(),
        ]
    }

    fn rank(&self, row: &TaskRow, order: &str) -> Rank {
        match order {
            "webhook" => Rank::text(self.webhook(row)),
            "run" => Rank::time_or_never(self.runs.get(&row.id).copied()),
            "state" => Rank::Number(u64::from(!row.value.enabled)),
            _ => Rank::text(row.value.name.as_str()),
        }
    }

    fn is_in(&self, row: &TaskRow, state: &str) -> bool {
        match state {
            "enabled" => row.value.enabled,
            "disabled" => !row.value.enabled,
            "once" => row.value.delete_after_run,
            _ => !self.runs.contains_key(&row.id),
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
        runs: ctx.actor.last_runs(&found.rows).await?,
    };
    Ok((asked.select(found, &list).await, list))
}

/// The webhook that a task sends.
pub(super) fn webhook_of(row: &TaskRow) -> Option<WebhookId> {
    match &row.value.action {
        Action::Send { webhook, .. } => Some(*webhook),
        _ => None,
    }
}
