//! New and Edit.

use axum::Json;
use axum::extract::RawQuery;
use axum::response::{IntoResponse, Redirect, Response};
use gatepost_engine::EngineError;
use gatepost_manage::Operation;
use gatepost_storage::webhooks::TaskRow;
use maud::Markup;
use serde_json::{Map, Value, json};
use webhook_model::Message;

use super::TABLE;
use super::fields::{Around, Typed, form};
use crate::access::Id;
use crate::failure::Failure;
use crate::form::{Form, Problems};
use crate::layout::{Section, page, refused};
use crate::session::Ctx;

pub(super) async fn new(ctx: Ctx, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked = Form::parse(query.unwrap_or_default().as_bytes());
    let typed = Typed {
        webhook: asked.text("webhook").to_owned(),
        message: Message::default().as_str().to_owned(),
        enabled: true,
        ..Typed::default()
    };
    let page = show(&ctx, None, &typed, &Problems::default()).await?;
    Ok(page.into_response())
}

async fn show(
    ctx: &Ctx,
    row: Option<&TaskRow>,
    typed: &Typed,
    problems: &Problems,
) -> Result<Markup, Failure> {
    let around = Around {
        button: if row.is_some() {
            "Save task"
        } else {
            "Create task"
        },
        webhooks: ctx.webhook_choices().await?,
        preview: typed.preview(ctx).await,
    };
    let title = row.map_or_else(
        || "New Task".into(),
        |row| format!("Edit {}", row.task.name),
    );
    Ok(page(
        ctx,
        Section::Tasks,
        &title,
        &form(ctx, typed, problems, &around),
    ))
}

pub(super) async fn create(ctx: Ctx, sent: Form) -> Result<Response, Failure> {
    let typed = Typed::of_form(&sent);
    let mut problems = Problems::default();
    if sent.given("do").is_some() {
        return Ok(show(&ctx, None, &typed, &problems).await?.into_response());
    }
    let creator = ctx.principal.owner;
    if let Some(task) = typed.parse(&ctx, &mut problems, creator).await? {
        match ctx.console.inner.engine.create_task(&task).await {
            Ok(row) => {
                ctx.audit(TABLE, row.id.0, Operation::Create);
                return Ok(Redirect::to(&ctx.console.at("/tasks?done=created")).into_response());
            }
            Err(error) => beside(error, &mut problems)?,
        }
    }
    Ok(refused(show(&ctx, None, &typed, &problems).await?))
}

/// The same validation, for the hints that are shown while one types.
pub(super) async fn check(ctx: Ctx, sent: Form) -> Result<Json<Value>, Failure> {
    let typed = Typed::of_form(&sent);
    let mut problems = Problems::default();
    let creator = ctx.principal.owner;
    typed.parse(&ctx, &mut problems, creator).await?;
    let (preview, warnings) = typed.preview(&ctx).await;
    let problems: Map<String, Value> = problems
        .iter()
        .map(|(field, rule)| (field.into(), rule.into()))
        .collect();
    Ok(Json(
        json!({"problems": problems, "hints": {"preview": preview, "warnings": warnings}}),
    ))
}

pub(super) async fn edit(ctx: Ctx, Id(id): Id) -> Result<Response, Failure> {
    let row = ctx.task(id).await?;
    let typed = Typed::of(&row.task);
    let page = show(&ctx, Some(&row), &typed, &Problems::default()).await?;
    Ok(page.into_response())
}

pub(super) async fn update(ctx: Ctx, Id(id): Id, sent: Form) -> Result<Response, Failure> {
    let row = ctx.task(id).await?;
    let typed = Typed::of_form(&sent);
    let mut problems = Problems::default();
    if sent.given("do").is_some() {
        return Ok(show(&ctx, Some(&row), &typed, &problems)
            .await?
            .into_response());
    }
    if let Some(new) = typed.parse(&ctx, &mut problems, row.task.creator).await? {
        let edited = ctx.console.inner.engine.edit_task(row.id, |task| {
            task.clone_from(&new);
            Ok(())
        });
        match edited.await {
            Ok(row) => {
                ctx.audit(TABLE, row.id.0, Operation::Update);
                return Ok(Redirect::to(&ctx.console.at("/tasks?done=saved")).into_response());
            }
            Err(error) => beside(error, &mut problems)?,
        }
    }
    Ok(refused(show(&ctx, Some(&row), &typed, &problems).await?))
}

/// Errors that belong to a field stand beside it.
fn beside(error: EngineError, problems: &mut Problems) -> Result<(), Failure> {
    match error {
        EngineError::Dangling(_) => problems.add("webhook", "there is no such webhook"),
        EngineError::Invalid(invalid) => problems.add(invalid.field().as_str(), invalid.rule()),
        other => return Err(other.into()),
    }
    Ok(())
}
