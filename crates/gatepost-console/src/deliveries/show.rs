//! The page of one delivery: its state, the reason and the next step, with its attempts; and its
//! buttons: replay, retry now and cancel.

use std::time::Duration;

use axum::response::{IntoResponse, Redirect, Response};
use gatepost_manage::{ManageError, WaitReason};
use gatepost_storage::webhooks::{AttemptRecord, Delivery, DeliveryId, DeliveryState};
use gatepost_storage::{Bodies, Order, Page, Row};
use maud::{Markup, html};
use webhook_model::{Webhook, WebhookId};

use super::{attempts, request};
use crate::context::PageContext;
use crate::delivery_filter::DeliveryFilter;
use crate::delivery_words;
use crate::delivery_words::{badges, standing, state_of};
use crate::failure::Failure;
use crate::form::{Form, Query};
use crate::layout::{
    Above, Head, Live, Section, confirm_or, confirmation, copy, live_parts, menu, one_button, page,
    page_of, seen, spoken, state, status_line,
};
use crate::names::Names;
use crate::row_id::RowId;
use crate::texts::Texts;
use crate::time::stamp;

/// The number of times that a delivery is read again because it changed while its attempts were
/// read.
const READS: usize = 3;
/// The interval of refreshes for a delivery that has ended: only a replay changes it.
const ENDED: Duration = Duration::from_secs(30);

pub(super) async fn show(
    ctx: PageContext,
    RowId(id): RowId,
    Query(query): Query,
) -> Result<Response, Failure> {
    let shown = Shown::read(&ctx, DeliveryId(id), &query).await?;
    let above = Above::Note(confirmation(&ctx, "deliveries", &query));
    let chosen = shown.chosen();
    let body = html! {
        (shown.facts(&ctx))
        div.aside {
            div { (shown.timeline(&ctx)) (pager(&ctx, &shown.delivery).await?) }
            div {
                (shown.response(&ctx))
                (request::section(&ctx, &shown.delivery, shown.webhook(), chosen))
                (shown.timing(&ctx))
            }
        }
    };
    let name = shown.webhook().map_or("–", |webhook| webhook.name.as_str());
    let webhook = ctx.at(&format!("/webhooks/{}", shown.delivery.webhook));
    let number = [("id", id.to_string().into())];
    let title = shown.title(&ctx);
    let head = Head {
        trail: html! { a href=(webhook) { (seen(name)) } span { (ctx.texts().with("deliveries-one", &number)) } },
        ..shown.head(&ctx, &title)
    };
    Ok(page_of(&ctx, Section::Deliveries, &head, &above, &body).into_response())
}

/// Returns the live parts of the page.
pub(super) async fn live(
    ctx: PageContext,
    RowId(id): RowId,
    Query(query): Query,
) -> Result<Response, Failure> {
    let shown = Shown::read(&ctx, DeliveryId(id), &query).await?;
    let title = shown.title(&ctx);
    let parts = html! {
        (shown.head(&ctx, &title).markup()) (shown.facts(&ctx)) (shown.timeline(&ctx)) (shown.response(&ctx)) (shown.timing(&ctx))
    };
    Ok(live_parts(&ctx, &parts))
}

/// A delivery, the reason for which it waits, and its attempts, at one moment.
struct Shown {
    delivery: Delivery,
    webhook: Option<Row<WebhookId, Webhook>>,
    wait_reason: Option<WaitReason>,
    names: Names,
    attempts: Vec<AttemptRecord>,
    /// The number of the requested attempt; without one, the newest is shown.
    asked: Option<u32>,
}

