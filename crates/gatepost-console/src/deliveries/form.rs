//! The form that filters and sorts the list of deliveries.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::DeliveryState;
use maud::{Markup, html};

use super::asked::{Asked, OLDEST_FIRST, SORT};
use super::class::class_choices;
use super::filter::{ID, TEXT, to_query};
use crate::choices::{task_choices, webhook_choices};
use crate::context::PageContext;
use crate::delivery_list::DeliveryFilter;
use crate::failure::Failure;
use crate::layout::{self, InputKind};
use crate::problems::Problems;
use crate::texts::Texts;
use crate::time::field;

const STATES: [DeliveryState; 4] = [
    DeliveryState::Queued,
    DeliveryState::Running,
    DeliveryState::Sent,
    DeliveryState::Error,
];

/// The form. What is rarely asked for is folded away, unless it is in use.
pub(super) async fn form(ctx: &PageContext, asked: &Asked) -> Result<Markup, Failure> {
    let (t, problems, filter) = (ctx.texts(), Problems::none(), &asked.filter);
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
            (layout::select(&problems, SORT, &t.of("lists-sort"), &orders(t), asked.order_word(), "", true))
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

/// The orders to choose from.
fn orders(texts: &Texts) -> Vec<(String, String)> {
    vec![
        (String::new(), texts.of("lists-newest").into_owned()),
        (
            OLDEST_FIRST.to_owned(),
            texts.of("lists-oldest").into_owned(),
        ),
    ]
}

/// These choices, and first the one that does not filter.
pub(super) fn or_all(texts: &Texts, mut choices: Vec<(String, String)>) -> Vec<(String, String)> {
    let all = texts.of("deliveries-filter-all").into_owned();
    choices.insert(0, (String::new(), all));
    choices
}
