//! The list of webhooks.

use std::borrow::Cow;

use axum::response::Response;
use gatepost_storage::webhooks::WebhookQuery;
use gatepost_storage::{Page, Row};
use maud::{Markup, html};
use webhook_model::{Activity, Webhook, WebhookId};

use super::health::{Condition, Conditions, rate};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Query;
use crate::layout::{badge, seen};
use crate::list_view::{Asked, Column, Listing, Rank, Rows, list_page};
use crate::unreadable::Kind;

/// A webhook.
pub(super) type WebhookRow = Row<WebhookId, Webhook>;

/// The list of webhooks, with the conditions of those on the page.
#[derive(Default)]
struct WebhookList(Conditions);

/// A column of the list.
type Of = Column<WebhookList, WebhookRow>;

impl WebhookList {
    fn condition(&self, row: &WebhookRow) -> Condition {
        self.0.condition(row.id, row.value.activity)
    }
}

impl Listing for WebhookList {
    type Row = WebhookRow;
    const NAME: &'static str = "webhooks";
    const COLUMNS: &'static [Of] = &[
        Of::new("webhooks-column-state", state).sorted("state", |list, row| {
            Rank::Number(list.condition(row) as u64)
        }),
        Of::new("webhooks-column-name", |ctx, _, row| {
            html! { a href=(at(ctx, row)) { (seen(row.value.name.as_str())) } }
        })
        .sorted("name", |_, row| Rank::text(row.value.name.as_str()))
        .name(),
        Of::new("webhooks-column-url", |_, _, row| {
            html! { code title=(row.value.url.as_str()) { (place(&row.value)) } }
        })
        .sorted("url", |_, row| Rank::text(&place(&row.value)))
        .narrow(),
        Of::new("webhooks-column-authorization", |ctx, _, row| {
            html! { span { (authorization(ctx, &row.value)) } }
        })
        .desk(),
        Of::new("webhooks-column-timeout", |ctx, _, row| {
            let seconds = [("count", row.value.timeout.as_secs().into())];
            html! { span { (ctx.texts().with("webhooks-seconds-short", &seconds)) } }
        })
        .sorted("timeout", |_, row| {
            Rank::Number(row.value.timeout.as_secs())
        })
        .desk(),
        Of::new("webhooks-column-retries", |_, _, row| {
            html! { span { (row.value.reattempts()) } }
        })
        .sorted("retries", |_, row| {
            Rank::Number(row.value.reattempts().into())
        })
        .desk(),
        Of::new("webhooks-column-day", |ctx, list, row| {
            html! { span { (rate(ctx.texts(), list.0.day(row.id))) } }
        }),
        Of::new("webhooks-column-last", |ctx, list, row| {
            html! { span { (list.0.last(ctx.texts(), row.id, ctx.now())) } }
        })
        .when(),
    ];
    const STATES: &'static [&'static str] =
        &["failing", "active", "paused", "disabled", "insecure"];
    const CLASS: &'static str = "lines";
    const UNREADABLE: Option<Kind> = Some(Kind::Webhook);

    fn number(row: &WebhookRow) -> i64 {
        row.id.0
    }

    fn texts<'a>(&'a self, row: &'a WebhookRow) -> Vec<Cow<'a, str>> {
        vec![row.value.name.as_str().into(), place(&row.value).into()]
    }

    fn is_in(&self, row: &WebhookRow, state: &str) -> bool {
        let webhook = &row.value;
        match state {
            "failing" => self.condition(row) == Condition::Failing,
            "active" => webhook.activity == Activity::Active,
            "paused" => webhook.activity == Activity::Paused,
            "disabled" => webhook.activity == Activity::Disabled,
            _ => webhook.allow_insecure,
        }
    }

    async fn read(
        ctx: &PageContext,
        asked: &Asked,
        page: Page<i64>,
    ) -> Result<Rows<WebhookRow>, Failure> {
        let query = WebhookQuery {
            scope: asked.scope(),
            name: None,
            page: page.numbered(WebhookId),
        };
        let listed = ctx.actor.webhooks(&query).await?;
        Ok((listed.rows, listed.next.map(|id| id.0)))
    }

    async fn of(ctx: &PageContext, asked: &Asked, rows: &[WebhookRow]) -> Result<Self, Failure> {
        match asked.is_by_age() {
            true => Ok(Self::default()),
            false => Self::default().shown(ctx, rows).await,
        }
    }

    async fn shown(self, ctx: &PageContext, rows: &[WebhookRow]) -> Result<Self, Failure> {
        let conditions = Conditions::of(ctx, rows.iter().map(|row| row.id));
        Ok(Self(conditions.await?))
    }
}

pub(super) async fn show(ctx: PageContext, Query(query): Query) -> Result<Response, Failure> {
    list_page::<WebhookList>(&ctx, &query, &html! {}).await
}

fn at(ctx: &PageContext, row: &WebhookRow) -> String {
    ctx.at(&format!("/webhooks/{}", row.id))
}

fn state(ctx: &PageContext, list: &WebhookList, row: &WebhookRow) -> Markup {
    let (t, webhook) = (ctx.texts(), &row.value);
    html! {
        span {
            (list.condition(row).badge(t))
            @if webhook.allow_insecure { " " (badge("warn", &t.of("webhooks-insecure"))) }
        }
    }
}

/// Returns the name of a webhook's type of authorization.
pub(super) fn authorization<'a>(ctx: &'a PageContext, webhook: &Webhook) -> Cow<'a, str> {
    let kind = webhook.authorization.kind().as_str();
    ctx.texts().of(&format!("webhooks-form-auth-{kind}"))
}

/// Returns the URL of a webhook without its query, which may hold credentials.
fn place(webhook: &Webhook) -> String {
    let url = webhook.url.as_str();
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    let end = url.find(['?', '#']).unwrap_or(url.len());
    url.get(..end).unwrap_or(url).to_owned()
}