impl Shown {
    async fn read(ctx: &PageContext, id: DeliveryId, query: &Form) -> Result<Self, Failure> {
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
            asked: query.text("attempt").parse().ok(),
        })
    }

    fn webhook(&self) -> Option<&Webhook> {
        self.webhook.as_ref().map(|row| &row.value)
    }

    /// Returns the attempt whose request and response are shown.
    fn chosen(&self) -> Option<&AttemptRecord> {
        let is_asked = |attempt: &&AttemptRecord| Some(attempt.number) == self.asked;
        let asked = self.attempts.iter().find(is_asked);
        asked.or(self.attempts.last())
    }

    fn live(&self, ctx: &PageContext) -> Live {
        let asked = self.asked.map(|number| format!("?attempt={number}"));
        let path = format!(
            "/deliveries/{}/live{}",
            self.delivery.id,
            asked.unwrap_or_default()
        );
        let live = Live::at(ctx.at(&path));
        if self.delivery.state.is_final() {
            live.every(ENDED)
        } else {
            live
        }
    }

    fn title(&self, ctx: &PageContext) -> String {
        delivery_words::title(ctx, &self.delivery, &self.names)
    }

    fn head<'a>(&self, ctx: &PageContext, title: &'a str) -> Head<'a> {
        let (t, reason) = (ctx.texts(), self.wait_reason.as_ref());
        let (word, _) = state_of(t, &self.delivery, reason);
        Head {
            title,
            state: html! { (badges(t, &self.delivery, reason)) (spoken(&word)) },
            said: html! { p.said { (self.said(ctx)) } },
            actions: buttons(ctx, &self.delivery),
            live: Some(self.live(ctx)),
            ..Head::default()
        }
    }

    /// Renders one sentence: why the delivery is in its state, and what happens next.
    fn said(&self, ctx: &PageContext) -> Markup {
        let (t, delivery) = (ctx.texts(), &self.delivery);
        let next = || {
            let reason = self.wait_reason.as_ref();
            html! {
                (standing(t, delivery, self.webhook(), reason, ctx.now()))
                @if let Some(WaitReason::Behind(first)) = reason { " " a href=(ctx.at(&format!("/deliveries/{first}"))) { (t.with("deliveries-see", &[("id", first.to_string().into())])) } }
            }
        };
        let (name, parts) = match (delivery.state, self.answer(t)) {
            (DeliveryState::Sent, Some(answer)) => {
                ("deliveries-said-sent", vec![("answer", answer.into())])
            }
            (DeliveryState::Error, Some(answer)) => {
                ("deliveries-said-ended", vec![("answer", answer.into())])
            }
            (_, Some(answer)) => (
                "deliveries-said-next",
                vec![("answer", answer.into()), ("next", next().into())],
            ),
            (_, None) => ("deliveries-said-first", vec![("next", next().into())]),
        };
        t.markup(name, &parts)
    }

    /// Renders the target's last answer and how many times it occurred in a row, or why there is
    /// none.
    fn answer(&self, t: &Texts) -> Option<Markup> {
        let info = &*self.delivery.status_info;
        let last = self
            .attempts
            .last()
            .filter(|last| info.is_empty() || last.info == info);
        if let Some(status) = last.and_then(|last| last.status) {
            let same = |attempt: &&AttemptRecord| attempt.status == Some(status);
            let times = self.attempts.iter().rev().take_while(same).count();
            let parts = [
                ("status", status_line(status).into()),
                ("times", (times as u64).into()),
            ];
            return Some(t.markup("deliveries-said-answer", &parts));
        }
        (!info.is_empty())
            .then(|| t.markup("deliveries-said-result", &[("result", t.rule(info).into())]))
    }

    fn facts(&self, ctx: &PageContext) -> Markup {
        let (t, delivery, now) = (ctx.texts(), &self.delivery, ctx.now());
        self.live(ctx).part("delivery", "", &html! {
            dl.strip {
                div { dt { (t.of("deliveries-webhook")) } dd {
                    @if let Some(webhook) = self.webhook() { a href=(ctx.at(&format!("/webhooks/{}", delivery.webhook))) { (seen(webhook.name.as_str())) } }
                    @else { "–" }
                } }
                (delivery_words::facts(ctx, delivery, &self.names))
                div { dt { (t.of("deliveries-queued")) } dd { (stamp(t, delivery.created, now)) } }
                div { dt { (t.of("deliveries-attempts")) } dd { (attempts(t, delivery)) } }
                div { dt { (t.of("deliveries-message-id")) } dd { code { (delivery.message_id) } } }
            }
        })
    }

    fn timeline(&self, ctx: &PageContext) -> Markup {
        let t = ctx.texts();
        self.live(ctx).section("attempts", &html! {
            div.title { h2 { (t.of("deliveries-attempts")) } span.quiet { (t.of("deliveries-attempts-order")) } }
            @match self.chosen() {
                None => p.quiet { (t.of("deliveries-attempts-none")) },
                Some(chosen) => (attempts::timeline(ctx, self.delivery.id, &self.attempts, chosen.number)),
            }
        })
    }

    fn response(&self, ctx: &PageContext) -> Markup {
        let response = |attempt| html! { section { (attempts::response(ctx, attempt)) } };
        let response = self.chosen().map(response).unwrap_or_default();
        self.live(ctx).part("answer", "", &response)
    }

    fn timing(&self, ctx: &PageContext) -> Markup {
        let timing = |attempt| html! { section { (attempts::timing(ctx.texts(), attempt)) } };
        let timing = self.chosen().map(timing).unwrap_or_default();
        self.live(ctx).part("timing", "", &timing)
    }
}

