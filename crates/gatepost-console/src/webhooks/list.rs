//! The list of webhooks.

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_storage::Row;
use maud::{Markup, html};
use webhook_model::{Webhook, WebhookId};

use super::counts::{Counts, day, grouped};
use super::labels::{activity, authorization};
use super::listing::{WebhookList, shown};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, badge, empty, note, page_with, seen};
use crate::list_view::{Asked, Listing as _};
use crate::unreadable::{self, Kind};

pub(super) async fn list(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let asked = Form::parse(query.unwrap_or_default().as_bytes());
    let list = Asked::parse(&ctx, "/webhooks", &asked, &WebhookList::SHAPE).await?;
    let shown = shown(&ctx, &list).await?;
    let (from, before) = day(&ctx);
    let ids = shown.rows.iter().map(|row| row.id);
    let sums = ctx.actor.webhook_sums(ids, from, before).await?;
    let count = |row: &Row<WebhookId, Webhook>| {
        let sum = sums.get(&row.id).map(Counts::from);
        sum.unwrap_or_default()
    };
    let unreadable = unreadable::section(&ctx, Kind::Webhook, &asked).await?;
    let at = |row: &Row<WebhookId, Webhook>| ctx.at(&format!("/webhooks/{}", row.id.0));
    let body = html! {
        @if asked.text("done") == "deleted" { (note("good", &html! { "The webhook and its deliveries were deleted." })) }
        @if list.is_void(&shown) {
            (empty("No webhooks yet", "A webhook defines where and how to send: the address of another system, and the credentials for it. A task then defines what to send, and an event when.", &new_button(&ctx)))
        } @else {
            (list.form(&ctx, &html! {}).await)
            (list.caption(&shown))
            @if !shown.rows.is_empty() { section { div.scroll { table {
                thead { tr {
                    (list.heading("Name", "name")) (list.heading("URL", "url")) th scope="col" { "Authorization" }
                    (list.heading("Timeout", "timeout")) (list.heading("Retries", "retries")) (list.heading("State", "state"))
                    th scope="col" { "Last 24 hours" }
                    th scope="col" { span.unseen { "Actions" } }
                } }
                tbody { @for (row, count) in shown.rows.iter().map(|row| (row, count(row))) { tr {
                    td data-label="Name" { a href=(at(row)) { (seen(row.value.name.as_str())) } }
                    td data-label="URL" { span.mono { (row.value.url.as_str()) } }
                    td data-label="Authorization" { span { (authorization(row.value.authorization.kind())) } }
                    td data-label="Timeout" { span { (row.value.timeout.as_secs()) " s" } }
                    td data-label="Retries" { span { (row.value.retries.get()) } }
                    td data-label="State" { span { (activity(row.value.activity)) @if row.value.allow_insecure { " " (badge("warn", "insecure")) } } }
                    td data-label="Last 24 hours" { span { (grouped(count.sent)) " sent" @if count.failed > 0 { ", " (grouped(count.failed)) " failed" } } }
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
