//! The list of deliveries, with its filter.

use axum::extract::RawQuery;
use axum::response::{IntoResponse, Response};
use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryState};
use maud::{Markup, html};
use webhook_model::WebhookId;

use crate::choices::webhook_choices;
use crate::context::PageContext;
use crate::delivery_list::{DeliveryFilter, newest, webhook_names};
use crate::delivery_rows::rows;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{self, Live, Section, empty, live_parts, more, page, spoken};
use crate::paging::one_page;
use crate::problems::Problems;

/// Rows on a page.
const ROWS: usize = 50;
/// One more row is read, to see whether there is another page.
const READ: u32 = 51;
const STATES: [&str; 4] = ["queued", "running", "sent", "error"];
/// How an attempt may end without success, as the log keeps it.
const CLASSES: [&str; 11] = [
    "build",
    "connect",
    "dns",
    "protocol",
    "proxy",
    "refused",
    "reset",
    "status",
    "timeout",
    "tls",
    "too_large",
];

fn parse_filter(query: &Form) -> DeliveryFilter {
    DeliveryFilter {
        webhook: query.key("webhook").map(WebhookId),
        state: DeliveryState::from_word(query.text("state")),
        class: CLASSES
            .into_iter()
            .find(|class| *class == query.text("class")),
        after: query.key("after").map(DeliveryId),
    }
}

/// The filter as a query string, without the page.
fn to_query(filter: DeliveryFilter) -> String {
    let webhook = filter.webhook.map(|id| format!("webhook={id}"));
    let state = filter
        .state
        .map(|state| format!("state={}", state.as_str()));
    let class = filter.class.map(|class| format!("class={class}"));
    [webhook, state, class]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("&")
}

pub(super) async fn list(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let filter = parse_filter(&query);
    let shown = Shown::read(&ctx, filter, None).await?;
    let body = html! {
        (filter_form(&ctx, filter).await?)
        (shown.part(&ctx).await?)
        (more(&ctx.at("/deliveries"), &to_query(filter), filter.after.is_none(), shown.next.map(|id| id.0)))
    };
    Ok(page(&ctx, Section::Deliveries, "Deliveries", &body).into_response())
}

/// The live part of the page.
pub(super) async fn live(ctx: PageContext, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let top = query.text("top").parse().ok().map(DeliveryId);
    let shown = Shown::read(&ctx, parse_filter(&query), top).await?;
    Ok(live_parts(&ctx, &shown.part(&ctx).await?))
}

/// The rows of one page, which stay where they are while newer ones come.
struct Shown {
    filter: DeliveryFilter,
    /// The newest delivery when the page was opened; on later pages it does not matter.
    top: Option<DeliveryId>,
    rows: Vec<Delivery>,
    next: Option<DeliveryId>,
    /// How many came since.
    newer: usize,
}

impl Shown {
    /// Reads the rows at once. With a `top` those up to it, and how many are above it.
    async fn read(
        ctx: &PageContext,
        filter: DeliveryFilter,
        top: Option<DeliveryId>,
    ) -> Result<Self, Failure> {
        let top = top.filter(|_| filter.after.is_none());
        let mut newer = 0;
        let mut from = filter;
        if let Some(top) = top {
            let newest = newest(ctx, filter, READ).await?.rows;
            newer = newest.iter().filter(|row| row.id > top).count();
            from.after = Some(DeliveryId(top.0.saturating_add(1)));
        }
        let listed = newest(ctx, from, READ).await?;
        let (rows, next) = one_page(listed, ROWS, |delivery| delivery.id);
        let newest_row = rows.first().map_or(DeliveryId(0), |row| row.id);
        Ok(Self {
            filter,
            top: Some(top.unwrap_or(newest_row)),
            rows,
            next,
            newer,
        })
    }

    async fn part(&self, ctx: &PageContext) -> Result<Markup, Failure> {
        let filter_query = to_query(self.filter);
        let is_first = self.filter.after.is_none();
        let place = match (self.filter.after, self.top) {
            (Some(after), _) => format!("after={after}"),
            (None, Some(top)) => format!("top={top}"),
            (None, None) => String::new(),
        };
        let live = Live::at(ctx.at(&format!("/deliveries/live?{place}&{filter_query}")));
        let names = webhook_names(ctx, &self.rows).await?;
        Ok(live.part("deliveries", "", &html! {
            @if self.newer > 0 { p { a.button href=(ctx.at(&format!("/deliveries?{filter_query}"))) { (newer(self.newer)) } (spoken(&newer(self.newer))) } }
            @if !self.rows.is_empty() || !is_first || self.next.is_some() { section { (rows(ctx, &self.rows, &names)) } }
            @else if self.newer > 0 {}
            @else if filter_query.is_empty() {
                (empty("No deliveries yet", "This page lists what webhooks have sent, the responses, and what is waiting to be retried. Run a task manually, or wait for an event.", &html! { a.button href=(ctx.at("/")) { "How webhooks, tasks and events work together" } }))
            } @else {
                (empty("No such deliveries", "No delivery matches the filter.", &html! { a.button href=(ctx.at("/deliveries")) { "All deliveries" } }))
            }
        }))
    }
}

/// The link to the newest rows.
fn newer(count: usize) -> String {
    match count {
        1 => "Show 1 newer delivery".into(),
        count if count > ROWS => format!("Show more than {ROWS} newer deliveries"),
        count => format!("Show {count} newer deliveries"),
    }
}

async fn filter_form(ctx: &PageContext, filter: DeliveryFilter) -> Result<Markup, Failure> {
    let mut webhooks = webhook_choices(ctx).await?;
    let problems = Problems::default();
    let webhook = filter.webhook.map_or_else(String::new, |id| id.to_string());
    let mut states = vec![(String::new(), "All".to_owned())];
    states.extend(STATES.map(|word| (word.to_owned(), word.to_owned())));
    let state = filter.state.map_or("", DeliveryState::as_str);
    let mut classes = vec![(String::new(), "All".to_owned())];
    classes.extend(CLASSES.map(|word| (word.to_owned(), word.to_owned())));
    let class = filter.class.unwrap_or_default();
    let picker = if webhooks.is_empty() {
        layout::picker(&problems, "webhook", "Webhook", &webhooks, &webhook, "")
    } else {
        webhooks.insert(0, (String::new(), "All".to_owned()));
        layout::select(
            &problems, "webhook", "Webhook", &webhooks, &webhook, "", true,
        )
    };
    Ok(html! {
        form.filter method="get" role="search" aria-label="Filter" {
            (picker)
            (layout::select(&problems, "state", "State", &states, state, "", true))
            (layout::select(&problems, "class", "Last failure", &classes, class, "", true))
            button { "Filter" }
        }
    })
}