/// Renders links to the previous and the next delivery of the same webhook.
async fn pager(ctx: &PageContext, delivery: &Delivery) -> Result<Markup, Failure> {
    let filter = DeliveryFilter::of_webhook(delivery.webhook);
    let mut beside = [None, None];
    for (to, order) in beside.iter_mut().zip([Order::Ascending, Order::Descending]) {
        let page = Page {
            after: Some(delivery.id),
            order,
            limit: 1,
            bodies: Bodies::Omitted,
        };
        let found = filter.found(ctx, page).await?.rows;
        let path = |row: &Delivery| ctx.at(&format!("/deliveries/{}", row.id));
        *to = found.first().map(path);
    }
    let ([newer, older], t) = (beside, ctx.texts());
    Ok(html! {
        @if newer.is_some() || older.is_some() {
            nav.pager aria-label=(t.of("deliveries-neighbours")) {
                @if let Some(newer) = newer { a.button rel="prev" href=(newer) { (t.of("deliveries-neighbour-newer")) } }
                @if let Some(older) = older { a.button rel="next" href=(older) { (t.of("deliveries-neighbour-older")) } }
            }
        }
    })
}

/// Whether a delivery did not change between two reads.
fn is_same(before: &Delivery, now: &Delivery) -> bool {
    let of = |delivery: &Delivery| (delivery.state, delivery.attempts, delivery.last_attempt);
    of(before) == of(now)
}

/// Returns a text such as `4 in total, 1 since the last replay`.
fn attempts(t: &Texts, delivery: &Delivery) -> String {
    match (delivery.attempts, delivery.tries) {
        (all, tries) if all == tries => all.to_string(),
        (all, tries) => t.with(
            "deliveries-attempts-since-replay",
            &[("all", all.into()), ("since", tries.into())],
        ),
    }
}

/// Renders the buttons that the delivery's state allows.
fn buttons(ctx: &PageContext, delivery: &Delivery) -> Markup {
    let t = ctx.texts();
    let at = |what: &str| ctx.at(&format!("/deliveries/{}/{what}", delivery.id));
    let all = format!("/deliveries/replay?webhook={}", delivery.webhook);
    html! {
        @if delivery.state.is_final() && delivery.message_kept { (one_button(ctx, &at("replay"), "primary", &t.of("deliveries-replay"), None)) }
        @if may_be_hastened(ctx, delivery) { (one_button(ctx, &at("retry"), "primary", &t.of("deliveries-retry-now"), None)) }
        @if delivery.state == DeliveryState::Queued { a.button href=(at("cancel")) { (t.of("deliveries-cancel")) } }
        @if delivery.message_kept { (copy("curl", &t.of("deliveries-curl-copy"), None)) }
        (menu(t, "more", &html! {
            @if delivery.message_kept { a href=(at("message")) { (t.of("deliveries-message-download")) } }
            a href=(ctx.at(&all)) { (t.of("deliveries-replay-others")) }
        }))
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

/// Renders the confirmation before a delivery is cancelled.
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

/// Whether a delivery waits for a time in the future: then it may be sent now instead.
fn may_be_hastened(ctx: &PageContext, delivery: &Delivery) -> bool {
    delivery.state == DeliveryState::Queued && delivery.due > ctx.now()
}
