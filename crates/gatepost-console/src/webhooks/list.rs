//! The list of webhooks.

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_storage::webhooks::WebhookQuery;
use gatepost_storage::{Page, Row, Scope};
use maud::{Markup, html};
use webhook_model::{Webhook, WebhookId};

use super::health::{Conditions, rate};
use super::labels::authorization;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, empty, more, note, page_with, seen};
use crate::paging::one_page;
use crate::unreadable::{self, Kind};

/// Rows on a page.
const ROWS: usize = 50;
/// One more row is read, to see whether there is another page.
const READ: u32 = 51;

pub(super) async fn list(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked = Form::parse(query.unwrap_or_default().as_bytes());
    let after = asked.key("after").map(WebhookId);
    let query = WebhookQuery {
        scope: Scope::All,
        name: None,
        page: Page {
            after,
            ..Page::newest(READ)
        },
    };
    let listed = ctx.actor.webhooks(&query).await?;
    let (rows, next) = one_page(listed, ROWS, |row| row.id);
    let conditions = Conditions::of(&ctx, rows.iter().map(|row| row.id)).await?;
    let condition = |row: &Row<WebhookId, Webhook>| {
        let badge = conditions.condition(row.id, row.value.activity).badge();
        html! { (badge) @if row.value.allow_insecure { " " (crate::layout::badge("warn", "insecure")) } }
    };
    let now = ctx.now();
    let unreadable = unreadable::section(&ctx, Kind::Webhook, &asked).await?;
    let at = |row: &Row<WebhookId, Webhook>| ctx.at(&format!("/webhooks/{}", row.id.0));
    let body = html! {
        @if asked.text("done") == "deleted" { (note("good", &html! { "The webhook and its deliveries were deleted." })) }
        @if rows.is_empty() && after.is_none() && next.is_none() {
            (empty("No webhooks yet", "A webhook defines where and how to send: the address of another system, and the credentials for it. A task then defines what to send, and an event when to send it.", &new_button(&ctx)))
        } @else {
            section { div.scroll { table {
                thead { tr {
                    th scope="col" { "Name" } th scope="col" { "URL" } th scope="col" { "Authorization" }
                    th scope="col" { "Timeout" } th scope="col" { "Retries" } th scope="col" { "State" }
                    th scope="col" { "Last 24 hours" } th scope="col" { "Last delivery" }
                    th scope="col" { span.unseen { "Actions" } }
                } }
                tbody { @for row in &rows { tr {
                    td data-label="Name" { a href=(at(row)) { (seen(row.value.name.as_str())) } }
                    td data-label="URL" { span.mono { (row.value.url.as_str()) } }
                    td data-label="Authorization" { span { (authorization(row.value.authorization.kind())) } }
                    td data-label="Timeout" { span { (row.value.timeout.as_secs()) " s" } }
                    td data-label="Retries" { span { (row.value.retries.get()) } }
                    td data-label="State" { span { (condition(row)) } }
                    td data-label="Last 24 hours" { span { (rate(conditions.day(row.id))) } }
                    td data-label="Last delivery" { div { (conditions.last(row.id, now)) } }
                    td { div.actions { a.button.small href={ (at(row)) "/edit" } { "Edit" span.unseen { " " (seen(row.value.name.as_str())) } } } }
                } } }
            } } }
            (more(&ctx.at("/webhooks"), "", after.is_none(), next.map(|id| id.0)))
        }
        (unreadable)
    };
    Ok(page_with(
        &ctx,
        Section::Webhooks,
        "Webhooks",
        &new_button(&ctx),
        &body,
    )
    .into_response())
}

/// A link to the form of a new webhook.
fn new_button(ctx: &PageContext) -> Markup {
    html! { a.button.primary href=(ctx.at("/webhooks/new")) { "New webhook" } }
}
