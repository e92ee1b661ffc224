//! The page of one webhook.

use axum::response::{IntoResponse, Response};
use gatepost_manage::TargetVerdict;
use gatepost_storage::Row;
use gatepost_storage::webhooks::{Delivery, Dropped};
use maud::{Markup, Render as _, html};
use webhook_model::{Activity, Authorization, DeliveryMode, Message, Webhook, WebhookId};

use super::charts::{Charts, Range};
use super::counts::{Counts, Open, of_all, of_day};
use super::dropped::how_to_fetch;
use super::form::{MASK, certificate_details};
use super::health::{Condition, of_hours, success};
use super::list::authorization;
use super::send_test::{OBJECT, test_form};
use super::signing::signing_controls;
use super::{dropped, target};
use crate::choices::newest_tasks;
use crate::context::PageContext;
use crate::delivery_filter::DeliveryFilter;
use crate::delivery_rows;
use crate::failure::Failure;
use crate::form::Query;
use crate::layout::{
    self, Above, Live, Section, changes_link, confirmation, live_parts, note, one_button,
    page_under, seen,
};
use crate::names::Names;
use crate::row_id::RowId;
use crate::time::stamp;

/// How many deliveries and tasks are shown.
const SHOWN: u32 = 10;

pub(super) async fn show(
    ctx: PageContext,
    RowId(id): RowId,
    Query(query): Query,
) -> Result<Response, Failure> {
    let row = ctx.actor.webhook(WebhookId(id)).await?;
    let t = ctx.texts();
    let above = Above::Note(html! {
        (confirmation(&ctx, "webhooks", &query))
        @if query.text("target") == target::NO_ADDRESS { (note("warn", &target::words(t, TargetVerdict::NoAddress).render())) }
    });
    let range = Range::parse(query.text("range"));
    let page = page_in(&ctx, &row, range, &above).await?;
    Ok(page.into_response())
}

/// The live parts of the page.
pub(super) async fn live(
    ctx: PageContext,
    RowId(id): RowId,
    Query(query): Query,
) -> Result<Response, Failure> {
    let row = ctx.actor.webhook(WebhookId(id)).await?;
    let range = Range::parse(query.text("range"));
    let shown = Shown::read(&ctx, &row, range).await?;
    let parts = html! {
        (shown.actions(&ctx)) (shown.configuration(&ctx)) (shown.figures(&ctx)) (shown.dropped(&ctx)) (shown.deliveries(&ctx))
    };
    Ok(live_parts(&ctx, &parts))
}

/// The page of a webhook, with something above its content.
pub(super) async fn page_of(
    ctx: &PageContext,
    row: &Row<WebhookId, Webhook>,
    above: &Above,
) -> Result<Markup, Failure> {
    page_in(ctx, row, Range::default(), above).await
}

async fn page_in(
    ctx: &PageContext,
    row: &Row<WebhookId, Webhook>,
    range: Range,
    above: &Above,
) -> Result<Markup, Failure> {
    let (t, path) = (ctx.texts(), ctx.at(&format!("/webhooks/{}", row.id)));
    let shown = Shown::read(ctx, row, range).await?;
    let fetched = row.value.mode == DeliveryMode::Fetch;
    let url = match fetched {
        // Nothing is sent there.
        true => String::new(),
        false => target::words(t, ctx.actor.check_url(&row.value.url)),
    };
    let tasks = newest_tasks(ctx, Some(row.id), SHOWN).await?;
    let body = html! {
        @if !url.is_empty() { (note("warn", &url.render())) }
        // Two columns, each as long as it is.
        div.two {
            div {
                (shown.configuration(ctx))
                section {
                    h2 { (t.of("webhooks-tasks-title")) }
                    @if tasks.is_empty() { p.quiet { (t.of("webhooks-tasks-none")) } }
                    @else { ul { @for task in &tasks { li { a href=(ctx.at(&format!("/tasks/{}/edit", task.id))) { (seen(task.value.name.as_str())) } } } } }
                    p { a.button href=(ctx.at(&format!("/webhooks/{}/subscribe", row.id))) { (t.of("webhooks-subscribe")) } }
                    p { a.button href=(ctx.at(&format!("/tasks/new?webhook={}", row.id))) { (t.of("webhooks-tasks-new")) } }
                    h2 { (t.of("webhooks-signing-title")) }
                    (signing_controls(ctx, row, &path))
                }
                @if fetched { (how_to_fetch(ctx, row)) }
                @else { section id="test" { h2 { (t.of("webhooks-test-title")) } (test_form(ctx, &path, Message::default().as_str(), OBJECT)) } }
            }
            div { (shown.figures(ctx)) }
        }
        (shown.dropped(ctx))
        (shown.deliveries(ctx))
    };
    let (section, title) = (Section::Webhooks, row.value.name.as_str());
    let actions = shown.actions(ctx);
    Ok(page_under(ctx, section, title, &actions, above, &body))
}

