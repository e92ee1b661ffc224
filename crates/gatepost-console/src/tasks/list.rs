//! The list of tasks.

use std::borrow::Cow;
use std::collections::BTreeMap;

use axum::response::Response;
use chrono::{DateTime, Utc};
use gatepost_storage::Page;
use gatepost_storage::webhooks::{TaskQuery, TaskRow};
use maud::{Markup, html};
use webhook_model::{Action, TaskId, WebhookId};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Query;
use crate::layout::{badge, one_button, seen};
use crate::list_view::{Asked, Column, Kept, Listing, Rank, Rows, list_page};
use crate::time::away;
use crate::unreadable::Kind;

/// The list of tasks, with the names of their webhooks and the times at which they last ran.
struct TaskList {
    names: BTreeMap<WebhookId, String>,
    runs: BTreeMap<TaskId, DateTime<Utc>>,
}

impl TaskList {
    /// Returns the name of the webhook that a task sends, if the caller may see it.
    fn webhook(&self, row: &TaskRow) -> &str {
        let name = webhook_of(row).and_then(|webhook| self.names.get(&webhook));
        name.map_or("", String::as_str)
    }
}

/// A column of the list.
type Of = Column<TaskList, TaskRow>;

impl Listing for TaskList {
    type Row = TaskRow;
    const NAME: &'static str = "tasks";
    const COLUMNS: &'static [Of] = &[
        Of::new("tasks-state", state).sorted("state", |_, row| {
            Rank::Number(u64::from(!row.value.enabled))
        }),
        Of::new("tasks-name", |ctx, _, row| {
            let about = seen(row.value.description.as_str());
            html! { a href=(at(ctx, row, "edit")) title=[(!about.is_empty()).then_some(about)] { (seen(row.value.name.as_str())) } }
        })
        .sorted("name", |_, row| Rank::text(row.value.name.as_str()))
        .name(),
        Of::new("tasks-object", webhook)
            .sorted("webhook", |list, row| Rank::text(list.webhook(row))),
        Of::new("tasks-last-run", |ctx, list, row| {
            let (t, run) = (ctx.texts(), list.runs.get(&row.id).copied());
            html! { @match run { Some(at) => (away(t, at, ctx.now())), None => span.quiet { (t.of("tasks-last-run-never")) } } }
        })
        .sorted("run", |list, row| {
            Rank::time_or_never(list.runs.get(&row.id).copied())
        })
        .when(),
        Of::buttons("tasks-actions", buttons),
    ];
    const STATES: &'static [&'static str] = &["enabled", "disabled", "once", "never"];
    const KEPT: &'static [Kept] = &[Kept {
        name: "webhook",
        is_field: false,
    }];
    const CLASS: &'static str = "lines";
    const UNREADABLE: Option<Kind> = Some(Kind::Task);

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

    fn is_in(&self, row: &TaskRow, state: &str) -> bool {
        match state {
            "enabled" => row.value.enabled,
            "disabled" => !row.value.enabled,
            "once" => row.value.delete_after_run,
            _ => !self.runs.contains_key(&row.id),
        }
    }

    async fn read(
        ctx: &PageContext,
        asked: &Asked,
        page: Page<i64>,
    ) -> Result<Rows<TaskRow>, Failure> {
        let query = TaskQuery {
            scope: asked.scope(),
            creator: None,
            webhook: asked.kept("webhook").parse().ok().map(WebhookId),
            name: None,
            page: page.numbered(TaskId),
        };
        let listed = ctx.actor.tasks(&query).await?;
        Ok((listed.rows, listed.next.map(|id| id.0)))
    }

    async fn of(ctx: &PageContext, _asked: &Asked, rows: &[TaskRow]) -> Result<Self, Failure> {
        let webhooks: Vec<_> = rows.iter().filter_map(webhook_of).collect();
        Ok(Self {
            names: ctx.actor.webhook_names(webhooks).await?,
            runs: ctx.actor.last_runs(rows).await?,
        })
    }
}

pub(super) async fn show(ctx: PageContext, Query(query): Query) -> Result<Response, Failure> {
    list_page::<TaskList>(&ctx, &query, &html! {}).await
}

fn at(ctx: &PageContext, row: &TaskRow, what: &str) -> String {
    ctx.at(&format!("/tasks/{}/{what}", row.id))
}

/// Renders the webhook that a task sends: its name, if the caller may see it.
fn webhook(ctx: &PageContext, list: &TaskList, row: &TaskRow) -> Markup {
    let Some(webhook) = webhook_of(row) else {
        return html! {};
    };
    let t = ctx.texts();
    html! { span {
        @match list.names.get(&webhook) {
            Some(name) => (t.markup("tasks-webhook", &[("webhook", html! { (seen(name)) }.into())])),
            None => (t.of("tasks-webhook-other")),
        }
    } }
}

/// Renders whether a task runs, and whether only once.
fn state(ctx: &PageContext, _list: &TaskList, row: &TaskRow) -> Markup {
    let (t, task) = (ctx.texts(), &row.value);
    html! {
        span {
            @if task.enabled { (badge("good", &t.of("tasks-state-enabled"))) }
            @else { (badge("", &t.of("tasks-state-disabled"))) }
            @if task.delete_after_run { " " (badge("busy", &t.of("tasks-state-once"))) }
        }
    }
}

fn buttons(ctx: &PageContext, _list: &TaskList, row: &TaskRow) -> Markup {
    let (t, at) = (ctx.texts(), |what: &str| at(ctx, row, what));
    let named = [("name", seen(row.value.name.as_str()).into())];
    html! {
        div.actions {
            a.button.small href=(at("test")) aria-label=(t.with("tasks-test-or-run-of", &named)) { (t.of("tasks-test-or-run")) }
            @if row.value.enabled { (one_button(ctx, &at("do/disable"), "small", &t.of("tasks-disable"), Some(&t.with("tasks-disable-of", &named)))) }
            @else { (one_button(ctx, &at("do/enable"), "small", &t.of("tasks-enable"), Some(&t.with("tasks-enable-of", &named)))) }
            a.button.small href=(at("delete")) aria-label=(t.with("tasks-delete-of", &named)) { (t.of("tasks-delete")) }
        }
    }
}

/// Returns the webhook that a task sends.
fn webhook_of(row: &TaskRow) -> Option<WebhookId> {
    match &row.value.action {
        Action::Send { webhook, .. } => Some(*webhook),
        _ => None,
    }
}
