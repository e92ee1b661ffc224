//! The form that filters and sorts the list of deliveries.

use gatepost_storage::webhooks::DeliveryState;
use maud::{Markup, html};

use super::asked::{Asked, SORT};
use crate::choices::{task_choices, webhook_choices};
use crate::context::PageContext;
use crate::delivery_filter::{self, BY_ID, STATUS, TEXT, classes, or_all};
use crate::failure::Failure;
use crate::problems::Problems;
use crate::sheet::Sheet;
use crate::{delivery_rows, layout};

const STATES: [DeliveryState; 4] = [
    DeliveryState::Queued,
    DeliveryState::Running,
    DeliveryState::Sent,
    DeliveryState::Error,
];
/// Fields that are rarely asked for.
const RARE: [&str; 5] = ["task", "status", "id", "from", "before"];

/// The form. What is rarely asked for is folded away, unless it is in use.
pub(super) async fn form(ctx: &PageContext, asked: &Asked) -> Result<Markup, Failure> {
    let (t, none, filter) = (ctx.texts(), Problems::none(), &asked.filter);
    let sheet = Sheet {
        texts: t,
        area: "deliveries",
        form: filter.form(),
        problems: &none,
    };
    let (webhooks, tasks) = (webhook_choices(ctx).await?, task_choices(ctx).await?);
    let state = |of: DeliveryState| (of.as_str().into(), layout::state(t, of).0.into_owned());
    let states = or_all(t, STATES.map(state).into());
    let orders = [
        ("", "lists-newest"),
        (delivery_rows::QUEUED, "lists-oldest"),
    ];
    let orders = orders.map(|(order, text)| (order.to_owned(), t.of(text).into_owned()));
    Ok(html! {
        form.filter method="get" role="search" aria-label=(t.of("deliveries-filter")) {
            // Its hint is below the form, as it says more than the field is wide.
            div.field {
                label for="q" { (t.of("lists-search")) }
                input type="search" id="q" name="q" value=[filter.form().given("q")] maxlength=(TEXT) autocomplete="off" spellcheck="false" aria-describedby="q-hint";
            }
            (row(&sheet, "webhook", webhooks))
            (sheet.select("state", &states, true))
            (sheet.select("class", &classes(t), true))
            (layout::select(&none, SORT, &t.of("lists-sort"), &orders, asked.order_word(), "", true))
            details.more open[RARE.iter().any(|field| filter.has(field))] {
                summary { (t.of("deliveries-filter-more")) }
                div.filter {
                    (row(&sheet, "task", tasks))
                    (sheet.field(&STATUS, ""))
                    (sheet.fields(delivery_filter::QUEUED))
                    (sheet.field(&BY_ID, ""))
                }
            }
            button { (t.of("deliveries-filter-button")) }
            @if !filter.to_query().is_empty() { a.button.plain href=(ctx.at("/deliveries")) { (t.of("lists-clear")) } }
            p.hint id="q-hint" { (t.of("deliveries-filter-text-hint")) }
        }
    })
}

/// A choice of rows; of too many to be offered a field for the number.
fn row(sheet: &Sheet<'_>, name: &str, rows: Vec<(String, String)>) -> Markup {
    match rows.is_empty() {
        true => sheet.picker(name, &rows),
        false => sheet.select(name, &or_all(sheet.texts, rows), true),
    }
}
