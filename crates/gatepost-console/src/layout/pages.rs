//! The way from one page of a list to those beside it, and to the other order.

use gatepost_storage::Order;
use maud::{Markup, html};

use crate::texts::Texts;

/// The addresses of the pages beside one.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    /// The first page; `None` if this is it.
    pub first: Option<String>,
    pub previous: Option<String>,
    pub next: Option<String>,
}

/// Links to the pages beside this one; nothing where there are none.
pub(crate) fn pager(texts: &Texts, beside: &Beside) -> Markup {
    let Beside {
        first,
        previous,
        next,
    } = beside;
    html! {
        @if first.is_some() || next.is_some() {
            nav.pager aria-label=(texts.of("frame-pages")) {
                @if let Some(first) = first { a.button href=(first) { (texts.of("frame-first-page")) } }
                @if let Some(previous) = previous { a.button rel="prev" href=(previous) { (texts.of("lists-previous-page")) } }
                @if let Some(next) = next { a.button rel="next" href=(next) { (texts.of("frame-next-page")) } }
            }
        }
    }
}

/// The heading of a column by which a list can be sorted, with the order in which it is; `to` is
/// the list in the order that a click asks for.
pub(crate) fn sorted_heading(label: &str, sorted: Option<Order>, to: &str) -> Markup {
    let sorted = sorted.map(|order| match order {
        Order::Ascending => ("ascending", "▲"),
        Order::Descending => ("descending", "▼"),
    });
    html! {
        th scope="col" aria-sort=[sorted.map(|(order, _)| order)] {
            a.sort href=(to) {
                (label)
                @if let Some((_, mark)) = sorted { " " span aria-hidden="true" { (mark) } }
            }
        }
    }
}
