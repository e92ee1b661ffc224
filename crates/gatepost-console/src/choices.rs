//! The rows that a form offers: value and name. None if there are too many, and the form then asks
//! for a row number.

use gatepost_storage::webhooks::{TaskQuery, WebhookQuery};
use gatepost_storage::{Bodies, Page, Scope};

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
    few(found
        .into_iter()
        .map(|choice| (choice.key.to_string(), seen(&choice.name).into_owned()))
        .collect())
}

/// The caller's webhooks.
pub(crate) async fn webhook_choices(ctx: &PageContext) -> Result<Vec<(String, String)>, Failure> {
    let query = WebhookQuery {
        scope: Scope::All,
        name: None,
        page: newest_rows(READ),
    };
    let rows = ctx.actor.webhooks(&query).await?.rows.into_iter();
    Ok(few(rows
        .map(|row| {
            (
                row.id.to_string(),
                seen(row.value.name.as_str()).into_owned(),
            )
        })
        .collect()))
}

/// The caller's tasks.
pub(crate) async fn task_choices(ctx: &PageContext) -> Result<Vec<(String, String)>, Failure> {
    let query = TaskQuery {
        scope: Scope::All,
        creator: None,
        webhook: None,
        name: None,
        page: newest_rows(READ),
    };
    let rows = ctx.actor.tasks(&query).await?.rows.into_iter();
    Ok(few(rows
        .map(|row| {
            (
                row.id.to_string(),
                seen(row.value.name.as_str()).into_owned(),
            )
        })
        .collect()))
}

fn few(choices: Vec<(String, String)>) -> Vec<(String, String)> {
    if choices.len() > MAX_CHOICES {
        Vec::new()
    } else {
        choices
    }
}

/// The newest rows of a list, without what may be large: lists do not show it.
pub(crate) fn newest_rows<I>(limit: u32) -> Page<I> {
    Page::newest(limit).with_bodies(Bodies::Omitted)
}
