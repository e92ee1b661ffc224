//! The page of one delivery: how it stands, what made it, and its attempts; and its buttons:
//! replay, retry now and cancel.

use std::time::Duration;

use axum::response::{IntoResponse, Redirect, Response};
use gatepost_manage::{ManageError, WaitReason};
use gatepost_storage::Row;
use gatepost_storage::webhooks::{AttemptRecord, Delivery, DeliveryId, DeliveryState};
use maud::{Markup, html};
use webhook_model::{Webhook, WebhookId};

use super::{attempts, message, request};
use crate::context::PageContext;
use crate::delivery_words;
use crate::delivery_words::{badges, standing};
use crate::failure::Failure;
use crate::form::Query;
use crate::layout::{
    Live, Section, confirm_or, confirmation, live_parts, one_button, page, page_with, seen, spoken,
    state,
};
use crate::names::Names;
use crate::row_id::RowId;
use crate::texts::Texts;
use crate::time::{span, stamp, stamp_or};

/// How often a delivery is read again because it changed while its attempts were read.
const READS: usize = 3;
/// How long a page waits to ask again for a delivery that has ended: only a replay changes it.
const ENDED: Duration = Duration::from_secs(30);

pub(super) async fn show(
    ctx: PageContext,
    RowId(id): RowId,
    Query(query): Query,
) -> Result<Response, Failure> {
    let shown = Shown::read(&ctx, DeliveryId(id)).await?;
    let t = ctx.texts();
    let body = html! {
        (confirmation(&ctx, "deliveries", &query))
        (shown.facts(&ctx))
        (message::section(&ctx, &shown.delivery))
        (request::section(t, &shown.delivery, shown.webhook(), &shown.attempts))
        (shown.attempts(&ctx))
    };
    let title = t.with("deliveries-one", &[("id", id.to_string().into())]);
    let actions = shown.actions(&ctx);
    Ok(page_with(&ctx, Section::Deliveries, &title, &actions, &body).into_response())
}

/// The live parts of the page.
pub(super) async fn live(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let shown = Shown::read(&ctx, DeliveryId(id)).await?;
    let parts = html! { (shown.actions(&ctx)) (shown.facts(&ctx)) (shown.attempts(&ctx)) };
    Ok(live_parts(&ctx, &parts))
}

/// A delivery, what it waits for, and its attempts, at one moment.
struct Shown {
    delivery: Delivery,
    webhook: Option<Row<WebhookId, Webhook>>,
    wait_reason: Option<WaitReason>,
    names: Names,
    attempts: Vec<AttemptRecord>,
}

impl Shown {
    async fn read(ctx: &PageContext, id: DeliveryId) -> Result<Self, Failure> {
        let (mut delivery, mut webhook) = ctx.actor.delivery(id).await?;
        let mut attempts = ctx.actor.attempts(id, attempts::SHOWN).await?;
        for _ in 1..READS {
            let again = ctx.actor.delivery(id).await?;
            if is_same(&delivery, &again.0) {
                break;
            }
            (delivery, webhook) = again;
            attempts = ctx.actor.attempts(id, attempts::SHOWN).await?;
        }
        let wait_reason = ctx.actor.wait_reason(id).await?;
        Ok(Self {
            attempts,
            names: Names::of(ctx, std::slice::from_ref(&delivery)).await?,
            delivery,
            webhook,
            wait_reason,
        })
    }

    fn webhook(&self) -> Option<&Webhook> {
        self.webhook.as_ref().map(|row| &row.value)
    }

    fn live(&self, ctx: &PageContext) -> Live {
        let live = Live::at(ctx.at(&format!("/deliveries/{}/live", self.delivery.id)));
        if self.delivery.state.is_final() {
            live.every(ENDED)
        } else {
            live
        }
    }

    /// The buttons, as the state allows them.
    fn actions(&self, ctx: &PageContext) -> Markup {
        self.live(ctx).actions(&buttons(ctx, &self.delivery))
    }

    fn facts(&self, ctx: &PageContext) -> Markup {
        let wait_reason = self.wait_reason.as_ref();
        let facts = facts(
            ctx,
            &self.delivery,
            self.webhook(),
            wait_reason,
            &self.names,
        );
        self.live(ctx).section("delivery", &facts)
    }

    fn attempts(&self, ctx: &PageContext) -> Markup {
        let t = ctx.texts();
        let attempts = html! {
            h2 { (t.of("deliveries-attempts")) }
            @if self.attempts.is_empty() { p.quiet { (t.of("deliveries-attempts-none")) } }
            @else { (attempts::table(ctx, &self.attempts)) }
        };
        self.live(ctx).section("attempts", &attempts)
    }
}

/// Whether nothing happened to a delivery between two looks at it.
fn is_same(before: &Delivery, now: &Delivery) -> bool {
    let of = |delivery: &Delivery| (delivery.state, delivery.attempts, delivery.last_attempt);
    of(before) == of(now)
}

