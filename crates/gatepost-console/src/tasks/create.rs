//! A new task.

use axum::Json;
use axum::extract::RawQuery;
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::{Value, json};
use webhook_model::Message;

use super::form::TaskForm;
use super::form_page::form_page;
use super::preview::preview;
use super::task_error::note_error;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::refused;
use crate::message_preview::Preview;
use crate::problems::Problems;
use crate::refusal::opened_again;

pub(super) async fn new(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let form = TaskForm {
        webhook: query.text("webhook").to_owned(),
        message: Message::default().as_str().to_owned(),
        enabled: true,
        ..TaskForm::default()
    };
    let page = form_page(&ctx, None, &form, &Problems::none()).await?;
    Ok(page.into_response())
}

pub(super) async fn create(ctx: PageContext, sent: Form) -> Result<Response, Failure> {
    let form = TaskForm::sent(&sent);
    let mut problems = Problems::new(ctx.texts());
    if sent.given("do").is_some() {
        return Ok(form_page(&ctx, None, &form, &problems)
            .await?
            .into_response());
    }
    let creator = ctx.principal().owner;
    if let Some(task) = form.parse(&ctx, &mut problems, creator).await? {
        match ctx.actor.create_task(task).await {
            Ok(_) => return Ok(Redirect::to(&ctx.at("/tasks?done=created")).into_response()),
            Err(error) => note_error(ctx.texts(), error, &mut problems)?,
        }
    }
    Ok(refused(form_page(&ctx, None, &form, &problems).await?))
}

/// The form with what was typed in an earlier session.
pub(super) async fn again(ctx: PageContext, sent: Form) -> Result<Response, Failure> {
    let page = form_page(
        &ctx,
        None,
        &TaskForm::sent(&sent),
        &opened_again(ctx.texts()),
    )
    .await?;
    Ok(page.into_response())
}

/// The same validation, for the hints that are shown while the user types.
pub(super) async fn check(ctx: PageContext, sent: Form) -> Result<Json<Value>, Failure> {
    let form = TaskForm::sent(&sent);
    let mut problems = Problems::new(ctx.texts());
    let creator = ctx.principal().owner;
    form.parse(&ctx, &mut problems, creator).await?;
    let Preview { text, warnings } = preview(&ctx, &form).await;
    let hints = json!({"preview": text, "warnings": warnings});
    Ok(Json(
        json!({"problems": problems.to_json(), "hints": hints}),
    ))
}
