//! Send a test: one attempt, at once, and its outcome.

use axum::response::{IntoResponse, Response};
use delivery::Attempt;
use gatepost_manage::ManageError;
use maud::{Markup, Render as _, html};
use webhook_model::{Message, WebhookId};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{self, InputKind, Section, badge, note, page, seen};
use crate::problems::Problems;
use crate::row_id::RowId;
use crate::texts::Texts;
use crate::time::span;

/// What `${NAME}` becomes unless something else is typed, as in the preview of a task.
pub(super) const OBJECT: &str = "web-1";

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
    let webhook = seen(row.value.name.as_str());
    let back = t.with("webhooks-back", &[("name", webhook.clone().into())]);
    let body = html! {
        (outcome)
        section { h2 { (t.of("webhooks-test-again-title")) } (test_form(&ctx, &path, &text, &name)) }
        p { a href=(path) { (back) } }
    };
    let title = t.with("webhooks-test-page-title", &[("name", webhook.into())]);
    Ok(page(&ctx, Section::Webhooks, &title, &body).into_response())
}

/// The outcome of the attempt, without the address that was connected to.
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

/// The form that sends a test.
pub(super) fn test_form(ctx: &PageContext, path: &str, message: &str, name: &str) -> Markup {
    let (t, problems) = (ctx.texts(), Problems::none());
    let text = InputKind::Text { max: 1_000 };
    html! {
        form method="post" action={ (path) "/test" } {
            input type="hidden" name="csrf" value=(ctx.csrf);
            (layout::area(&problems, "message", &t.of("webhooks-test-message"), message, &t.of("webhooks-test-message-hint"), "code"))
            (layout::input(&problems, text, "name", &t.of("webhooks-test-name"), name, &t.of("webhooks-test-name-hint")))
            button { (t.of("webhooks-test-button")) }
        }
    }
}
