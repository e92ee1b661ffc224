//! New and Edit.

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Redirect, Response};
use gatepost_engine::EngineError;
use gatepost_manage::Operation;
use gatepost_storage::Row;
use maud::{Markup, html};
use webhook_model::{Event, EventId, EventType, Specificity};

use super::TABLE;
use super::fields::{Around, Typed, form, place};
use super::table::labels;
use crate::access::Id;
use crate::failure::Failure;
use crate::form::{Form, Problems};
use crate::layout::{self, Section, page, refused};
use crate::session::Ctx;

pub(super) async fn new(ctx: Ctx, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked = Form::parse(query.unwrap_or_default().as_bytes());
    let typed = Typed {
        target: "instance".into(),
        task: asked.text("task").to_owned(),
        enabled: true,
        ..Typed::default()
    };
    let page = new_page(&ctx, asked.text("type"), &typed, &Problems::default()).await?;
    Ok(page.into_response())
}

/// First the type is chosen; what else there is to choose depends on it.
async fn new_page(
    ctx: &Ctx,
    chosen: &str,
    typed: &Typed,
    problems: &Problems,
) -> Result<Markup, Failure> {
    let catalog = ctx.console.inner.engine.catalog();
    let mut types = vec![(String::new(), "Choose…".to_owned())];
    types.extend(
        catalog
            .types()
            .map(|(name, label, _)| (name.to_string(), label.to_owned())),
    );
    let of = known(ctx, chosen);
    let rest = match of {
        Some((of, specificity)) => {
            let around = around(ctx, "Create event", &of, specificity, false).await?;
            Some(form(ctx, typed, problems, &around))
        }
        None => None,
    };
    let body = html! {
        form.main method="get" action=(ctx.console.at("/events/new")) {
            section {
                @if !typed.task.is_empty() { input type="hidden" name="task" value=(typed.task); }
                (layout::select(&Problems::default(), "type", "Type", &types, chosen, "The area of the platform where it happens.", true))
                button.unscripted { "Continue" }
            }
        }
        @if let Some(rest) = rest { (rest) }
    };
    Ok(page(ctx, Section::Events, "New Event", &body))
}

/// The type, if the catalog has it, and what its events must be about.
fn known(ctx: &Ctx, name: &str) -> Option<(EventType, Specificity)> {
    let catalog = ctx.console.inner.engine.catalog();
    catalog
        .types()
        .find(|(known, ..)| known.as_str() == name)
        .map(|(known, _, specificity)| (known.clone(), specificity))
}

async fn around<'a>(
    ctx: &Ctx,
    button: &'a str,
    of: &'a EventType,
    specificity: Specificity,
    fixed: bool,
) -> Result<Around<'a>, Failure> {
    Ok(Around {
        button,
        of,
        specificity,
        fixed,
        instances: ctx.choices(of.as_str()).await,
        tags: ctx.choices("tags").await,
        tasks: ctx.task_choices().await?,
    })
}

pub(super) async fn create(ctx: Ctx, sent: Form) -> Result<Response, Failure> {
    let typed = Typed::of_form(&sent);
    let mut problems = Problems::default();
    let Some((of, _)) = known(&ctx, sent.text("type")) else {
        return Err(Failure::NotFound);
    };
    if let Some(event) = typed.parse(&ctx, &mut problems, &of).await? {
        match ctx.console.inner.engine.create_event(&event).await {
            Ok(row) => {
                ctx.audit(TABLE, row.id.0, Operation::Create);
                return Ok(Redirect::to(&ctx.console.at("/events?done=created")).into_response());
            }
            Err(error) => beside(error, &mut problems)?,
        }
    }
    Ok(refused(
        new_page(&ctx, of.as_str(), &typed, &problems).await?,
    ))
}

pub(super) async fn edit(ctx: Ctx, Id(id): Id) -> Result<Response, Failure> {
    let (row, _) = ctx.event(id).await?;
    let page = edit_page(&ctx, &row, &Typed::of(&row.value), &Problems::default()).await?;
    Ok(page.into_response())
}

async fn edit_page(
    ctx: &Ctx,
    row: &Row<EventId, Event>,
    typed: &Typed,
    problems: &Problems,
) -> Result<Markup, Failure> {
    let event = &row.value;
    let (of, what) = labels(ctx, event);
    let specificity = known(ctx, event.event_type.as_str())
        .map_or(Specificity::InstanceOptional, |(_, specificity)| {
            specificity
        });
    let around = around(ctx, "Save event", &event.event_type, specificity, true).await?;
    let body = form(ctx, typed, problems, &around);
    Ok(page(ctx, Section::Events, &format!("{of}: {what}"), &body))
}

/// Type and event stay; object, tag, task and whether it is enabled may change.
pub(super) async fn update(ctx: Ctx, Id(id): Id, sent: Form) -> Result<Response, Failure> {
    let (row, _) = ctx.event(id).await?;
    let typed = Typed {
        event: row.value.event.to_string(),
        ..Typed::of_form(&sent)
    };
    let mut problems = Problems::default();
    let of = row.value.event_type.clone();
    if let Some(new) = typed.parse(&ctx, &mut problems, &of).await? {
        let edited = ctx.console.inner.engine.edit_event(row.id, |event| {
            (event.target, event.task, event.enabled) = (new.target, new.task, new.enabled);
            Ok(())
        });
        match edited.await {
            Ok(row) => {
                ctx.audit(TABLE, row.id.0, Operation::Update);
                return Ok(Redirect::to(&ctx.console.at("/events?done=saved")).into_response());
            }
            Err(error) => beside(error, &mut problems)?,
        }
    }
    Ok(refused(edit_page(&ctx, &row, &typed, &problems).await?))
}

/// Errors that belong to a field stand beside it.
fn beside(error: EngineError, problems: &mut Problems) -> Result<(), Failure> {
    match error {
        EngineError::Dangling(_) => problems.add("task", "there is no such task"),
        EngineError::Invalid(invalid) => {
            problems.add(place(invalid.field().as_str()), invalid.rule());
        }
        other => return Err(other.into()),
    }
    Ok(())
}
