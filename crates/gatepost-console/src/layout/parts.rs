//! Small parts of pages, and the links from one page of a list to others.

use std::borrow::Cow;

use gatepost_storage::Order;
use gatepost_storage::webhooks::DeliveryState;
use http::StatusCode;
use maud::{Markup, html};
use webhook_model::mark_hidden;

use crate::context::PageContext;
use crate::form::Form;
use crate::texts::Texts;

/// The confirmations with a link, and its path, which ends with the new record if it ends with `=`;
/// the text of the link has the same name with `-link`.
const DONE_LINKS: [(&str, &str); 3] = [
    ("tasks-done-created", "/events/new?task="),
    ("tasks-done-ran", "/deliveries"),
    ("events-done-triggered", "/deliveries"),
];
/// The characters that Fluent puts around a name in a text.
const ISOLATES: [char; 2] = ['\u{2068}', '\u{2069}'];
/// The part of the list's address that names the record: `tasks/3`.
pub(crate) const RECORD: &str = "record";

/// Returns a name or a description with its invisible characters made visible, such as `[U+202E]`:
/// they may be in texts that were stored by older versions.
pub(crate) fn seen(text: &str) -> Cow<'_, str> {
    mark_hidden(text)
}

/// Returns a title, which may be a text with a name in it: as [`seen`], except for the characters
/// that isolate the name in a language written from right to left.
pub(super) fn seen_title(title: &str) -> String {
    let mut shown = String::new();
    for piece in title.split_inclusive(ISOLATES) {
        let text = piece.trim_end_matches(ISOLATES);
        shown.push_str(&seen(text));
        shown.push_str(piece.get(text.len()..).unwrap_or_default());
    }
    shown
}

/// Renders a coloured word; `kind` is `good`, `bad`, `warn`, `busy` or empty.
pub(crate) fn badge(kind: &str, text: &str) -> Markup {
    html! { span class={ "badge " (kind) } { (text) } }
}

/// Returns the stored state of a delivery, and the colour of its badge.
pub(crate) fn state(texts: &Texts, of: DeliveryState) -> (Cow<'_, str>, &'static str) {
    let (name, kind) = match of {
        DeliveryState::Queued => ("frame-state-queued", ""),
        DeliveryState::Running => ("frame-state-running", "busy"),
        DeliveryState::Sent => ("frame-state-sent", "good"),
        DeliveryState::Error => ("frame-state-error", "bad"),
    };
    (texts.of(name), kind)
}

/// Renders the status code of a response: `404`.
pub(crate) fn code(status: u16) -> Markup {
    let is_good = (200..300).contains(&status);
    html! { code class={ "code " (if is_good { "good" } else { "bad" }) } { (status) } }
}

/// Renders the status of a response with its reason phrase: `404 Not Found`.
pub(crate) fn status_line(status: u16) -> Markup {
    let known = StatusCode::from_u16(status).ok();
    let reason = known.and_then(|status| status.canonical_reason());
    html! { (code(status)) @if let Some(reason) = reason { " " code { (reason) } } }
}

