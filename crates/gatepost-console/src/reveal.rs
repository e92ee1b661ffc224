//! The popup that shows a secret once: it is part of the answer that made it and of no other.
//!
//! The answer is given to the POST itself. A redirection would have to keep the secret on the
//! server until it is fetched, where a second tab could fetch it too. So that a reload does not
//! send the form again, the script gives the answer the address of the list; without scripts the
//! form's ticket, which is used up, refuses it.

use apikey_core::{KeyName, RevealedKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};

/// What stands in the popup.
pub(super) struct Secret<'a> {
    pub title: &'a str,
    pub text: &'a str,
    /// What to do with it.
    pub advice: &'a str,
    /// The page behind the popup.
    pub list: &'a str,
    /// The file that Save offers: its name and its content.
    pub file: Option<(String, String)>,
}

/// The popup of a new key, with its `.PAK` file (SPEC 2.1 rule 1).
pub(super) fn key(key: &RevealedKey, name: &KeyName, list: &str) -> Markup {
    let pak = key.pak(name);
    popup(&Secret {
        title: "Your new API key",
        text: key.as_str(),
        advice: "This is the only time that the key is shown. Copy or save it now and treat it like a password. If it is lost, delete it and make a new one.",
        list,
        file: Some((
            pak.file_name().to_owned(),
            // The file is in this answer already: nothing is fetched.
            format!(
                "data:application/octet-stream;base64,{}",
                STANDARD.encode(pak.contents())
            ),
        )),
    })
}

pub(super) fn popup(secret: &Secret<'_>) -> Markup {
    html! {
        dialog open data-once=(secret.list) aria-labelledby="once-title" aria-describedby="once-advice" {
            h2 id="once-title" { (secret.title) }
            p id="once-advice" { (secret.advice) }
            code.secret id="secret" { (secret.text) }
            div.actions {
                button.primary.scripted type="button" data-copy="secret" data-said="copied" autofocus { "Copy" }
                @if let Some((name, href)) = &secret.file {
                    a.button href=(href) download=(name) { "Save " span.unseen { "the key as " } (extension(name)) }
                }
                a.button href=(secret.list) data-close { "Done" }
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
