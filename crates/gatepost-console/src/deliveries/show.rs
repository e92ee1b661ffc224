//! The page of one delivery, with its attempts.

use std::time::Duration;

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_storage::Row;
use gatepost_storage::webhooks::{AttemptRecord, Delivery, DeliveryId, DeliveryState, TaskRow};
use maud::{Markup, html};
use webhook_model::{Webhook, WebhookId};

use super::{attempts, message};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{self, Live, Section, live_parts, note, one_button, page_with, seen, spoken};
use crate::row_id::RowId;
use crate::time::{stamp, stamp_or};

/// How often a delivery is read again because it changed while its attempts were read.
const READS: usize = 3;
/// How long a page waits to ask again for a delivery that has ended: only a replay changes it.
const ENDED: Duration = Duration::from_secs(30);

pub(super) async fn show(
    ctx: PageContext,
    RowId(id): RowId,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    let shown = Shown::read(&ctx, DeliveryId(id)).await?;
    let done = match Form::parse(query.unwrap_or_default().as_bytes()).text("done") {
        "replayed" => "The delivery was queued again with the same message and ID.",
        "tested" => "The test was sent. Its request and the response are shown here.",
        "cancelled" => "The delivery was cancelled.",
        _ => "",
    };
    let body = html! {
        @if !done.is_empty() { (note("good", &html! { (done) })) }
        (shown.facts(&ctx))
        (message::section(&ctx, &shown.delivery))
        (shown.attempts(&ctx))
    };
    let (title, actions) = (format!("Delivery #{id}"), shown.actions(&ctx));
    Ok(page_with(&ctx, Section::Deliveries, &title, &actions, &body).into_response())
}

/// The live parts of the page.
pub(super) async fn live(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let shown = Shown::read(&ctx, DeliveryId(id)).await?;
    let parts = html! { (shown.actions(&ctx)) (shown.facts(&ctx)) (shown.attempts(&ctx)) };
    Ok(live_parts(&ctx, &parts))
}

/// A delivery and its attempts at one moment.
struct Shown {
    delivery: Delivery,
    webhook: Option<Row<WebhookId, Webhook>>,
    task: Option<TaskRow>,
    attempts: Vec<AttemptRecord>,
}

impl Shown {
    async fn read(ctx: &PageContext, id: DeliveryId) -> Result<Self, Failure> {
        let (mut delivery, mut webhook) = ctx.actor.delivery(id).await?;
        let mut attempts = ctx.actor.attempts(id).await?;
        for _ in 1..READS {
            let again = ctx.actor.delivery(id).await?;
            if is_same(&delivery, &again.0) {
                break;
            }
            (delivery, webhook) = again;
            attempts = ctx.actor.attempts(id).await?;
        }
        let task = match delivery.task {
            Some(task) => ctx.actor.task(task).await.ok(),
            None => None,
        };
        Ok(Self {
            delivery,
            webhook,
            task,
            attempts,
        })
    }

    fn at(&self, ctx: &PageContext, what: &str) -> String {
        ctx.at(&format!("/deliveries/{}/{what}", self.delivery.id))
    }

    fn live(&self, ctx: &PageContext) -> Live {
        let live = Live::at(self.at(ctx, "live"));
        if self.delivery.state.is_final() {
            live.every(ENDED)
        } else {
            live
        }
    }

    /// The buttons, as the state allows them.
    fn actions(&self, ctx: &PageContext) -> Markup {
        let delivery = &self.delivery;
        self.live(ctx).actions(&html! {
            @if delivery.state.is_final() && delivery.message_kept { (one_button(ctx, &self.at(ctx, "replay"), "", "Replay", "")) }
            @if delivery.state == DeliveryState::Queued { (one_button(ctx, &self.at(ctx, "cancel"), "danger", "Cancel", "")) }
        })
    }

    fn facts(&self, ctx: &PageContext) -> Markup {
        let (delivery, now) = (&self.delivery, ctx.now());
        let (state, kind) = layout::state(delivery.state);
        self.live(ctx).section("delivery", &html! {
            dl {
                dt { "State" } dd { (layout::badge(kind, state)) @if delivery.message_id.is_test() { " " (layout::badge("busy", "test")) } " " (delivery.status_info) (spoken(state)) }
                dt { "Webhook" } dd {
                    @if let Some(webhook) = &self.webhook { a href=(ctx.at(&format!("/webhooks/{}", webhook.id))) { (seen(webhook.value.name.as_str())) } }
                    @else { "–" }
                }
                dt { "Source" } dd {
                    @match (&self.task, delivery.task) {
                        (Some(task), _) => { "Task " a href=(ctx.at(&format!("/tasks/{}/edit", task.id))) { (task.task.name) } }
                        (None, Some(_)) => "A deleted task",
                        (None, None) => "Sent manually",
                    }
                }
                dt { "Message ID (webhook-id header)" } dd { code { (delivery.message_id) } }
                dt { "Queued" } dd { (stamp(delivery.created, now)) }
                dt { "Last attempt" } dd { (stamp_or(delivery.last_attempt, now, "none")) }
                @if delivery.state == DeliveryState::Queued { dt { "Next attempt" } dd { (stamp(delivery.due, now)) } }
            }
        })
    }

    fn attempts(&self, ctx: &PageContext) -> Markup {
        self.live(ctx).section(
            "attempts",
            &html! {
                h2 { "Attempts" }
                @if self.attempts.is_empty() { p.quiet { "None yet." } }
                @else { (attempts::table(ctx, &self.attempts)) }
            },
        )
    }
}

/// Whether nothing happened to a delivery between two looks at it.
fn is_same(before: &Delivery, now: &Delivery) -> bool {
    let of = |delivery: &Delivery| (delivery.state, delivery.attempts, delivery.last_attempt);
    of(before) == of(now)
}