/// Returns at most this number of the first bytes of a text, cut between two characters.
pub(crate) fn beginning(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// Renders a note above a page's content; `kind` is `good`, `bad`, `warn` or empty.
pub(crate) fn note(kind: &str, content: &Markup) -> Markup {
    html! { div class={ "note " (kind) } role="status" { (content) } }
}

/// Renders the confirmation that the address of a page names: `?done=saved` is the text
/// `tasks-done-saved`. Nothing if there is no such text.
pub(crate) fn confirmation(ctx: &PageContext, area: &str, query: &Form) -> Markup {
    let (t, name) = (ctx.texts(), format!("{area}-done-{}", query.text("done")));
    let Some(text) = t.find(&name) else {
        return html! {};
    };
    match DONE_LINKS.iter().find(|(done, _)| *done == name) {
        Some((_, path)) => {
            let new = query.key("new").filter(|_| path.ends_with('='));
            let to = format!(
                "{path}{}",
                new.map_or_else(String::new, |id| id.to_string())
            );
            let link = html! { a href=(ctx.at(&to)) { (t.of(&format!("{name}-link"))) } };
            note("good", &t.markup(&name, &[("link", link.into())]))
        }
        None => note("good", &html! { (text) }),
    }
}

/// Renders an empty list: what it will show, and how to start.
pub(crate) fn empty(title: &str, text: &str, action: &Markup) -> Markup {
    html! { section.empty { h2 { (title) } p { (text) } (action) } }
}

/// Renders a form with a single button; `class` is `small`, `danger`, … If each row has one, `said`
/// is its text for screen readers: with the name of the row.
pub(crate) fn one_button(
    ctx: &PageContext,
    action: &str,
    class: &str,
    text: &str,
    said: Option<&str>,
) -> Markup {
    html! {
        form method="post" action=(action) {
            input type="hidden" name="csrf" value=(ctx.csrf);
            button class=(class) aria-label=[said] { (text) }
        }
    }
}

/// Renders a button that copies an element's text, with its own text for screen readers; it needs
/// the script.
pub(crate) fn copy(id: &str, text: &str, said: Option<&str>) -> Markup {
    html! { span.scripted {
        button.small type="button" data-copy=(id) data-said={ (id) "-copied" } aria-label=[said] { (text) }
        " " span.quiet id={ (id) "-copied" } role="status" {}
    } }
}

/// Renders rarely used links and buttons, folded; `id` keeps them open while the page refreshes.
pub(crate) fn menu(texts: &Texts, id: &str, items: &Markup) -> Markup {
    html! {
        details.menu id=(id) {
            summary.button aria-label=(texts.of("frame-more-actions")) { "…" }
            div { (items) }
        }
    }
}

/// Renders the box that asks for confirmation, with the reason if a deletion was refused. The
/// button that changes nothing is named Cancel.
pub(crate) fn confirm(
    ctx: &PageContext,
    what: &Markup,
    button: &str,
    back: &str,
    more: &Markup,
    refusal: Option<&str>,
) -> Markup {
    let cancel = ctx.texts().of("frame-cancel");
    confirm_or(ctx, what, [button, &cancel], back, more, refusal)
}

/// Does the same as [`confirm`], with texts for both buttons.
pub(crate) fn confirm_or(
    ctx: &PageContext,
    what: &Markup,
    [button, keep]: [&str; 2],
    back: &str,
    more: &Markup,
    refusal: Option<&str>,
) -> Markup {
    html! {
        section {
            (what)
            @if let Some(refusal) = refusal { div.note.bad role="alert" { strong { (ctx.texts().of("frame-nothing-deleted")) } " " (refusal) } }
            form method="post" {
                input type="hidden" name="csrf" value=(ctx.csrf);
                (more)
                div.submit {
                    button.danger { (button) }
                    a.button href=(back) { (keep) }
                }
            }
        }
    }
}

/// The addresses of the neighbouring pages.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    /// The first page; `None` if this is it.
    pub first: Option<String>,
    pub previous: Option<String>,
    pub next: Option<String>,
}

/// Renders links to the neighbouring pages; nothing if there are none.
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

/// Renders the heading of a column by which a list can be sorted, with its present order; `to` is
/// the address of the list in the order that a click selects.
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

/// Renders a button that leads to the changes of a record; nothing if there is no audit log.
pub(crate) fn changes_link(ctx: &PageContext, table: &str, row: i64) -> Markup {
    let to = format!("/changes?{RECORD}={table}%2F{row}");
    html! { @if ctx.actor.has_audit_log() { a.button href=(ctx.at(&to)) { (ctx.texts().of("changes-title")) } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_to_left_title_isolates_and_escapes_name() {
        let name = seen("ci\u{202e}");
        let texts = Texts::read("ar", "keys-edit-title = تعديل { $name }").unwrap();
        let title = texts.with("keys-edit-title", &[("name", name.into())]);
        let shown = seen_title(&title);
        assert_eq!(shown, "تعديل \u{2068}ci[U+202E]\u{2069}");
        assert_eq!(seen_title("a\u{202e}"), "a[U+202E]");
    }
}
