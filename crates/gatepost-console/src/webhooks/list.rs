//! The list of webhooks.

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_storage::Row;
use maud::{Markup, html};
use webhook_model::{Webhook, WebhookId};

use super::health::{Conditions, rate};
use super::labels::authorization;
use super::listing::{WebhookList, shown};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, empty, note, page_with, seen};
use crate::list_view::{Asked, Listing as _};
use crate::unreadable::{self, Kind};

pub(super) async fn list(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked = Form::parse(query.unwrap_or_default().as_bytes());
    let list = Asked::parse(&ctx, "/webhooks", &asked, &WebhookList::SHAPE).await?;
    let shown = shown(&ctx, &list).await?;
    let conditions = Conditions::of(&ctx, shown.rows.iter().map(|row| row.id)).await?;
    let condition = |row: &Row<WebhookId, Webhook>| {
        let badge = conditions.condition(row.id, row.value.activity).badge();
        html! { (badge) @if row.value.allow_insecure { " " (crate::layout::badge("warn", "insecure")) } }
    };
    let now = ctx.now();
    let unreadable = unreadable::section(&ctx, Kind::Webhook, &asked).await?;
    let at = |row: &Row<WebhookId, Webhook>| ctx.at(&format!("/webhooks/{}", row.id.0));
    let body = html! {
        @if asked.text("done") == "deleted" { (note("good", &html! { "The webhook and its deliveries were deleted." })) }
        @if list.is_void(&shown) {
            (empty("No webhooks yet", "A webhook defines where and how to send: the address of another system, and the credentials for it. A task then defines what to send, and an event when to send it.", &new_button(&ctx)))
        } @else {
            (list.form(&ctx, &html! {}).await)
            (list.caption(&shown))
            @if !shown.rows.is_empty() { section { div.scroll { table {
                thead { tr {
                    (list.heading("Name", "name")) (list.heading("URL", "url")) th scope="col" { "Authorization" }
                    (list.heading("Timeout", "timeout")) (list.heading("Retries", "retries")) (list.heading("State", "state"))
                    th scope="col" { "Last 24 hours" } th scope="col" { "Last delivery" }
                    th scope="col" { span.unseen { "Actions" } }
                } }
                tbody { @for row in &shown.rows { tr {
                    td data-label="Name" { a href=(at(row)) { (seen(row.value.name.as_str())) } }
                    td data-label="URL" { span.mono { (row.value.url.as_str()) } }
                    td data-label="Authorization" { span { (authorization(row.value.authorization.kind())) } }
                    td data-label="Timeout" { span { (row.value.timeout.as_secs()) " s" } }
                    td data-label="Retries" { span { (row.value.retries.get()) } }
                    td data-label="State" { span { (condition(row)) } }
                    td data-label="Last 24 hours" { span { (rate(conditions.day(row.id))) } }
                    td data-label="Last delivery" { div { (conditions.last(ctx.texts(), row.id, now)) } }
                    td { div.actions { a.button.small href={ (at(row)) "/edit" } { "Edit" span.unseen { " " (seen(row.value.name.as_str())) } } } }
                } } }
            } } } }
            (list.pager(&shown))
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
