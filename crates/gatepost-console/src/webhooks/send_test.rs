//! The page that sends a test of a webhook, which is a delivery.

use axum::response::{IntoResponse, Redirect, Response};
use gatepost_manage::ManageError;
use maud::{Markup, html};
use webhook_model::{Message, WebhookId};

use super::list::WebhookRow;
use crate::context::PageContext;
use crate::failure::{Failure, note_refusal};
use crate::form::Form;
use crate::layout::{self, Above, Head, InputKind, Section, page_of, refused, seen};
use crate::problems::{Problems, rule};
use crate::row_id::RowId;

/// The default value of `${NAME}`, as in the preview of a task.
const OBJECT: &str = "web-1";

/// Sends the test, and shows its delivery.
pub(super) async fn send(
    ctx: PageContext,
    RowId(id): RowId,
    sent: Form,
) -> Result<Response, Failure> {
    let row = ctx.actor.webhook(WebhookId(id)).await?;
    let mut problems = Problems::new(ctx.texts());
    let message = sent.lines("message").parse::<Message>().map_err(rule);
    if let Some(message) = problems.take("message", message) {
        let name = sent.text("name").to_owned();
        match ctx.actor.send_test(row.id, Some(message), name).await {
            Ok(delivery) => {
                let path = ctx.at(&format!("/deliveries/{delivery}?done=tested"));
                return Ok(Redirect::to(&path).into_response());
            }
            Err(ManageError::Message(error)) => problems.add("message", error),
            Err(error) => note_refusal(error, &mut problems)?,
        }
    }
    Ok(refused(page(&ctx, &row, &sent, &problems)))
}

/// Renders the page that sends a test.
pub(super) async fn show(ctx: PageContext, RowId(id): RowId) -> Result<Markup, Failure> {
    let row = ctx.actor.webhook(WebhookId(id)).await?;
    let form = Form::default().with("message", Message::default().as_str());
    let form = form.with("name", OBJECT);
    Ok(page(&ctx, &row, &form, &Problems::none()))
}

fn page(ctx: &PageContext, row: &WebhookRow, form: &Form, problems: &Problems) -> Markup {
    let (t, webhook) = (ctx.texts(), seen(row.value.name.as_str()));
    let path = ctx.at(&format!("/webhooks/{}", row.id));
    let (message, name) = (t.of("webhooks-test-message"), t.of("webhooks-test-name"));
    let text = InputKind::Text { max: 1_000 };
    let body = html! {
        (layout::errors(t, "tasks", problems, "tasks-test-refused"))
        section {
            form method="post" action={ (path) "/test" } {
                input type="hidden" name="csrf" value=(ctx.csrf);
                (layout::area(problems, "message", &message, &form.lines("message"), &t.of("webhooks-test-message-hint"), "code"))
                (layout::input(problems, text, "name", &name, form.text("name"), &t.of("webhooks-test-name-hint")))
                button.primary { (t.of("webhooks-test-button")) }
            }
        }
    };
    let head = Head {
        trail: html! { a href=(path) { (webhook) } },
        title: &t.with("webhooks-test-page-title", &[("name", webhook.into())]),
        ..Head::default()
    };
    page_of(ctx, Section::Webhooks, &head, &Above::Note(html! {}), &body)
}
