//! The popup that shows a secret once: only in the response to the request that created it.
//!
//! It is in the response to the POST itself. A redirect would have to keep the secret on the server
//! until it is fetched, and a second tab could fetch it too. So that a reload does not send the
//! form again, the script sets the address of the page to that of the list; without scripts, the
//! form's used ticket is refused.

use apikey_core::{KeyName, RevealedKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};
use webhook_model::mark_hidden;

use crate::texts::Texts;

/// The content of the popup.
pub(crate) struct Reveal<'a> {
    pub title: &'a str,
    /// The secret.
    pub text: &'a str,
    /// The advice on how to handle the secret.
    pub advice: &'a str,
    /// The page behind the popup: a path without a query.
    pub list: &'a str,
    /// The file that Save offers: its name and its content.
    pub file: Option<(String, String)>,
}

/// Renders the popup of a new key, with its `.PAK` file (SPEC 2.1 rule 1) and a command that uses
/// it, if the address of the API is known.
pub(crate) fn key(
    texts: &Texts,
    key: &RevealedKey,
    name: &KeyName,
    list: &str,
    api: Option<&str>,
) -> Markup {
    let pak = key.pak(name);
    let reveal = Reveal {
        title: &texts.of("keys-once-title"),
        text: key.as_str(),
        advice: &texts.of("keys-once-advice"),
        list,
        file: Some((
            pak.file_name().to_owned(),
            // The file is part of this page: nothing is fetched.
            format!(
                "data:application/octet-stream;base64,{}",
                STANDARD.encode(pak.contents())
            ),
        )),
    };
    let name = html! { strong { (mark_hidden(name.as_str())) } };
    let above = html! { p { (texts.markup("keys-once-name", &[("name", name.into())])) } };
    let below = html! { @if let Some(api) = api { (command(texts, key, api)) } };
    popup_with(texts, &reveal, &above, &below)
}

pub(crate) fn popup(texts: &Texts, reveal: &Reveal<'_>) -> Markup {
    popup_with(texts, reveal, &html! {}, &html! {})
}

/// Renders the popup. If nothing was copied or saved, the script asks before it closes the popup;
/// without scripts, the form asks.
fn popup_with(t: &Texts, reveal: &Reveal<'_>, above: &Markup, below: &Markup) -> Markup {
    let save = |file| t.with("forms-once-save", &[("extension", extension(file).into())]);
    html! {
        dialog open closedby="none" data-once=(reveal.list) aria-labelledby="once-title" aria-describedby="once-advice" {
            h2 id="once-title" { (reveal.title) }
            p id="once-advice" { (reveal.advice) }
            (above)
            code.secret id="secret" { (reveal.text) }
            div.actions {
                button.primary.scripted type="button" data-copy="secret" data-said="copied" autofocus { (t.of("forms-once-copy")) }
                @if let Some((name, href)) = &reveal.file {
                    a.button href=(href) download=(name) { (save(name)) }
                }
                a.button.scripted href=(reveal.list) data-close { (t.of("forms-once-done")) }
                span.quiet id="copied" role="status" { span.unscripted { (t.of("forms-once-select")) } }
            }
            (below)
            div.note.warn data-ask hidden role="alert" {
                p { (t.of("forms-once-unsaved")) }
                div.actions {
                    button.primary type="button" data-stay { (t.of("forms-once-back")) }
                    button.danger type="button" data-discard { (t.of("forms-once-discard")) }
                }
            }
            form.unscripted.done method="get" action=(reveal.list) {
                label.check { input type="checkbox" required; span { (t.of("forms-once-kept")) } }
                button { (t.of("forms-once-done")) }
            }
        }
    }
}

/// Renders a request that works when it is pasted: the one that the specification shows (SPEC 4).
fn command(texts: &Texts, key: &RevealedKey, api: &str) -> Markup {
    let header = format!("Authorization: Bearer {}", key.as_str());
    let url = format!("{api}/system");
    let line = format!("curl -H {} {}", quoted(&header), quoted(&url));
    html! {
        h3 { (texts.of("keys-once-try")) }
        code.secret id="command" { (line) }
        div.actions.scripted { button type="button" data-copy="command" data-said="copied" { (texts.of("keys-once-copy-command")) } }
    }
}

/// Quotes a text as one word for a POSIX shell: within single quotes only the closing quote is
/// special.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns the extension: `.PAK`.
fn extension(file: &str) -> &str {
    file.rfind('.')
        .and_then(|at| file.get(at..))
        .unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_the_quotes() {
        for (text, word) in [
            ("a b", "'a b'"),
            (r"$x `id` !! \", r"'$x `id` !! \'"),
            ("it's", r"'it'\''s'"),
            ("'", r"''\'''"),
        ] {
            assert_eq!(quoted(text), word);
        }
    }
}