/// The list of facts.
pub(super) fn facts(
    ctx: &PageContext,
    delivery: &Delivery,
    webhook: Option<&Webhook>,
    wait_reason: Option<&WaitReason>,
    names: &Names,
) -> Markup {
    let (t, now) = (ctx.texts(), ctx.now());
    let (state, _) = state(t, delivery.state);
    let waits = delivery.state == DeliveryState::Queued;
    html! {
        dl {
            dt { (t.of("deliveries-state")) } dd {
                (badges(t, delivery)) " " (standing(t, delivery, webhook, wait_reason, now)) (spoken(&state))
                @if let Some(WaitReason::Behind(first)) = wait_reason { " " a href=(ctx.at(&format!("/deliveries/{first}"))) { (t.with("deliveries-see", &[("id", first.to_string().into())])) } }
            }
            @if !delivery.state.is_final() && !delivery.status_info.is_empty() { dt { (t.of("deliveries-last-result")) } dd { (t.rule(&delivery.status_info)) } }
            @if let Some(status) = delivery.response_status { dt { (t.of("deliveries-status")) } dd { (status) } }
            @if let Some(took) = delivery.duration { dt { (t.of("deliveries-duration")) } dd { (span(t, took)) } }
            dt { (t.of("deliveries-attempts")) } dd { (attempts(t, delivery)) }
            dt { (t.of("deliveries-webhook")) } dd {
                @if let Some(webhook) = webhook { a href=(ctx.at(&format!("/webhooks/{}", delivery.webhook))) { (seen(webhook.name.as_str())) } }
                @else { "–" }
            }
            (delivery_words::facts(ctx, delivery, names))
            dt { (t.of("deliveries-message-id")) } dd { code { (delivery.message_id) } }
            dt { (t.of("deliveries-queued")) } dd { (stamp(t, delivery.created, now)) }
            dt { (t.of("deliveries-last-attempt")) } dd { (stamp_or(t, delivery.last_attempt, now, &t.of("deliveries-last-attempt-none"))) }
            @if waits && wait_reason.is_none() { dt { (t.of("deliveries-next-attempt")) } dd { (stamp(t, delivery.due, now)) } }
        }
    }
}

/// `4 in total, 1 since the last replay`
fn attempts(t: &Texts, delivery: &Delivery) -> String {
    match (delivery.attempts, delivery.tries) {
        (all, tries) if all == tries => all.to_string(),
        (all, tries) => t.with(
            "deliveries-attempts-since-replay",
            &[("all", all.into()), ("since", tries.into())],
        ),
    }
}

/// What the state allows.
pub(super) fn buttons(ctx: &PageContext, delivery: &Delivery) -> Markup {
    let t = ctx.texts();
    let at = |what: &str| ctx.at(&format!("/deliveries/{}/{what}", delivery.id));
    html! {
        @if delivery.state.is_final() && delivery.message_kept { (one_button(ctx, &at("replay"), "", &t.of("deliveries-replay"), None)) }
        @if may_be_hastened(ctx, delivery) { (one_button(ctx, &at("retry"), "", &t.of("deliveries-retry-now"), None)) }
        @if delivery.state == DeliveryState::Queued { a.button.danger href=(at("cancel")) { (t.of("deliveries-cancel")) } }
    }
}

pub(super) async fn replay(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let result = ctx.actor.replay_delivery(DeliveryId(id)).await;
    finish(&ctx, id, result, "replayed")
}

pub(super) async fn retry(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let result = ctx.actor.retry_delivery(DeliveryId(id)).await;
    finish(&ctx, id, result, "retried")
}

/// Asks before a delivery is cancelled.
pub(super) async fn ask(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let (delivery, _) = ctx.actor.delivery(DeliveryId(id)).await?;
    let back = ctx.at(&format!("/deliveries/{id}"));
    if delivery.state != DeliveryState::Queued {
        return Ok(Redirect::to(&back).into_response());
    }
    let t = ctx.texts();
    let question = match delivery.tries {
        0 => "deliveries-cancel-first",
        _ => "deliveries-cancel-again",
    };
    let ended = html! { strong { (state(t, DeliveryState::Error).0) } };
    let parts = [("id", id.to_string().into()), ("state", ended.into())];
    let what = html! {
        p { (t.markup(question, &parts)) }
        @if delivery.message_kept { p.quiet { (t.of("deliveries-cancel-kept")) } }
    };
    let (button, keep) = (
        t.of("deliveries-cancel-button"),
        t.of("deliveries-cancel-back"),
    );
    let body = confirm_or(&ctx, &what, [&button, &keep], &back, &html! {}, None);
    let title = t.with("deliveries-cancel-title", &[("id", id.to_string().into())]);
    Ok(page(&ctx, Section::Deliveries, &title, &body).into_response())
}

pub(super) async fn cancel(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let result = ctx.actor.cancel_delivery(DeliveryId(id)).await;
    finish(&ctx, id, result, "cancelled")
}

fn finish(
    ctx: &PageContext,
    id: i64,
    result: Result<(), ManageError>,
    done: &str,
) -> Result<Response, Failure> {
    match result {
        Err(ManageError::WrongState) => {
            let text = ctx.texts().of("deliveries-changed");
            Err(Failure::Conflict(text.into_owned()))
        }
        other => {
            other?;
            let path = ctx.at(&format!("/deliveries/{id}?done={done}"));
            Ok(Redirect::to(&path).into_response())
        }
    }
}

/// Whether a delivery waits for a time that is still to come: then it may be sent now instead.
fn may_be_hastened(ctx: &PageContext, delivery: &Delivery) -> bool {
    delivery.state == DeliveryState::Queued && delivery.due > ctx.now()
}