/// What of a webhook changes by itself, or by others.
struct Shown<'a> {
    row: &'a Row<WebhookId, Webhook>,
    condition: Condition,
    charts: Charts,
    open: Open,
    all: Counts,
    latest: Vec<Delivery>,
    names: Names,
    dropped: Vec<Dropped>,
}

impl<'a> Shown<'a> {
    async fn read(
        ctx: &PageContext,
        row: &'a Row<WebhookId, Webhook>,
        range: Range,
    ) -> Result<Self, Failure> {
        let day = of_day(ctx, row.id).await?;
        let latest = DeliveryFilter::of_webhook(row.id)
            .newest(ctx, SHOWN)
            .await?;
        Ok(Self {
            row,
            names: Names::of(ctx, &latest).await?,
            condition: of_hours(row.value.activity, &day),
            charts: Charts::of(ctx, row.id, range).await?,
            open: Open::of(ctx, row.id).await?,
            all: of_all(ctx, row.id).await?,
            latest,
            dropped: dropped::of(ctx, row.id).await?,
        })
    }

    fn at(&self, ctx: &PageContext, what: &str) -> String {
        ctx.at(&format!("/webhooks/{}/{what}", self.row.id))
    }

    fn live(&self, ctx: &PageContext) -> Live {
        let range = self.charts.range.as_str();
        Live::at(self.at(ctx, &format!("live?range={range}")))
    }

    fn actions(&self, ctx: &PageContext) -> Markup {
        let (t, at) = (ctx.texts(), |what: &str| self.at(ctx, what));
        self.live(ctx).actions(&html! {
            a.button href=(at("edit")) { (t.of("webhooks-edit-button")) }
            @match self.row.value.activity {
                Activity::Active => (one_button(ctx, &at("do/pause"), "", &t.of("webhooks-pause-button"), None)),
                Activity::Paused | Activity::Disabled => (one_button(ctx, &at("do/resume"), "primary", &t.of("webhooks-resume-button"), None)),
            }
            a.button href=(at("delete")) { (t.of("webhooks-delete")) }
            (changes_link(ctx, "webhook_urls", self.row.id.0))
        })
    }

    fn configuration(&self, ctx: &PageContext) -> Markup {
        let content = html! { h2 { (ctx.texts().of("webhooks-configuration-title")) } (details(ctx, self.row, self.condition)) };
        self.live(ctx).section("configuration", &content)
    }

    fn figures(&self, ctx: &PageContext) -> Markup {
        let (t, path) = (ctx.texts(), ctx.at(&format!("/webhooks/{}", self.row.id)));
        let (sum, [queued, running]) = (self.charts.sum(), self.open.words(t));
        let share = success(t, sum).unwrap_or_else(|| "–".to_owned());
        let figures = [
            ("webhooks-figure-queued", queued),
            ("webhooks-figure-running", running),
            ("webhooks-figure-sent", t.number(sum.sent)),
            ("webhooks-figure-failed", t.number(sum.failed)),
            ("webhooks-figure-retried", t.number(sum.retried)),
            ("webhooks-figure-success", share),
        ];
        let range = [("range", self.charts.range.variant())];
        let all = [
            ("sent", self.all.sent.into()),
            ("failed", self.all.failed.into()),
        ];
        self.live(ctx).section("figures", &html! {
            h2 { (t.with("webhooks-figures-title", &range)) }
            dl.figures { @for (name, text) in figures { div { dd { (text) } dt { (t.of(name)) } } } }
            (self.charts.markup(t, &path))
            p.quiet { (t.with("webhooks-figures-all", &all)) }
        })
    }

