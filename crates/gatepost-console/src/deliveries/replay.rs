//! The page that replays a webhook's deliveries within a range of time, with their number before
//! and after.

use axum::response::{IntoResponse, Redirect, Response};
use chrono::TimeDelta;
use gatepost_manage::{ReplayCount, Replayable};
use gatepost_storage::webhooks::DeliveryState;
use maud::{Markup, html};
use webhook_model::WebhookId;

use crate::choices::choices;
use crate::context::PageContext;
use crate::delivery_filter::{QUEUED, class, classes};
use crate::failure::Failure;
use crate::fields::Sheet;
use crate::form::{Form, Query};
use crate::layout::{self, Section, note, page, seen};
use crate::problems::Problems;
use crate::texts::Texts;
use crate::time::{field, parse_field};

/// The default start of the range, before the current time.
const SPAN: TimeDelta = TimeDelta::days(1);

/// The deliveries that the page is about: those of a webhook, by default the failed ones of the
/// last day.
struct Asked {
    /// The fields, as an address and as hidden inputs have them.
    form: Form,
    which: Replayable,
}

impl Asked {
    fn parse(ctx: &PageContext, form: &Form) -> Option<Self> {
        let now = ctx.now();
        let state = match form.given("state") {
            None => Some(DeliveryState::Error),
            Some(word) => DeliveryState::from_word(word).filter(|state| state.is_final()),
        };
        let (webhook, class) = (WebhookId(form.key("webhook")?), class(form.text("class")));
        let from = parse_field(&form.date("from")).unwrap_or(now - SPAN);
        let before = parse_field(&form.date("before")).unwrap_or(now + TimeDelta::minutes(1));
        let mut which = Replayable::new(webhook, from, before);
        which.states = state.into_iter().collect();
        which.class = class.map(str::to_owned);
        let form = Form::default()
            .with("webhook", webhook.to_string())
            .with("state", state.map_or("", DeliveryState::as_str))
            .with("class", class.unwrap_or_default())
            .with("from", field(from))
            .with("before", field(before));
        Some(Self { form, which })
    }
}

pub(super) async fn show(ctx: PageContext, Query(query): Query) -> Result<Response, Failure> {
    let Some(asked) = Asked::parse(&ctx, &query) else {
        return choose(&ctx, &query).await;
    };
    let webhook = ctx.actor.webhook(asked.which.webhook).await?;
    let count = ctx.actor.count_replayable(&asked.which).await?;
    let back = ctx.at(&format!("/webhooks/{}", asked.which.webhook));
    let t = ctx.texts();
    let name = [("webhook", seen(webhook.value.name.as_str()).into())];
    let body = html! {
        @if let Some(done) = query.given("done") { (said(t, done)) }
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
        return choose(&ctx, &form).await;
    };
    let replayed = ctx.actor.replay_some(asked.which).await?;
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(asked.form.iter());
    query.append_pair("done", &replayed.to_string());
    let path = ctx.at(&format!("/deliveries/replay?{}", query.finish()));
    Ok(Redirect::to(&path).into_response())
}

/// Renders the choice of the webhook.
async fn choose(ctx: &PageContext, form: &Form) -> Result<Response, Failure> {
    let (problems, webhooks) = (
        Problems::none(),
        choices(ctx, form, "webhook", "webhook_urls").await?,
    );
    let (t, none) = (ctx.texts(), ctx.texts().of("frame-picker-choose"));
    let body = html! {
        section {
            form method="get" {
                (layout::picker(t, &problems, "webhook", [&t.of("deliveries-webhook"), ""], &webhooks, "", Some(&none)))
                button { (t.of("deliveries-replay-count")) }
            }
        }
    };
    let title = t.of("deliveries-replay-title");
    Ok(page(ctx, Section::Deliveries, &title, &body).into_response())
}

/// Renders the form that chooses the deliveries.
fn range(t: &Texts, asked: &Asked) -> Markup {
    let problems = Problems::none();
    let states = [("error", "error"), ("sent", "sent"), ("", "both")].map(|(state, word)| {
        let text = t.of(&format!("deliveries-replay-state-{word}"));
        (state.to_owned(), text.into_owned())
    });
    let sheet = Sheet::new(t, "deliveries", &asked.form, &problems);
    html! {
        form.filter method="get" {
            input type="hidden" name="webhook" value=(asked.form.text("webhook"));
            (sheet.fields(QUEUED))
            (sheet.select("state", &states, false))
            (sheet.select("class", &classes(t), false))
            button { (t.of("deliveries-replay-count")) }
        }
    }
}

/// Renders the number of deliveries and the button; without the button if there are none.
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
            @for (name, value) in asked.form.iter() { input type="hidden" name=(name) value=(value); }
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
