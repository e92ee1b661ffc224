//! Send test: one attempt, at once, and what came of it.

use axum::response::{IntoResponse, Response};
use delivery::Attempt;
use gatepost_manage::Operation;
use maud::{Markup, html};
use webhook_model::Message;

use super::show::test_form;
use crate::access::Id;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, badge, note, page};
use crate::session::Ctx;
use crate::time::span;

pub(super) async fn send(ctx: Ctx, Id(id): Id, sent: Form) -> Result<Response, Failure> {
    let row = ctx.webhook(id).await?;
    let path = ctx.console.at(&format!("/webhooks/{id}"));
    let text = sent.lines("message");
    let message: Result<Message, _> = text.parse();
    let outcome = match message {
        Ok(message) => {
            let engine = &ctx.console.inner.engine;
            match engine.send_now(&row.value, Some(&message)).await {
                Ok(test) => {
                    ctx.audit(super::change::TABLE, id, Operation::SendTest);
                    outcome(&test.attempt)
                }
                Err(error) => note(
                    "bad",
                    &html! { "Nothing was sent: " (error.to_string()) "." },
                ),
            }
        }
        Err(invalid) => note(
            "bad",
            &html! { "Nothing was sent. The message " (invalid.rule()) "." },
        ),
    };
    let body = html! {
        (outcome)
        section { h2 { "Send another" } (test_form(&ctx, &path, &text)) }
        p { a href=(path) { "Back to " (row.value.name) } }
    };
    let title = format!("Test of {}", row.value.name);
    Ok(page(&ctx, Section::Webhooks, &title, &body).into_response())
}

/// What came back. The address that was spoken to is not told.
fn outcome(attempt: &Attempt) -> Markup {
    let (kind, word) = if attempt.is_success() {
        ("good", "sent")
    } else {
        ("bad", "error")
    };
    let timings = attempt.timings;
    let parts = [
        ("Name look-up", timings.dns),
        ("Connect", timings.connect),
        ("TLS", timings.tls),
        ("Answer's head", timings.head),
        ("Answer's body", timings.body),
    ];
    let body = attempt.body.text();
    html! {
        section role="status" {
            h2 { "The attempt" }
            dl {
                dt { "Outcome" } dd { (badge(kind, word)) " " (attempt.status_info()) }
                @if let Some(status) = attempt.status { dt { "Status" } dd { (status) } }
                dt { "Took" } dd { (span(attempt.duration)) }
                @for (name, took) in parts { @if let Some(took) = took { dt { (name) } dd { (span(took)) } } }
            }
            @if !body.is_empty() { h3 { "Answer" } pre tabindex="0" { (body) } }
        }
    }
}
