//! The rows that a form offers: value and name. If there are too many, none is offered, and the
//! form asks for a row number.

use gatepost_storage::webhooks::{TaskQuery, TaskRow, WebhookQuery};
use gatepost_storage::{Bodies, Page, Row, Scope};
use webhook_model::{Webhook, WebhookId};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::seen;

/// The maximum number of rows that a form offers.
const MAX_CHOICES: usize = 200;
/// The number of rows that are read: one more shows whether there are too many.
const READ: u32 = 201;

/// Returns the platform's rows of a table.
pub(crate) async fn choices(ctx: &PageContext, table: &str) -> Vec<(String, String)> {
    let found = ctx.actor.choices(table, MAX_CHOICES + 1).await;
    let found = found.iter();
    few(found.map(|choice| (choice.key.to_string(), choice.name.as_str())))
}

/// Returns the caller's webhooks.
pub(crate) async fn webhook_choices(ctx: &PageContext) -> Result<Vec<(String, String)>, Failure> {
    let rows = newest_webhooks(ctx, READ).await?;
    let rows = rows.iter();
    Ok(few(
        rows.map(|row| (row.id.to_string(), row.value.name.as_str()))
    ))
}

/// Returns the caller's tasks.
pub(crate) async fn task_choices(ctx: &PageContext) -> Result<Vec<(String, String)>, Failure> {
    let rows = newest_tasks(ctx, None, READ).await?;
    let rows = rows.iter();
    Ok(few(
        rows.map(|row| (row.id.to_string(), row.value.name.as_str()))
    ))
}

/// Returns the newest webhooks that the caller may see.
pub(crate) async fn newest_webhooks(
    ctx: &PageContext,
    most: u32,
) -> Result<Vec<Row<WebhookId, Webhook>>, Failure> {
    let query = WebhookQuery {
        scope: Scope::All,
        name: None,
        page: newest_rows(most),
    };
    Ok(ctx.actor.webhooks(&query).await?.rows)
}

/// Returns the newest tasks that the caller may see, of one webhook or of all.
pub(crate) async fn newest_tasks(
    ctx: &PageContext,
    webhook: Option<WebhookId>,
    most: u32,
) -> Result<Vec<TaskRow>, Failure> {
    let query = TaskQuery {
        scope: Scope::All,
        creator: None,
        webhook,
        name: None,
        page: newest_rows(most),
    };
    Ok(ctx.actor.tasks(&query).await?.rows)
}

fn few<'a>(choices: impl Iterator<Item = (String, &'a str)>) -> Vec<(String, String)> {
    let choices = choices.map(|(value, name)| (value, seen(name).into_owned()));
    let choices: Vec<_> = choices.collect();
    match choices.len() > MAX_CHOICES {
        true => Vec::new(),
        false => choices,
    }
}

/// Returns a page of the newest rows, without their large fields, which lists do not show.
pub(crate) fn newest_rows<I>(limit: u32) -> Page<I> {
    Page::newest(limit).with_bodies(Bodies::Omitted)
}
