//! The page that deletes a webhook.

use axum::response::{IntoResponse, Redirect, Response};
use gatepost_storage::Scope;
use gatepost_storage::webhooks::{Cascade, TaskQuery};
use maud::{Markup, html};
use webhook_model::WebhookId;

use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{self, Section, page, seen};
use crate::paging::newest_rows;
use crate::refusal::refused_deletion;
use crate::row_id::RowId;
use crate::unreadable::{Kind, if_readable, question};

/// How many of its tasks are named.
const MAX_NAMED: u32 = 20;

pub(super) async fn confirm(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    Ok(question_page(&ctx, id, None).await?.into_response())
}

async fn question_page(
    ctx: &PageContext,
    id: i64,
    refusal: Option<&str>,
) -> Result<Markup, Failure> {
    let row = if_readable(ctx.actor.webhook(WebhookId(id)).await)?;
    let query = TaskQuery {
        scope: Scope::All,
        creator: None,
        webhook: Some(WebhookId(id)),
        name: None,
        page: newest_rows(MAX_NAMED),
    };
    let tasks = ctx.actor.tasks(&query).await?.rows;
    let what = html! {
        @if let Some(row) = row { p { "The webhook " strong { (seen(row.value.name.as_str())) } " and its whole delivery log will be deleted. Queued deliveries are not sent. This cannot be undone." } }
        @else { (question(ctx.texts(), Kind::Webhook, id)) }
        @if !tasks.is_empty() {
            p { "These tasks use it:" }
            ul { @for task in &tasks { li { (seen(task.task.name.as_str())) } } @if tasks.len() == MAX_NAMED as usize { li { "and others" } } }
        }
    };
    let cascade = html! {
        @if !tasks.is_empty() { (layout::check("cascade", "Also delete these tasks and their events", "Otherwise the webhook cannot be deleted while a task uses it.", false)) }
    };
    let back = ctx.at(&format!("/webhooks/{id}"));
    let body = layout::confirm(ctx, &what, "Delete webhook", &back, &cascade, refusal);
    Ok(page(ctx, Section::Webhooks, "Delete this webhook?", &body))
}

pub(super) async fn delete(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    let cascade = if sent.ticked("cascade") {
        Cascade::Tasks
    } else {
        Cascade::Refuse
    };
    match ctx.actor.delete_webhook(WebhookId(id), cascade).await {
        Ok(_) => Ok(Redirect::to(&ctx.at("/webhooks?done=deleted")).into_response()),
        Err(error) => {
            refused_deletion(error, async |why| question_page(&ctx, id, Some(why)).await).await
        }
    }
}
