//! The popup that shows a secret once: only in the response to the request that created it.
//!
//! It is in the response to the POST itself. A redirect would have to keep the secret on the server
//! until it is fetched, and a second tab could fetch it too. So that a reload does not send the
//! form again, the script gives the page the address of the list; without scripts, the form's used
//! ticket refuses it.

use apikey_core::{KeyName, RevealedKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};

/// The content of the popup.
pub(crate) struct Reveal<'a> {
    pub title: &'a str,
    pub text: &'a str,
    /// What to do with the secret.
    pub advice: &'a str,
    /// The page behind the popup.
    pub list: &'a str,
    /// The file that Save offers: its name and its content.
    pub file: Option<(String, String)>,
}

/// The popup of a new key, with its `.PAK` file (SPEC 2.1 rule 1).
pub(crate) fn key(key: &RevealedKey, name: &KeyName, list: &str) -> Markup {
    let pak = key.pak(name);
    popup(&Reveal {
        title: "Your new API key",
        text: key.as_str(),
        advice: "This is the only time that the key is shown. Copy or save it now, and treat it like a password. If you lose it, delete the key and create a new one.",
        list,
        file: Some((
            pak.file_name().to_owned(),
            // The file is part of this page: nothing is fetched.
            format!(
                "data:application/octet-stream;base64,{}",
                STANDARD.encode(pak.contents())
            ),
        )),
    })
}

pub(crate) fn popup(reveal: &Reveal<'_>) -> Markup {
    html! {
        dialog open data-once=(reveal.list) aria-labelledby="once-title" aria-describedby="once-advice" {
            h2 id="once-title" { (reveal.title) }
            p id="once-advice" { (reveal.advice) }
            code.secret id="secret" { (reveal.text) }
            div.actions {
                button.primary.scripted type="button" data-copy="secret" data-said="copied" autofocus { "Copy" }
                @if let Some((name, href)) = &reveal.file {
                    a.button href=(href) download=(name) { "Save " span.unseen { "the key as " } (extension(name)) }
                }
                a.button href=(reveal.list) data-close { "Done" }
                span.quiet id="copied" role="status" { span.unscripted { "Select the text to copy it." } }
            }
        }
    }
}

/// `.PAK`
fn extension(file: &str) -> &str {
    file.rfind('.')
        .and_then(|at| file.get(at..))
        .unwrap_or(file)
}
