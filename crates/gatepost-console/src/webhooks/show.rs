//! The page of one webhook.

use axum::response::{IntoResponse, Response};
use gatepost_manage::TargetVerdict;
use gatepost_storage::Row;
use gatepost_storage::webhooks::{Delivery, DeliveryState, RejectedCount};
use maud::{Markup, Render as _, html};
use webhook_model::{Activity, Authorization, DeliveryMode, Webhook, WebhookId};

use super::charts::{Charts, Range};
use super::counts::{Counts, Open, of_all, of_day};
use super::form::{MASK, certificate_details};
use super::health::{Condition, band, of_hours, success};
use super::list::authorization;
use super::rejected::how_to_fetch;
use super::signing::signing_controls;
use super::tabs::tabs;
use super::{rejected, target};
use crate::choices::newest_tasks;
use crate::context::PageContext;
use crate::delivery_filter::DeliveryFilter;
use crate::failure::Failure;
use crate::form::Query;
use crate::layout::{
    self, Above, Head, Live, Section, changes_link, confirmation, copy, live_parts, menu, note,
    one_button, seen,
};
use crate::names::Names;
use crate::row_id::RowId;
use crate::time::stamp;
use crate::{charts, delivery_rows};

/// The number of deliveries and tasks that are shown.
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

/// Returns the live parts of the page.
pub(super) async fn live(
    ctx: PageContext,
    RowId(id): RowId,
    Query(query): Query,
) -> Result<Response, Failure> {
    let row = ctx.actor.webhook(WebhookId(id)).await?;
    let range = Range::parse(query.text("range"));
    let shown = Shown::read(&ctx, &row, range).await?;
    let parts = html! {
        (shown.head(&ctx).markup()) (shown.band(&ctx)) (shown.figures(&ctx)) (shown.rejected(&ctx)) (shown.deliveries(&ctx)) (shown.settings(&ctx))
    };
    Ok(live_parts(&ctx, &parts))
}

/// Renders the page of a webhook, with something above its content.
pub(super) async fn page_of(
    ctx: &PageContext,
    row: &Row<WebhookId, Webhook>,
    above: &Above,
) -> Result<Markup, Failure> {
    page_in(ctx, row, Range::parse(""), above).await
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
        // In this mode nothing is sent to the URL.
        true => String::new(),
        false => target::words(t, ctx.actor.check_url(&row.value.url)),
    };
    let tasks = newest_tasks(ctx, Some(row.id), SHOWN).await?;
    let body = html! {
        @if !url.is_empty() { (note("warn", &url.render())) }
        (shown.band(ctx))
        (tabs(ctx, row.id, "overview"))
        div.aside.end {
            div {
                @if fetched { (how_to_fetch(ctx, row)) }
                (shown.figures(ctx))
                (shown.rejected(ctx))
                (shown.deliveries(ctx))
            }
            div {
                section {
                    div.title { h2 { (t.of("webhooks-tab-subscriptions")) }
                        a.button.small href=(ctx.at(&format!("/webhooks/{}/subscribe", row.id))) { (t.of("webhooks-subscribe")) }
                        a.button.small href=(ctx.at(&format!("/tasks/new?webhook={}", row.id))) { (t.of("webhooks-tasks-new")) } }
                    @if tasks.is_empty() { p.quiet { (t.of("webhooks-tasks-none")) } }
                    @else { ul.plain { @for task in &tasks { li { a href=(ctx.at(&format!("/tasks/{}/edit", task.id))) { (seen(task.value.name.as_str())) } } } } }
                }
                section {
                    h2 { (t.of("webhooks-signing-title")) }
                    (signing_controls(ctx, row, &path))
                }
                (shown.settings(ctx))
            }
        }
    };
    Ok(layout::page_of(
        ctx,
        Section::Webhooks,
        &shown.head(ctx),
        above,
        &body,
    ))
}

/// The parts of a webhook's page that change by themselves, or by other users.
struct Shown<'a> {
    row: &'a Row<WebhookId, Webhook>,
    condition: Condition,
    /// The number of failed deliveries of the last day.
    failed: u64,
    charts: Charts,
    open: Open,
    all: Counts,
    latest: Vec<Delivery>,
    /// The last delivery that was sent, if the webhook is failing.
    success: Option<Delivery>,
    names: Names,
    rejected: Vec<RejectedCount>,
}

impl<'a> Shown<'a> {
    async fn read(
        ctx: &PageContext,
        row: &'a Row<WebhookId, Webhook>,
        range: Range,
    ) -> Result<Self, Failure> {
        let day = of_day(ctx, row.id).await?;
        let filter = DeliveryFilter::of_webhook(row.id);
        let latest = filter.newest(ctx, SHOWN).await?;
        let condition = of_hours(row.value.activity, &day);
        let success = match condition {
            Condition::Failing => {
                filter
                    .of_state(DeliveryState::Sent.as_str())
                    .newest(ctx, 1)
                    .await?
            }
            _ => Vec::new(),
        };
        Ok(Self {
            row,
            names: Names::of(ctx, &latest).await?,
            condition,
            failed: Counts::sum(day).failed,
            charts: Charts::of(ctx, row.id, range).await?,
            open: Open::of(ctx, row.id).await?,
            all: of_all(ctx, row.id).await?,
            latest,
            success: success.into_iter().next(),
            rejected: rejected::of(ctx, row.id).await?,
        })
    }

