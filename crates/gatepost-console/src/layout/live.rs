//! Parts of a page that refresh themselves.
//!
//! One rule: what is live is an element with an id, replaced whole. A page names the address of its
//! live parts; the response to that address has all of them, rendered by the functions that render
//! the page, so that figures that are seen together are of one moment.

use std::time::Duration;

use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

use crate::context::PageContext;
use crate::time::exact;

/// How the addresses end that a page asks by itself: no visit of a user, whoever asks.
pub(crate) const LIVE: &str = "/live";
/// How long a page waits before it asks again.
const PACE: Duration = Duration::from_secs(3);

/// The live parts of one page.
#[derive(Debug)]
pub(crate) struct Live {
    address: String,
    pace: Duration,
}

impl Live {
    /// Parts that are asked for at this address, which ends with `/live` before its query.
    pub(crate) fn at(address: String) -> Self {
        Self {
            address,
            pace: PACE,
        }
    }

    /// How long to wait before asking again: longer for what hardly changes any more.
    pub(crate) fn every(self, pace: Duration) -> Self {
        Self { pace, ..self }
    }

    /// A section of the page.
    pub(crate) fn section(&self, id: &str, content: &Markup) -> Markup {
        html! { section id=(id) data-live=(self.address) data-pace=(self.pace.as_secs()) { (content) } }
    }

    /// Any other part, also one that is empty for now.
    pub(crate) fn part(&self, id: &str, class: &str, content: &Markup) -> Markup {
        html! { div id=(id) class=(class) data-live=(self.address) data-pace=(self.pace.as_secs()) { (content) } }
    }

    /// The buttons beside the title.
    pub(crate) fn actions(&self, buttons: &Markup) -> Markup {
        self.part("actions", "actions", buttons)
    }
}

/// What changed, for screen readers: said politely when the text is another than before.
pub(crate) fn spoken(text: &str) -> Markup {
    html! { span hidden data-say=(text) {} }
}

/// The response to a page that asks for its live parts.
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
