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
    let t = ctx.texts();
    let tasks = ctx.actor.tasks(&query).await?.rows;
    let what = html! {
        @if let Some(row) = row {
            @let name = html! { strong { (seen(row.value.name.as_str())) } };
            p { (t.markup("webhooks-delete-question", &[("name", name.into())])) }
        }
        @else { (question(t, Kind::Webhook, id)) }
        @if !tasks.is_empty() {
            p { (t.of("webhooks-delete-tasks")) }
            ul { @for task in &tasks { li { (seen(task.value.name.as_str())) } } @if tasks.len() == MAX_NAMED as usize { li { (t.of("webhooks-delete-others")) } } }
        }
    };
    let cascade = html! {
        @if !tasks.is_empty() { (layout::check("cascade", &t.of("webhooks-delete-cascade"), &t.of("webhooks-delete-cascade-hint"), false)) }
    };
    let back = ctx.at(&format!("/webhooks/{id}"));
    let button = t.of("webhooks-delete-confirm");
    let body = layout::confirm(ctx, &what, &button, &back, &cascade, refusal);
    let title = t.of("webhooks-delete-title");
    Ok(page(ctx, Section::Webhooks, &title, &body))
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
            refused_deletion(ctx.texts(), error, async |why| {
                question_page(&ctx, id, Some(why)).await
            })
            .await
        }
    }
}
