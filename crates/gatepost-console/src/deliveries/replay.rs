//! Deliveries of a webhook are replayed: those of a span of time, with their number before and
//! after.

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Redirect, Response};
use chrono::{DateTime, TimeDelta, Utc};
use gatepost_manage::{ReplayCount, Replayable};
use gatepost_storage::webhooks::DeliveryState;
use maud::{Markup, html};
use webhook_model::WebhookId;

use super::class::{class, class_choices};
use super::form::or_all;
use crate::choices::webhook_choices;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{self, InputKind, Section, note, page, seen};
use crate::problems::Problems;
use crate::texts::Texts;
use crate::time::{field, parse_field};

/// How far back the page begins.
const SPAN: TimeDelta = TimeDelta::days(1);

/// Which deliveries the page is about.
struct Asked {
    webhook: WebhookId,
    state: Option<DeliveryState>,
    class: Option<&'static str>,
    from: DateTime<Utc>,
    before: DateTime<Utc>,
}

impl Asked {
    /// Without a word the failed ones of the last day.
    fn parse(ctx: &PageContext, form: &Form) -> Option<Self> {
        let now = ctx.now();
        let state = match form.given("state") {
            None => Some(DeliveryState::Error),
            Some(word) => DeliveryState::from_word(word).filter(|state| state.is_final()),
        };
        Some(Self {
            webhook: WebhookId(form.key("webhook")?),
            state,
            class: class(form.text("class")),
            from: parse_field(&form.date("from")).unwrap_or(now - SPAN),
            before: parse_field(&form.date("before")).unwrap_or(now + TimeDelta::minutes(1)),
        })
    }

    fn replayable(&self) -> Replayable {
        let mut which = Replayable::new(self.webhook, self.from, self.before);
        which.states = self.state.into_iter().collect();
        which.class = self.class.map(str::to_owned);
        which
    }

    /// The fields, as an address and as hidden inputs have them.
    fn fields(&self) -> [(&'static str, String); 5] {
        [
            ("webhook", self.webhook.to_string()),
            ("state", self.state.map_or("", DeliveryState::as_str).into()),
            ("class", self.class.unwrap_or_default().into()),
            ("from", field(self.from)),
            ("before", field(self.before)),
        ]
    }
}

pub(super) async fn show(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let form = Form::parse(query.unwrap_or_default().as_bytes());
    let Some(asked) = Asked::parse(&ctx, &form) else {
        return choose(&ctx).await;
    };
    let webhook = ctx.actor.webhook(asked.webhook).await?;
    let count = ctx.actor.count_replayable(&asked.replayable()).await?;
    let back = ctx.at(&format!("/webhooks/{}", asked.webhook));
    let t = ctx.texts();
    let name = [("webhook", seen(webhook.value.name.as_str()).into())];
    let body = html! {
        @if let Some(done) = form.given("done") { (said(t, done)) }
        section {
            h2 { (t.of("deliveries-replay-select")) }
            (range(t, &asked))
        }
        section {
            h2 { (t.of("deliveries-replay")) }
            (button(&ctx, &asked, count))
        }
        p { a href=(back) { (t.with("deliveries-replay-back", &name)) } }
    };
    let title = t.with("deliveries-replay-title-of", &name);
    Ok(page(&ctx, Section::Deliveries, &title, &body).into_response())
}

pub(super) async fn replay(ctx: PageContext, form: Form) -> Result<Response, Failure> {
    let Some(asked) = Asked::parse(&ctx, &form) else {
        return choose(&ctx).await;
    };
    let replayed = ctx.actor.replay_some(asked.replayable()).await?;
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(asked.fields());
    query.append_pair("done", &replayed.to_string());
    let path = ctx.at(&format!("/deliveries/replay?{}", query.finish()));
    Ok(Redirect::to(&path).into_response())
}

/// Asks for the webhook.
async fn choose(ctx: &PageContext) -> Result<Response, Failure> {
    let (problems, webhooks) = (Problems::none(), webhook_choices(ctx).await?);
    let t = ctx.texts();
    let body = html! {
        section {
            form method="get" {
                (layout::picker(t, &problems, "webhook", &t.of("deliveries-webhook"), &webhooks, "", ""))
                button { (t.of("deliveries-replay-count")) }
            }
        }
    };
    let title = t.of("deliveries-replay-title");
    Ok(page(ctx, Section::Deliveries, &title, &body).into_response())
}

/// The form that chooses them.
fn range(t: &Texts, asked: &Asked) -> Markup {
    let problems = Problems::none();
    let states = [
        ("error", t.of("deliveries-replay-state-error")),
        ("sent", t.of("deliveries-replay-state-sent")),
        ("", t.of("deliveries-replay-state-both")),
    ];
    let states = states.map(|(state, name)| (state.to_owned(), name.into_owned()));
    let state = asked.state.map_or("", DeliveryState::as_str);
    let class = asked.class.unwrap_or_default();
    html! {
        form.filter method="get" {
            input type="hidden" name="webhook" value=(asked.webhook);
            (layout::input(&problems, InputKind::Date, "from", &t.of("deliveries-filter-from"), &field(asked.from), ""))
            (layout::input(&problems, InputKind::Date, "before", &t.of("deliveries-filter-before"), &field(asked.before), ""))
            (layout::select(&problems, "state", &t.of("deliveries-state"), &states, state, "", false))
            (layout::select(&problems, "class", &t.of("deliveries-filter-class"), &or_all(t, class_choices(t)), class, "", false))
            button { (t.of("deliveries-replay-count")) }
        }
    }
}

/// How many there are, and the button; none where there are none.
fn button(ctx: &PageContext, asked: &Asked, count: ReplayCount) -> Markup {
    let t = ctx.texts();
    let (will, button) = match (count.found, count.is_all) {
        (0, true) => return html! { p { (t.of("deliveries-replay-none")) } },
        (0, false) => return html! { p { (t.of("deliveries-replay-none-yet")) } },
        (_, true) => ("deliveries-replay-will", "deliveries-replay-button"),
        (_, false) => (
            "deliveries-replay-will-more",
            "deliveries-replay-button-more",
        ),
    };
    let many = [("count", count.found.into())];
    html! {
        p { (t.with(will, &many)) }
        @if !count.is_all { p.quiet { (t.with("deliveries-replay-batch", &many)) } }
        form method="post" {
            input type="hidden" name="csrf" value=(ctx.csrf);
            @for (name, value) in asked.fields() { input type="hidden" name=(name) value=(value); }
            button.primary { (t.with(button, &many)) }
        }
    }
}

fn said(t: &Texts, done: &str) -> Markup {
    match done.parse::<u64>() {
        Ok(0) => note("", &html! { (t.of("deliveries-replay-done-none")) }),
        Ok(count) => {
            let many = [("count", count.into())];
            note("good", &html! { (t.with("deliveries-replay-done", &many)) })
        }
        Err(_) => html! {},
    }
}
