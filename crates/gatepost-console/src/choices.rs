//! The rows that a form offers: value and name. None if there are too many, and the form then asks
//! for a row number.

use gatepost_storage::webhooks::{TaskQuery, TaskRow, WebhookQuery};
use gatepost_storage::{Bodies, Page, Row, Scope};
use webhook_model::{Webhook, WebhookId};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::seen;

/// A form offers at most this number of rows.
const MAX_CHOICES: usize = 200;
/// One more is read, to see whether there are too many.
const READ: u32 = 201;

/// The platform's rows of a table.
pub(crate) async fn choices(ctx: &PageContext, table: &str) -> Vec<(String, String)> {
    let found = ctx.actor.choices(table, MAX_CHOICES + 1).await;
    let found = found.iter();
    few(found.map(|choice| (choice.key.to_string(), choice.name.as_str())))
}

/// The caller's webhooks.
pub(crate) async fn webhook_choices(ctx: &PageContext) -> Result<Vec<(String, String)>, Failure> {
    let rows = newest_webhooks(ctx, READ).await?;
    let rows = rows.iter();
    Ok(few(
        rows.map(|row| (row.id.to_string(), row.value.name.as_str()))
    ))
}

/// The caller's tasks.
pub(crate) async fn task_choices(ctx: &PageContext) -> Result<Vec<(String, String)>, Failure> {
    let rows = newest_tasks(ctx, None, READ).await?;
    let rows = rows.iter();
    Ok(few(
        rows.map(|row| (row.id.to_string(), row.value.name.as_str()))
    ))
}

/// The newest webhooks that the caller may see.
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

/// The newest tasks that the caller may see, of a webhook or all of them.
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

/// The newest rows of a list, without what may be large: lists do not show it.
pub(crate) fn newest_rows<I>(limit: u32) -> Page<I> {
    Page::newest(limit).with_bodies(Bodies::Omitted)
}
