//! Send a test: one attempt, at once, and its outcome.

use axum::response::{IntoResponse, Response};
use delivery::Attempt;
use gatepost_manage::ManageError;
use maud::{Markup, html};
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
    let path = ctx.at(&format!("/webhooks/{id}"));
    let (text, name) = (sent.lines("message"), sent.text("name").to_owned());
    let message: Result<Message, _> = text.parse();
    let outcome = match message {
        Ok(message) => match ctx
            .actor
            .send_test(row.id, Some(message), name.clone())
            .await
        {
            Ok(test) => outcome(ctx.texts(), &test.attempt),
            Err(ManageError::Message(error)) => note(
                "bad",
                &html! { "Nothing was sent: " (error.to_string()) "." },
            ),
            Err(ManageError::Unsendable(class)) => note(
                "bad",
                &html! { "No request can be made of this webhook: " (class.to_string()) "." },
            ),
            Err(error) => return Err(error.into()),
        },
        Err(invalid) => note(
            "bad",
            &html! { "Nothing was sent. The message " (invalid.rule()) "." },
        ),
    };
    let body = html! {
        (outcome)
        section { h2 { "Send another" } (test_form(&ctx, &path, &text, &name)) }
        p { a href=(path) { "Back to " (seen(row.value.name.as_str())) } }
    };
    let title = format!("Test of {}", row.value.name);
    Ok(page(&ctx, Section::Webhooks, &title, &body).into_response())
}

/// The outcome of the attempt, without the address that was connected to.
fn outcome(texts: &Texts, attempt: &Attempt) -> Markup {
    let (kind, word) = if attempt.is_success() {
        ("good", "sent")
    } else {
        ("bad", "error")
    };
    let timings = attempt.timings;
    let parts = [
        ("DNS lookup", timings.dns),
        ("Connect", timings.connect),
        ("TLS", timings.tls),
        ("Response head", timings.head),
        ("Response body", timings.body),
    ];
    let body = attempt.body.text();
    html! {
        section role="status" {
            h2 { "Result" }
            dl {
                dt { "Outcome" } dd { (badge(kind, word)) " " (attempt.status_info()) }
                @if let Some(status) = attempt.status { dt { "Status" } dd { (status) } }
                dt { "Duration" } dd { (span(texts, attempt.duration)) }
                @for (name, took) in parts { @if let Some(took) = took { dt { (name) } dd { (span(texts, took)) } } }
            }
            @if !body.is_empty() { h3 { "Response" } pre tabindex="0" { (body) } }
        }
    }
}

/// The form that sends a test.
pub(super) fn test_form(ctx: &PageContext, path: &str, message: &str, name: &str) -> Markup {
    let (problems, text) = (Problems::default(), InputKind::Text { max: 1_000 });
    html! {
        form method="post" action={ (path) "/test" } {
            input type="hidden" name="csrf" value=(ctx.csrf);
            (layout::area(&problems, "message", "Message", message, "Sent at once, and not listed among the deliveries. To test a task with its message, use Test or run in the list of tasks.", "code"))
            (layout::input(&problems, text, "name", "Name", name, "What ${NAME} becomes."))
            button { "Send test" }
        }
    }
}
