//! The page of one delivery, with its attempts.

use axum::Json;
use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_manage::Holdup;
use gatepost_storage::Row;
use gatepost_storage::webhooks::{AttemptRecord, Delivery, DeliveryId, DeliveryState};
use maud::{Markup, html};
use serde_json::{Value, json};
use webhook_model::{Webhook, WebhookId};

use super::actions::{buttons, done};
use super::facts::facts;
use super::{attempts, message, request};
use crate::context::PageContext;
use crate::delivery_list::Names;
use crate::delivery_rows::states;
use crate::delivery_standing::standing;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, note, page_with};
use crate::row_id::RowId;

pub(super) async fn show(
    ctx: PageContext,
    RowId(id): RowId,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    let shown = Shown::read(&ctx, DeliveryId(id)).await?;
    let done = done(Form::parse(query.unwrap_or_default().as_bytes()).text("done"));
    let body = html! {
        @if !done.is_empty() { (note("good", &html! { (done) })) }
        div data-live=(ctx.at(&format!("/deliveries/{id}/live"))) {
            section {
                (shown.facts(&ctx))
                p role="status" { a href="" data-text="more" data-hide hidden {} }
            }
        }
        (message::section(&ctx, &shown.delivery))
        (request::section(&shown.delivery, shown.webhook(), &shown.attempts))
        section { (shown.attempts(&ctx)) }
    };
    let (title, actions) = (format!("Delivery #{id}"), buttons(&ctx, &shown.delivery));
    Ok(page_with(&ctx, Section::Deliveries, &title, &actions, &body).into_response())
}

/// A delivery, what it waits for, and its attempts.
struct Shown {
    delivery: Delivery,
    webhook: Option<Row<WebhookId, Webhook>>,
    holdup: Option<Holdup>,
    names: Names,
    attempts: Vec<AttemptRecord>,
}

impl Shown {
    async fn read(ctx: &PageContext, id: DeliveryId) -> Result<Self, Failure> {
        let (delivery, webhook) = ctx.actor.delivery(id).await?;
        let holdup = match &webhook {
            Some(webhook) => ctx.actor.holdup(&delivery, &webhook.value).await?,
            None => None,
        };
        Ok(Self {
            attempts: ctx.actor.attempts(id).await?,
            names: Names::of(ctx, std::slice::from_ref(&delivery)).await?,
            delivery,
            webhook,
            holdup,
        })
    }

    fn webhook(&self) -> Option<&Webhook> {
        self.webhook.as_ref().map(|row| &row.value)
    }

    fn facts(&self, ctx: &PageContext) -> Markup {
        let holdup = self.holdup.as_ref();
        facts(ctx, &self.delivery, self.webhook(), holdup, &self.names)
    }

    fn attempts(&self, ctx: &PageContext) -> Markup {
        html! {
            h2 { "Attempts" }
            @if self.attempts.is_empty() { p.quiet { "None yet." } }
            @else { (attempts::table(ctx, &self.attempts)) }
        }
    }
}

/// The state, for the script.
pub(super) async fn live(ctx: PageContext, RowId(id): RowId) -> Result<Json<Value>, Failure> {
    let shown = Shown::read(&ctx, DeliveryId(id)).await?;
    let delivery = &shown.delivery;
    let more = match delivery.state {
        DeliveryState::Running => "An attempt is in progress. Show it",
        _ => "",
    };
    let words = standing(delivery, shown.webhook(), shown.holdup.as_ref(), ctx.now());
    let texts = json!({"info": words, "more": more});
    Ok(Json(
        json!({"texts": texts, "states": states(std::slice::from_ref::<Delivery>(delivery))}),
    ))
}
