//! The page that subscribes a webhook to an event: one form for the event and the message, which
//! creates a task and its event together.

use axum::Json;
use axum::response::{IntoResponse, Response};
use gatepost_manage::ManageError;
use gatepost_storage::webhooks::NewRecords;
use maud::{Markup, html};
use serde_json::Value;
use webhook_model::{Action, Description, Event, Message, Task, TaskName, WebhookId};

use super::list::WebhookRow;
use super::target::to_webhook;
use crate::context::PageContext;
use crate::events::{of_new_task, offered_types, when_fields};
use crate::failure::{Failure, note_refusal, opened_again};
use crate::fields::{Sheet, task};
use crate::form::{Form, Query};
use crate::layout::{self, Section, page, refused, seen};
use crate::names::known_type;
use crate::problems::{Problems, rule};
use crate::row_id::RowId;
use crate::samples::Preview;
use crate::tasks::preview;

pub(super) async fn show(
    ctx: PageContext,
    RowId(id): RowId,
    Query(query): Query,
) -> Result<Response, Failure> {
    let row = ctx.actor.webhook(WebhookId(id)).await?;
    let of = query.text("type");
    let name = known_type(&ctx, of).map_or_else(String::new, |(_, label, _)| label.into_owned());
    let form = Form::default()
        .with("type", of)
        .with("target", "instance")
        .with("name", name.chars().take(64).collect::<String>())
        .with("message", Message::default().as_str());
    Ok(page_of(&ctx, &row, &form, &Problems::none())
        .await?
        .into_response())
}

/// Shows the form with the values typed in an earlier session.
pub(super) async fn again(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    let row = ctx.actor.webhook(WebhookId(id)).await?;
    let page = page_of(&ctx, &row, &sent, &opened_again(ctx.texts())).await?;
    Ok(page.into_response())
}

pub(super) async fn create(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    let row = ctx.actor.webhook(WebhookId(id)).await?;
    let mut problems = Problems::new(ctx.texts());
    // Renews the preview, for browsers without scripts.
    if sent.given("do").is_some() {
        return Ok(page_of(&ctx, &row, &sent, &problems).await?.into_response());
    }
    if let Some(records) = parse(&ctx, row.id, &sent, &mut problems) {
        match ctx.actor.subscribe(records, false).await {
            Ok(_) => return Ok(to_webhook(&ctx, row.id, "subscribed")),
            Err(ManageError::NoSuchObject) => {
                problems.add("target", ctx.texts().of("events-unknown-target"));
            }
            Err(ManageError::Invalid { field, rule, .. }) => problems.add(field, rule),
            Err(error) => note_refusal(error, &mut problems)?,
        }
    }
    Ok(refused(page_of(&ctx, &row, &sent, &problems).await?))
}

/// Returns the problems and the preview while the user types.
pub(super) async fn check(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Json<Value>, Failure> {
    let row = ctx.actor.webhook(WebhookId(id)).await?;
    let mut problems = Problems::new(ctx.texts());
    parse(&ctx, row.id, &sent, &mut problems);
    Ok(previewed(&ctx, row.id, &sent).await.checked(&problems))
}

fn parse(
    ctx: &PageContext,
    webhook: WebhookId,
    form: &Form,
    problems: &mut Problems,
) -> Option<NewRecords> {
    let event = of_new_task(ctx, form, problems);
    let name = form.text("name").parse::<TaskName>().map_err(rule);
    let name = problems.take("name", name);
    let message = form.lines("message").parse::<Message>().map_err(rule);
    let message = problems.take("message", message);
    let task = Task {
        creator: ctx.principal().owner,
        name: name?,
        description: Description::default(),
        enabled: true,
        delete_after_run: false,
        action: Action::Send {
            webhook,
            message: message?,
        },
    };
    let event = Event {
        enabled: true,
        ..event?
    };
    Some(NewRecords {
        webhook: None,
        task: Some(task),
        events: vec![event],
    })
}

async fn previewed(ctx: &PageContext, webhook: WebhookId, form: &Form) -> Preview {
    let form = form.clone().with("webhook", webhook.to_string());
    preview(ctx, &form).await
}

/// Renders the page. The other fields depend on the type, so the type is chosen first.
async fn page_of(
    ctx: &PageContext,
    row: &WebhookRow,
    form: &Form,
    problems: &Problems,
) -> Result<Markup, Failure> {
    let (t, path) = (
        ctx.texts(),
        ctx.at(&format!("/webhooks/{}/subscribe", row.id)),
    );
    let (back, chosen) = (ctx.at(&format!("/webhooks/{}", row.id)), form.text("type"));
    let mut types = vec![(String::new(), t.of("frame-picker-choose").into_owned())];
    types.extend(offered_types(ctx).await?);
    let rest = match known_type(ctx, chosen) {
        Some(_) => Some(rest(ctx, row, form, problems).await?),
        None => None,
    };
    let body = html! {
        p { (t.of("webhooks-subscribe-intro")) }
        form.main method="get" action=(path) {
            section {
                (layout::select(&Problems::none(), "type", &t.of("events-type"), &types, chosen, &t.of("events-type-hint"), true))
                p { a href=(ctx.at("/events/catalog")) { (t.of("events-type-catalog")) } }
            }
            div.submit {
                button.unscripted { (t.of("events-continue")) }
                @if rest.is_none() { a.button href=(back) { (t.of("frame-cancel")) } }
            }
        }
        @if let Some(rest) = rest { (rest) }
    };
    let name = seen(row.value.name.as_str());
    let title = t.with("webhooks-subscribe-title", &[("name", name.into())]);
    Ok(page(ctx, Section::Webhooks, &title, &body))
}

/// Renders the form after the type is chosen.
async fn rest(
    ctx: &PageContext,
    row: &WebhookRow,
    form: &Form,
    problems: &Problems,
) -> Result<Markup, Failure> {
    let (t, path) = (
        ctx.texts(),
        ctx.at(&format!("/webhooks/{}/subscribe", row.id)),
    );
    let sheet = Sheet::new(t, "tasks", form, problems);
    let when = when_fields(ctx, row.value.owner, form, problems).await?;
    let preview = previewed(ctx, row.id, form).await;
    Ok(html! {
        (layout::errors(t, "events", problems, "frame-nothing-saved"))
        form.main method="post" action=(path) novalidate data-check={ (path) "/check" } {
            input type="hidden" name="csrf" value=(ctx.csrf);
            input type="hidden" name="type" value=(form.text("type"));
            // The button that the Enter key presses.
            button.unseen tabindex="-1" aria-hidden="true" { (t.of("webhooks-subscribe-button")) }
            section { h2 { (t.of("webhooks-subscribe-when")) } (when) }
            section {
                h2 { (t.of("webhooks-subscribe-what")) }
                (sheet.field(&task::NAME, ""))
                (sheet.field(&task::MESSAGE, ""))
                div.title { h2 { (t.of("tasks-preview")) } div.actions { button.small.unscripted name="do" value="preview" formaction="#preview" { (t.of("tasks-preview-refresh")) } } }
                (preview.shown(t))
            }
            div.submit {
                button.primary { (t.of("webhooks-subscribe-button")) }
                a.button href=(ctx.at(&format!("/webhooks/{}", row.id))) { (t.of("frame-cancel")) }
            }
        }
    })
}
