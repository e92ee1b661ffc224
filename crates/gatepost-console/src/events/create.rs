//! A new event: first its type is chosen, then the rest of its form.

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};

use super::event_error::note_error;
use super::fields::fields;
use super::form::EventForm;
use super::options::{Subject, form_options, known_type, offered_types};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{self, Section, page, refused};
use crate::problems::Problems;
use crate::refusal::opened_again;

pub(super) async fn new(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let form = EventForm {
        target: "instance".into(),
        task: query.text("task").to_owned(),
        enabled: true,
        ..EventForm::default()
    };
    let page = new_page(&ctx, query.text("type"), &form, &Problems::none()).await?;
    Ok(page.into_response())
}

/// The other fields depend on the type, so the type is chosen first.
async fn new_page(
    ctx: &PageContext,
    chosen: &str,
    form: &EventForm,
    problems: &Problems,
) -> Result<Markup, Failure> {
    let t = ctx.texts();
    let mut types = vec![(String::new(), t.of("frame-picker-choose").into_owned())];
    types.extend(offered_types(ctx).await?);
    let of = known_type(ctx, chosen);
    let rest = match of {
        Some((of, specificity)) => {
            let subject = Subject::new(ctx, &of, form).await;
            let button = t.of("events-create");
            let options = form_options(ctx, button, &subject, specificity, false).await?;
            Some(fields(ctx, form, problems, &options))
        }
        None => None,
    };
    let body = html! {
        @if rest.is_none() { p { (t.of("events-intro")) } }
        form.main method="get" action=(ctx.at("/events/new")) {
            section {
                @if !form.task.is_empty() { input type="hidden" name="task" value=(form.task); }
                (layout::select(&Problems::none(), "type", &t.of("events-type"), &types, chosen, &t.of("events-type-hint"), true))
                p { a href=(ctx.at("/events/catalog")) { (t.of("events-type-catalog")) } }
            }
            div.submit {
                button.unscripted { (t.of("events-continue")) }
                @if rest.is_none() { a.button href=(ctx.at("/events")) { (t.of("frame-cancel")) } }
            }
        }
        @if let Some(rest) = rest { (rest) }
    };
    Ok(page(ctx, Section::Events, &t.of("events-new"), &body))
}

pub(super) async fn create(ctx: PageContext, sent: Form) -> Result<Response, Failure> {
    let form = EventForm::sent(&sent);
    let mut problems = Problems::new(ctx.texts());
    let Some((of, _)) = known_type(&ctx, sent.text("type")) else {
        return Err(Failure::NotFound);
    };
    if let Some(event) = form.parse(&ctx, &mut problems, &of).await? {
        match ctx.actor.create_event(event).await {
            Ok(_) => return Ok(Redirect::to(&ctx.at("/events?done=created")).into_response()),
            Err(error) => note_error(ctx.texts(), error, &mut problems)?,
        }
    }
    Ok(refused(
        new_page(&ctx, of.as_str(), &form, &problems).await?,
    ))
}

/// The form with what was typed in an earlier session.
pub(super) async fn again(ctx: PageContext, sent: Form) -> Result<Response, Failure> {
    let form = EventForm::sent(&sent);
    let page = new_page(&ctx, sent.text("type"), &form, &opened_again(ctx.texts())).await?;
    Ok(page.into_response())
}