    fn dropped(&self, ctx: &PageContext) -> Markup {
        let section = dropped::section(ctx, &self.dropped);
        self.live(ctx).part("dropped", "", &section)
    }

    fn deliveries(&self, ctx: &PageContext) -> Markup {
        let (t, row) = (ctx.texts(), self.row);
        self.live(ctx).section(
            "deliveries",
            &html! {
                div.title { h2 { (t.of("webhooks-deliveries-title")) } div.actions {
                    a.button.small href=(ctx.at(&format!("/deliveries/replay?webhook={}", self.row.id))) { (t.of("webhooks-deliveries-replay")) }
                    a href=(ctx.at(&format!("/deliveries?webhook={}", row.id))) { (t.of("webhooks-deliveries-all")) }
                } }
                @if self.latest.is_empty() { p.quiet { (t.of("webhooks-deliveries-none")) } }
                @else { (delivery_rows::rows(ctx, &self.latest, &self.names, None)) }
            },
        )
    }
}

fn details(ctx: &PageContext, row: &Row<WebhookId, Webhook>, condition: Condition) -> Markup {
    let now = ctx.now();
    let (t, webhook) = (ctx.texts(), &row.value);
    let seconds = [("count", webhook.timeout.as_secs().into())];
    html! {
        dl {
            dt { (t.of("webhooks-column-state")) } dd { (condition.badge(t)) @if condition == Condition::Failing { " " (t.of("webhooks-configuration-failing")) } }
            @if webhook.mode == DeliveryMode::Fetch {
                dt { (t.of("webhooks-configuration-mode")) } dd { (t.of("webhooks-configuration-mode-fetch")) }
            }
            dt { (t.of("webhooks-column-url")) } dd { code { (webhook.url.as_str()) } }
            dt { (t.of("webhooks-column-authorization")) } dd { (authorization(ctx, webhook)) }
            @if let Authorization::OAuth2(client) = &webhook.authorization {
                dt { (t.of("webhooks-configuration-token-url")) } dd { code { (client.token_url().as_str()) } }
                dt { (t.of("webhooks-configuration-client-id")) } dd { code { (seen(client.client_id())) } }
                @if !client.scope().is_empty() { dt { (t.of("webhooks-configuration-scope")) } dd { code { (client.scope()) } } }
            }
            @if let Some(identity) = &webhook.client_identity { (certificate_details(ctx, identity)) }
            dt { (t.of("webhooks-configuration-headers")) } dd {
                @if webhook.headers.is_empty() { span.quiet { (t.of("webhooks-configuration-no-headers")) } }
                @for header in webhook.headers.iter() {
                    div.mono { (header.name()) ": " @if header.is_sensitive() { (MASK) } @else { (header.value()) } }
                }
            }
            dt { (t.of("webhooks-column-timeout")) } dd { (t.with("webhooks-configuration-seconds", &seconds)) }
            dt { (t.of("webhooks-column-retries")) } dd { (webhook.reattempts()) }
            @if let Some(schedule) = &webhook.retry_schedule {
                dt { (t.of("webhooks-configuration-retry-schedule")) } dd { (schedule) }
            }
            @if !webhook.channels.is_empty() {
                dt { (t.of("webhooks-configuration-channels")) } dd { @for channel in webhook.channels.iter() { code { (channel) } " " } }
            }
            @if let Some(rate) = webhook.rate {
                dt { (t.of("webhooks-configuration-rate")) } dd { (t.with("webhooks-configuration-per-second", &[("count", rate.get().get().into())])) }
            }
            dt { (t.of("webhooks-configuration-certificates")) } dd {
                @if webhook.allow_insecure { (layout::badge("warn", &t.of("webhooks-configuration-unverified"))) } @else { (t.of("webhooks-configuration-verified")) }
            }
            dt { (t.of("webhooks-configuration-created")) } dd { (stamp(t, row.created, now)) }
        }
    }
}
