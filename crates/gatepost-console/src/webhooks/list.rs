//! The list of webhooks.

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_storage::Row;
use maud::{Markup, Render as _, html};
use webhook_model::{Webhook, WebhookId};

use super::health::{Conditions, rate};
use super::labels::authorization;
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
    let conditions = Conditions::of(&ctx, shown.rows.iter().map(|row| row.id)).await?;
    let readable = list.readable(&shown);
    let unreadable = unreadable::section(&ctx, Kind::Webhook, &asked, readable).await?;
    let t = ctx.texts();
    let new =
        html! { a.button.primary href=(ctx.at("/webhooks/new")) { (t.of("webhooks-new-button")) } };
    let body = html! {
        @if asked.text("done") == "deleted" { (note("good", &t.of("webhooks-deleted").render())) }
        @if list.is_void(&shown) {
            (empty(&t.of("webhooks-none-title"), &t.of("webhooks-none"), &new))
        } @else {
            (list.form(&ctx, &html! {}).await)
            (list.caption(t, &shown))
            @if !shown.rows.is_empty() { section { div.scroll { (table(&ctx, &list, &shown.rows, &conditions)) } } }
            (list.pager(t, &shown))
        }
        (unreadable)
    };
    let title = t.of("webhooks-title");
    Ok(page_with(&ctx, Section::Webhooks, &title, &new, &body).into_response())
}

fn table(
    ctx: &PageContext,
    list: &Asked,
    rows: &[Row<WebhookId, Webhook>],
    conditions: &Conditions,
) -> Markup {
    let (t, now) = (ctx.texts(), ctx.now());
    let name = t.of("webhooks-column-name");
    let url = t.of("webhooks-column-url");
    let authorized = t.of("webhooks-column-authorization");
    let timeout = t.of("webhooks-column-timeout");
    let retries = t.of("webhooks-column-retries");
    let state = t.of("webhooks-column-state");
    let day = t.of("webhooks-column-day");
    let last = t.of("webhooks-column-last");
    html! { table.wide {
        thead { tr {
            (list.heading(&name, "name")) (list.heading(&url, "url")) th scope="col" { (authorized) }
            (list.heading(&timeout, "timeout")) (list.heading(&retries, "retries")) (list.heading(&state, "state"))
            th scope="col" { (day) } th scope="col" { (last) }
            th scope="col" { span.unseen { (t.of("webhooks-column-actions")) } }
        } }
        tbody { @for row in rows {
            @let webhook = &row.value;
            @let at = ctx.at(&format!("/webhooks/{}", row.id.0));
            @let shown = seen(webhook.name.as_str());
            @let named = [("name", (&*shown).into())];
            tr {
                td data-label=(name) { a href=(at) { (shown) } }
                td data-label=(url) { span.mono { (webhook.url.as_str()) } }
                td data-label=(authorized) { span { (authorization(t, webhook.authorization.kind())) } }
                td data-label=(timeout) { span { (t.with("webhooks-seconds-short", &[("count", webhook.timeout.as_secs().into())])) } }
                td data-label=(retries) { span { (webhook.reattempts()) } }
                td data-label=(state) { span {
                    (conditions.condition(row.id, webhook.activity).badge(t))
                    @if webhook.allow_insecure { " " (badge("warn", &t.of("webhooks-insecure"))) }
                } }
                td data-label=(day) { span { (rate(t, conditions.day(row.id))) } }
                td data-label=(last) { div { (conditions.last(t, row.id, now)) } }
                td { div.actions { a.button.small href={ (at) "/edit" } aria-label=(t.with("webhooks-edit-of", &named)) { (t.of("webhooks-edit-row")) } } }
            }
        } }
    } }
}
