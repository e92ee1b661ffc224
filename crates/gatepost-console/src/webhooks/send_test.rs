//! The page that sends a test: one immediate attempt, and its outcome.

use axum::response::{IntoResponse, Response};
use delivery::Attempt;
use gatepost_manage::ManageError;
use maud::{Markup, Render as _, html};
use webhook_model::{Message, WebhookId};

use super::list::WebhookRow;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{self, Above, Head, InputKind, Section, badge, note, page_of, seen};
use crate::problems::Problems;
use crate::row_id::RowId;
use crate::texts::Texts;
use crate::time::span;

/// The default value of `${NAME}`, as in the preview of a task.
const OBJECT: &str = "web-1";

pub(super) async fn send(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    let row = ctx.actor.webhook(WebhookId(id)).await?;
    let (t, path) = (ctx.texts(), ctx.at(&format!("/webhooks/{id}")));
    let (text, name) = (sent.lines("message"), sent.text("name").to_owned());
    let unsent = |why: String| {
        let words = t.with("webhooks-test-unsent", &[("why", t.rule(&why).into())]);
        note("bad", &words.render())
    };
    let outcome = match text.parse::<Message>() {
        Ok(message) => match ctx
            .actor
            .send_test(row.id, Some(message), name.clone())
            .await
        {
            Ok(attempt) => outcome(t, &attempt),
            Err(ManageError::Message(error)) => unsent(error.to_string()),
            Err(ManageError::Unsendable(class)) => unsent(class.to_string()),
            Err(error) => return Err(error.into()),
        },
        Err(invalid) => {
            let words = t.with(
                "webhooks-test-invalid",
                &[("rule", t.rule(invalid.rule()).into())],
            );
            note("bad", &words.render())
        }
    };
    let form =
        html! { h2 { (t.of("webhooks-test-again-title")) } (test_form(&ctx, &path, &text, &name)) };
    let page = test_page(&ctx, &row, &html! { (outcome) section { (form) } });
    Ok(page.into_response())
}

/// Renders the page that sends a test.
pub(super) async fn show(ctx: PageContext, RowId(id): RowId) -> Result<Markup, Failure> {
    let row = ctx.actor.webhook(WebhookId(id)).await?;
    let path = ctx.at(&format!("/webhooks/{id}"));
    let form = test_form(&ctx, &path, Message::default().as_str(), OBJECT);
    Ok(test_page(&ctx, &row, &html! { section { (form) } }))
}

fn test_page(ctx: &PageContext, row: &WebhookRow, body: &Markup) -> Markup {
    let webhook = seen(row.value.name.as_str());
    let head = Head {
        trail: html! { a href=(ctx.at(&format!("/webhooks/{}", row.id))) { (webhook) } },
        title: &ctx
            .texts()
            .with("webhooks-test-page-title", &[("name", webhook.into())]),
        ..Head::default()
    };
    page_of(ctx, Section::Webhooks, &head, &Above::Note(html! {}), body)
}

/// Renders the outcome of the attempt, without the address that was connected to.
fn outcome(texts: &Texts, attempt: &Attempt) -> Markup {
    let t = texts;
    let (kind, word) = if attempt.is_success() {
        ("good", t.of("webhooks-test-sent"))
    } else {
        ("bad", t.of("webhooks-test-error"))
    };
    let timings = attempt.timings;
    let parts = [
        ("webhooks-test-dns", timings.dns),
        ("webhooks-test-connect", timings.connect),
        ("webhooks-test-tls", timings.tls),
        ("webhooks-test-head", timings.head),
        ("webhooks-test-body", timings.body),
    ];
    let body = attempt.body.text();
    html! {
        section role="status" {
            h2 { (t.of("webhooks-test-result-title")) }
            dl {
                dt { (t.of("webhooks-test-outcome")) } dd { (badge(kind, &word)) " " (t.rule(&attempt.status_info())) }
                @if let Some(status) = attempt.status { dt { (t.of("webhooks-test-status")) } dd { (status) } }
                dt { (t.of("webhooks-test-duration")) } dd { (span(t, attempt.duration)) }
                @for (name, took) in parts { @if let Some(took) = took { dt { (t.of(name)) } dd { (span(t, took)) } } }
            }
            @if !body.is_empty() { h3 { (t.of("webhooks-test-response-title")) } pre tabindex="0" { (body) } }
        }
    }
}

/// Renders the form that sends a test.
fn test_form(ctx: &PageContext, path: &str, message: &str, name: &str) -> Markup {
    let (t, problems) = (ctx.texts(), Problems::none());
    let text = InputKind::Text { max: 1_000 };
    html! {
        form method="post" action={ (path) "/test" } {
            input type="hidden" name="csrf" value=(ctx.csrf);
            (layout::area(&problems, "message", &t.of("webhooks-test-message"), message, &t.of("webhooks-test-message-hint"), "code"))
            (layout::input(&problems, text, "name", &t.of("webhooks-test-name"), name, &t.of("webhooks-test-name-hint")))
            button.primary { (t.of("webhooks-test-button")) }
        }
    }
}
