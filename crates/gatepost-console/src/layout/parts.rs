//! Small parts of pages.

use std::borrow::Cow;

use gatepost_storage::webhooks::DeliveryState;
use maud::{Markup, html};
use webhook_model::mark_hidden;

use crate::context::PageContext;
use crate::form::Form;
use crate::texts::Texts;

/// Confirmations with a link, and where it leads; its text is called as they are, with `-link`.
const DONE_LINKS: [(&str, &str); 2] = [
    ("tasks-done-created", "/events/new"),
    ("tasks-done-ran", "/deliveries"),
];
/// What Fluent puts around a name in a text.
const ISOLATES: [char; 2] = ['\u{2068}', '\u{2069}'];

/// A name or a description with what cannot be seen in it made visible, such as `[U+202E]`: texts
/// that were stored before such characters were refused.
pub(crate) fn seen(text: &str) -> Cow<'_, str> {
    mark_hidden(text)
}

/// A title, which may be a text with a name in it: as [`seen`], but for the characters that keep
/// the name apart in a language written from right to left.
pub(super) fn seen_title(title: &str) -> String {
    let mut shown = String::new();
    for piece in title.split_inclusive(ISOLATES) {
        let text = piece.trim_end_matches(ISOLATES);
        shown.push_str(&seen(text));
        shown.push_str(piece.get(text.len()..).unwrap_or_default());
    }
    shown
}

/// A coloured word; `kind` is `good`, `bad`, `warn`, `busy` or empty.
pub(crate) fn badge(kind: &str, text: &str) -> Markup {
    html! { span class={ "badge " (kind) } { (text) } }
}

/// The state of a delivery, and the colour of its badge.
pub(crate) fn state(texts: &Texts, of: DeliveryState) -> (Cow<'_, str>, &'static str) {
    let (name, kind) = match of {
        DeliveryState::Queued => ("frame-state-queued", ""),
        DeliveryState::Running => ("frame-state-running", "busy"),
        DeliveryState::Sent => ("frame-state-sent", "good"),
        DeliveryState::Error => ("frame-state-error", "bad"),
    };
    (texts.of(name), kind)
}

/// At most this number of the first bytes of a text, without a character that would be cut.
pub(crate) fn beginning(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// A note above a page's content; `kind` is `good`, `bad`, `warn` or empty.
pub(crate) fn note(kind: &str, content: &Markup) -> Markup {
    html! { div class={ "note " (kind) } role="status" { (content) } }
}

/// What was done, as the address of a page says: `?done=saved` is the text `tasks-done-saved`.
/// Nothing where there is no such text.
pub(crate) fn confirmation(ctx: &PageContext, area: &str, query: &Form) -> Markup {
    let (t, name) = (ctx.texts(), format!("{area}-done-{}", query.text("done")));
    let Some(text) = t.find(&name) else {
        return html! {};
    };
    match DONE_LINKS.iter().find(|(done, _)| *done == name) {
        Some((_, path)) => {
            let link = html! { a href=(ctx.at(path)) { (t.of(&format!("{name}-link"))) } };
            note("good", &t.markup(&name, &[("link", link.into())]))
        }
        None => note("good", &html! { (text) }),
    }
}

/// An empty list: what it will show, and how to start.
pub(crate) fn empty(title: &str, text: &str, action: &Markup) -> Markup {
    html! { section.empty { h2 { (title) } p { (text) } (action) } }
}

/// A form with a single button; `class` is `small`, `danger`, … Where rows have one each, `said` is
/// what screen readers say instead of its text: with the name of the row.
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

/// The box that asks for confirmation, with the reason if a deletion was refused. What leaves
/// everything as it is says Cancel.
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

/// As [`confirm`], with words for both: to do it, and to leave everything as it is.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_a_title_from_right_to_left_stands_apart_and_hides_nothing() {
        let name = seen("ci\u{202e}");
        let texts = Texts::read("ar", "keys-edit-title = تعديل { $name }").unwrap();
        let title = texts.with("keys-edit-title", &[("name", name.into())]);
        let shown = seen_title(&title);
        assert_eq!(shown, "تعديل \u{2068}ci[U+202E]\u{2069}");
        assert_eq!(seen_title("a\u{202e}"), "a[U+202E]");
    }
}
