//! The rows that a field of a form offers: at most 200, with a search if there are more.

use gatepost_storage::webhooks::{TaskQuery, TaskRow, WebhookQuery};
use gatepost_storage::{Bodies, Page, Row, Scope};
use webhook_model::{Webhook, WebhookId};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::{Choices, Form, Search};
use crate::layout::{find_field, seen};

/// The maximum number of rows that a list offers.
const OFFERED: u32 = 200;
/// The maximum number of rows that are searched.
const SEARCHED: u32 = 2_000;

/// Returns the caller's rows of this table, `webhook_urls`, `tasks` or one of the platform's, for a
/// field of the form: all, or if there are too many those that the form searches for, with the
/// chosen one first.
pub(crate) async fn choices(
    ctx: &PageContext,
    form: &Form,
    field: &str,
    table: &str,
) -> Result<Choices, Failure> {
    let (chosen, typed) = (form.word(field), form.text(&find_field(field)));
    let words = Search::parse(typed);
    let is_chosen = |row: &(String, String)| row.0 == chosen;
    let most = if words.is_empty() {
        OFFERED + 1
    } else {
        SEARCHED
    };
    let (mut rows, mut search) = (read(ctx, table, most).await?, None);
    if rows.len() > OFFERED as usize {
        if words.is_empty() && !chosen.is_empty() && !rows.iter().any(is_chosen) {
            rows = read(ctx, table, SEARCHED).await?;
        }
        rows.retain(|row| is_chosen(row) || words.finds(&[row.1.as_str().into()]));
        rows.sort_by_key(|row| !is_chosen(row));
        // Beyond the rows that are searched, one is found by its id.
        let is_found = !rows.is_empty() || !chosen.is_empty();
        let id = if is_found { chosen } else { words.text() };
        if !id.is_empty() && rows.first().is_none_or(|first| first.0 != id) {
            rows.insert(0, (id.to_owned(), id.to_owned()));
        }
        rows.truncate(OFFERED as usize);
        search = Some(typed.to_owned());
    }
    if table == "users" {
        let ids: Vec<_> = rows.iter().filter_map(|row| row.0.parse().ok()).collect();
        let managed = ctx.actor.managed(&ids).await;
        rows.retain(|row| row.0.parse().is_ok_and(|id| managed.contains(&id)));
    }
    for row in &mut rows {
        row.1 = seen(&row.1).into_owned();
    }
    Ok(Choices { rows, search })
}

/// Returns the value and the name of each of the first rows.
async fn read(ctx: &PageContext, table: &str, most: u32) -> Result<Vec<(String, String)>, Failure> {
    Ok(match table {
        "webhook_urls" => {
            let rows = newest_webhooks(ctx, most).await?.into_iter();
            let named = rows.map(|row| (row.id.to_string(), row.value.name.to_string()));
            named.collect()
        }
        "tasks" => {
            let rows = newest_tasks(ctx, None, most).await?.into_iter();
            let named = rows.map(|row| (row.id.to_string(), row.value.name.to_string()));
            named.collect()
        }
        table => {
            let rows = ctx.actor.choices(table, most as usize).await.into_iter();
            rows.map(|row| (row.key.to_string(), row.name)).collect()
        }
    })
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

/// Returns a page of the newest rows, without their large fields, which lists do not show.
pub(crate) fn newest_rows<I>(limit: u32) -> Page<I> {
    Page::newest(limit).with_bodies(Bodies::Omitted)
}
