//! Parts of a page that refresh themselves.
//!
//! A live part is an element with an id, replaced as a whole. A page contains the address of its
//! live parts; the response to that address has all of them, rendered by the functions that render
//! the page, so that numbers shown together are from one moment.

use std::time::Duration;

use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

use crate::context::PageContext;
use crate::time::exact;

/// The end of the addresses that a page polls: no request for one counts as a visit of the user.
pub(crate) const LIVE: &str = "/live";
/// The interval between refreshes.
const PACE: Duration = Duration::from_secs(3);

/// The live parts of one page.
#[derive(Debug)]
pub(crate) struct Live {
    address: String,
    pace: Duration,
}

impl Live {
    /// Makes parts that are refreshed from this address, which ends with `/live` before its query.
    pub(crate) fn at(address: String) -> Self {
        Self {
            address,
            pace: PACE,
        }
    }

    /// Sets the interval between refreshes: longer for a part that hardly changes any more.
    pub(crate) fn every(self, pace: Duration) -> Self {
        Self { pace, ..self }
    }

    /// Renders a section of the page.
    pub(crate) fn section(&self, id: &str, content: &Markup) -> Markup {
        html! { section id=(id) data-live=(self.address) data-pace=(self.pace.as_secs()) { (content) } }
    }

    /// Renders any other part, even one that is empty at first.
    pub(crate) fn part(&self, id: &str, class: &str, content: &Markup) -> Markup {
        html! { div id=(id) class=(class) data-live=(self.address) data-pace=(self.pace.as_secs()) { (content) } }
    }
}

/// Renders a text for screen readers, which they read politely when it changes.
pub(crate) fn spoken(text: &str) -> Markup {
    html! { span hidden data-say=(text) {} }
}

/// Returns the live parts for a page that refreshes itself.
pub(crate) fn live_parts(ctx: &PageContext, parts: &Markup) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang=(ctx.texts().language()) dir=(ctx.texts().direction()) data-now=(exact(ctx.now())) {
            head { meta charset="utf-8"; title {} }
            body { (parts) }
        }
    };
    page.into_response()
}
