//! The page that deletes an event.

use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use webhook_model::EventId;

use super::labels::{applies_to, name, target};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::layout::{self, Section, page, seen};
use crate::platform_names::PlatformNames;
use crate::refusal::refused_deletion;
use crate::row_id::RowId;
use crate::unreadable::{Kind, if_readable, question};

pub(super) async fn confirm(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    Ok(question_page(&ctx, id, None).await?.into_response())
}

async fn question_page(
    ctx: &PageContext,
    id: i64,
    refusal: Option<&str>,
) -> Result<Markup, Failure> {
    let t = ctx.texts();
    let what = match if_readable(ctx.actor.event(EventId(id)).await)? {
        Some((row, task)) => {
            let (name, task) = (name(ctx, &row.value), seen(task.value.name.as_str()));
            let names = PlatformNames::of(ctx, applies_to(&row.value)).await;
            let parts = [
                ("name", html! { strong { (name) } }.into()),
                ("target", target(ctx, &row.value, &names).into()),
                ("task", html! { strong { (task) } }.into()),
            ];
            html! { p { (t.markup("events-delete-question", &parts)) } }
        }
        None => question(t, Kind::Event, id),
    };
    let back = ctx.at("/events");
    let button = t.of("events-delete-button");
    let body = layout::confirm(ctx, &what, &button, &back, &html! {}, refusal);
    let title = t.of("events-delete-title");
    Ok(page(ctx, Section::Events, &title, &body))
}

pub(super) async fn delete(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    match ctx.actor.delete_event(EventId(id)).await {
        Ok(_) => Ok(Redirect::to(&ctx.at("/events?done=deleted")).into_response()),
        Err(error) => {
            refused_deletion(ctx.texts(), error, async |why| {
                question_page(&ctx, id, Some(why)).await
            })
            .await
        }
    }
}
