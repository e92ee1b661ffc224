//! The filter of the list of deliveries: the form, and how it is kept in the address.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{DeliveryId, DeliveryState};
use maud::{Markup, html};
use url::form_urlencoded::Serializer;
use webhook_model::{TaskId, WebhookId};

use super::class::{class, class_choices};
use crate::choices::{task_choices, webhook_choices};
use crate::context::PageContext;
use crate::delivery_list::DeliveryFilter;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{self, InputKind};
use crate::problems::Problems;
use crate::texts::Texts;
use crate::time::{field, parse_field};

const STATES: [DeliveryState; 4] = [
    DeliveryState::Queued,
    DeliveryState::Running,
    DeliveryState::Sent,
    DeliveryState::Error,
];
/// Characters of an id that are compared: no id is longer.
const ID: usize = 128;
/// Bytes of a text that is searched for.
const TEXT: usize = 200;

/// What is no filter is none: the page shows what was understood.
pub(super) fn parse(query: &Form) -> DeliveryFilter {
    let short = |name: &str, most: usize| {
        let text = query.text(name).trim();
        (!text.is_empty() && text.len() <= most).then(|| text.to_owned())
    };
    DeliveryFilter {
        webhook: query.key("webhook").map(WebhookId),
        task: query.key("task").map(TaskId),
        state: DeliveryState::from_word(query.text("state")),
        class: class(query.text("class")),
        status: status(query.text("status")),
        id: short("id", ID),
        text: short("q", TEXT),
        from: parse_field(&query.date("from")),
        before: parse_field(&query.date("before")),
        after: query.key("after").map(DeliveryId),
    }
}

fn status(text: &str) -> Option<u16> {
    let status = text.trim().parse().ok()?;
    (100..=599).contains(&status).then_some(status)
}

/// The filter as a query string, without the page.
pub(super) fn to_query(filter: &DeliveryFilter) -> String {
    let mut query = Serializer::new(String::new());
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            query.append_pair(name, &value);
        }
    };
    add("q", filter.text.clone());
    add("webhook", filter.webhook.map(|id| id.to_string()));
    add("task", filter.task.map(|id| id.to_string()));
    add("state", filter.state.map(|state| state.as_str().into()));
    add("class", filter.class.map(str::to_owned));
    add("status", filter.status.map(|status| status.to_string()));
    add("id", filter.id.clone());
    add("from", filter.from.map(field));
    add("before", filter.before.map(field));
    query.finish()
}

/// The form. What is rarely asked for is folded away, unless it is in use.
pub(super) async fn form(ctx: &PageContext, filter: &DeliveryFilter) -> Result<Markup, Failure> {
    let (t, problems) = (ctx.texts(), Problems::none());
    let of = |id: Option<i64>| id.map_or_else(String::new, |id| id.to_string());
    let webhook = row(
        t,
        "webhook",
        &t.of("deliveries-webhook"),
        webhook_choices(ctx).await?,
        &of(filter.webhook.map(|id| id.0)),
    );
    let task = row(
        t,
        "task",
        &t.of("deliveries-task"),
        task_choices(ctx).await?,
        &of(filter.task.map(|id| id.0)),
    );
    let chosen = filter.state.map_or("", DeliveryState::as_str);
    let class = filter.class.unwrap_or_default();
    let status = of(filter.status.map(i64::from));
    let id = filter.id.as_deref().unwrap_or_default();
    let time = |at: Option<DateTime<Utc>>| at.map_or_else(String::new, field);
    let kinds = InputKind::Number { min: 100, max: 599 };
    let more = filter.task.is_some()
        || filter.status.is_some()
        || filter.id.is_some()
        || filter.from.is_some()
        || filter.before.is_some();
    Ok(html! {
        form.filter method="get" role="search" aria-label=(t.of("deliveries-filter")) {
            (search(t, filter))
            (webhook)
            (layout::select(&problems, "state", &t.of("deliveries-state"), &or_all(t, states(t)), chosen, "", true))
            (layout::select(&problems, "class", &t.of("deliveries-filter-class"), &or_all(t, class_choices(t)), class, "", true))
            details.more open[more] {
                summary { (t.of("deliveries-filter-more")) }
                div.filter {
                    (task)
                    (layout::input(&problems, kinds, "status", &t.of("deliveries-filter-status"), &status, ""))
                    (layout::input(&problems, InputKind::Date, "from", &t.of("deliveries-filter-from"), &time(filter.from), ""))
                    (layout::input(&problems, InputKind::Date, "before", &t.of("deliveries-filter-before"), &time(filter.before), ""))
                    (layout::input(&problems, InputKind::Text { max: ID }, "id", &t.of("deliveries-filter-id"), id, &t.of("deliveries-filter-id-hint")))
                }
            }
            button { (t.of("deliveries-filter-button")) }
            @if !to_query(filter).is_empty() { a.button.plain href=(ctx.at("/deliveries")) { (t.of("lists-clear")) } }
            p.hint id="q-hint" { (t.of("deliveries-filter-text-hint")) }
        }
    })
}

/// What is searched for. Its hint is below the form, as it says more than the field is wide.
fn search(t: &Texts, filter: &DeliveryFilter) -> Markup {
    html! {
        div.field {
            label for="q" { (t.of("lists-search")) }
            input type="search" id="q" name="q" value=[filter.text.as_deref()] maxlength=(TEXT) autocomplete="off" spellcheck="false" aria-describedby="q-hint";
        }
    }
}

/// A choice of rows; of too many to be offered a field for the number.
fn row(
    texts: &Texts,
    name: &str,
    label: &str,
    rows: Vec<(String, String)>,
    chosen: &str,
) -> Markup {
    let problems = Problems::none();
    if rows.is_empty() {
        return layout::picker(texts, &problems, name, label, &rows, chosen, "");
    }
    let rows = or_all(texts, rows);
    layout::select(&problems, name, label, &rows, chosen, "", true)
}

/// The states to choose from.
fn states(texts: &Texts) -> Vec<(String, String)> {
    STATES
        .map(|of| {
            (
                of.as_str().to_owned(),
                layout::state(texts, of).0.into_owned(),
            )
        })
        .into()
}

/// These choices, and first the one that does not filter.
pub(super) fn or_all(texts: &Texts, mut choices: Vec<(String, String)>) -> Vec<(String, String)> {
    let all = texts.of("deliveries-filter-all").into_owned();
    choices.insert(0, (String::new(), all));
    choices
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(query: &str) -> DeliveryFilter {
        parse(&Form::parse(query.as_bytes()))
    }

    #[test]
    fn an_address_says_the_same_filter_again() {
        let query = "q=%C3%A9+%26+%22&webhook=1&task=2&state=error&class=timeout&status=502&id=a%26b%3D%2B&from=2026-11-22T18%3A30&before=2026-11-22T19%3A30";
        assert_eq!(to_query(&filter(query)), query);
        assert_eq!(to_query(&filter("")), "");
    }

    #[test]
    fn what_is_no_filter_is_none() {
        let wrong = "webhook=x&task=-&state=ended&class=ok&status=99&id=%20&from=today&before=x";
        assert_eq!(to_query(&filter(wrong)), "");
        let long = format!("id={}", "x".repeat(ID + 1));
        assert_eq!(to_query(&filter(&long)), "");
        let long = format!("q={}", "x".repeat(TEXT + 1));
        assert_eq!(to_query(&filter(&long)), "");
    }

    #[test]
    fn a_time_may_have_a_zone() {
        let zoned = filter("from=2026-11-22T18:30:00%2B01:00");
        assert_eq!(to_query(&zoned), "from=2026-11-22T17%3A30");
    }
}