    fn at(&self, ctx: &PageContext, what: &str) -> String {
        ctx.at(&format!("/webhooks/{}/{what}", self.row.id))
    }

    fn live(&self, ctx: &PageContext) -> Live {
        let range = self.charts.range.word;
        Live::at(self.at(ctx, &format!("live?range={range}")))
    }

    fn head<'b>(&'b self, ctx: &PageContext) -> Head<'b> {
        let (t, webhook) = (ctx.texts(), &self.row.value);
        let (at, id) = (|what: &str| self.at(ctx, what), self.row.id);
        let actions = html! {
            @if webhook.mode != DeliveryMode::Fetch { a.button.primary href=(at("test")) { (t.of("webhooks-test-button")) } }
            @match webhook.activity {
                Activity::Active => (one_button(ctx, &at("do/pause"), "", &t.of("webhooks-pause-button"), None)),
                Activity::Paused | Activity::Disabled => (one_button(ctx, &at("do/resume"), "", &t.of("webhooks-resume-button"), None)),
            }
            (menu(t, "more", &html! {
                a href=(at("edit")) { (t.of("webhooks-edit-button")) }
                a href=(ctx.at(&format!("/deliveries/replay?webhook={id}"))) { (t.of("webhooks-deliveries-replay")) }
                (changes_link(ctx, "webhook_urls", id.0))
                a.danger href=(at("delete")) { (t.of("webhooks-delete")) }
            }))
        };
        Head {
            title: webhook.name.as_str(),
            state: self.condition.badge(t),
            said: html! { p.said.target { code id="target" { (webhook.url.as_str()) } (copy("target", &t.of("deliveries-copy"), Some(&t.of("webhooks-url-copy")))) } },
            actions,
            live: Some(self.live(ctx)),
            ..Head::default()
        }
    }

    /// Renders why the webhook fails, if it does.
    fn band(&self, ctx: &PageContext) -> Markup {
        let was_tried = |delivery: &&Delivery| delivery.attempts > 0;
        let last = [self.latest.iter().find(was_tried), self.success.as_ref()];
        let band = match self.condition {
            Condition::Failing => band(ctx, self.row.id, self.failed, self.open, last),
            _ => html! {},
        };
        self.live(ctx).part("failing", "", &band)
    }

    fn settings(&self, ctx: &PageContext) -> Markup {
        let t = ctx.texts();
        self.live(ctx).section("configuration", &html! {
            div.title { h2 { (t.of("webhooks-tab-settings")) } a.button.small href=(self.at(ctx, "edit")) { (t.of("webhooks-edit-button")) } }
            (details(ctx, self.row))
        })
    }

    fn figures(&self, ctx: &PageContext) -> Markup {
        let (t, id) = (ctx.texts(), self.row.id);
        let path = ctx.at(&format!("/webhooks/{id}"));
        let (sum, [queued, running]) = (self.charts.sum(), self.open.words(t));
        let share = success(t, sum).unwrap_or_else(|| "–".to_owned());
        let state = |state: &str| ctx.at(&format!("/deliveries?webhook={id}&state={state}"));
        let figures = [
            ("webhooks-figure-success", share, None),
            ("frame-state-sent", t.number(sum.sent), None),
            (
                "frame-state-error",
                t.number(sum.failed),
                Some(state("error")),
            ),
            ("webhooks-figure-retried", t.number(sum.retried), None),
            ("frame-state-queued", queued, Some(state("queued"))),
            ("frame-state-running", running, None),
        ];
        let range = [("range", self.charts.range.variant())];
        let all = [
            ("sent", self.all.sent.into()),
            ("failed", self.all.failed.into()),
        ];
        self.live(ctx).section("figures", &html! {
            div.title { h2 { (t.with("webhooks-figures-title", &range)) } (self.charts.ranges(t, &path)) }
            (charts::figures(t, figures))
            (self.charts.markup(t))
            p.quiet { (t.with("webhooks-figures-all", &all)) }
        })
    }

    fn rejected(&self, ctx: &PageContext) -> Markup {
        let section = rejected::section(ctx, &self.rejected);
        self.live(ctx).part("rejected", "", &section)
    }

    fn deliveries(&self, ctx: &PageContext) -> Markup {
        let (t, row) = (ctx.texts(), self.row);
        self.live(ctx).section(
            "deliveries",
            &html! {
                div.title { h2 { (t.of("webhooks-deliveries-title")) } a href=(ctx.at(&format!("/deliveries?webhook={}", row.id))) { (t.of("webhooks-deliveries-all")) } }
                @if self.latest.is_empty() { p.quiet { (t.of("webhooks-deliveries-none")) } }
                @else { (delivery_rows::rows(ctx, &self.latest, &self.names, None)) }
            },
        )
    }
}

fn details(ctx: &PageContext, row: &Row<WebhookId, Webhook>) -> Markup {
    let now = ctx.now();
    let (t, webhook) = (ctx.texts(), &row.value);
    let seconds = [("count", webhook.timeout.as_secs().into())];
    html! {
        dl {
            @if webhook.mode == DeliveryMode::Fetch {
                dt { (t.of("webhooks-configuration-mode")) } dd { (t.of("webhooks-configuration-mode-fetch")) }
            }
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
