//! How a receiver verifies signatures, as code to copy. It names where the secret is to be put and
//! never holds one.

use maud::{Markup, html};
use webhook_model::SigningSecret;

use crate::texts::Texts;

const SNIPPETS: [Snippet; 4] = [
    Snippet {
        language: "Python",
        hmac: include_str!("../assets/verify/hmac.py"),
        ed25519: include_str!("../assets/verify/ed25519.py"),
    },
    Snippet {
        language: "JavaScript (Node)",
        hmac: include_str!("../assets/verify/hmac.mjs"),
        ed25519: include_str!("../assets/verify/ed25519.mjs"),
    },
    Snippet {
        language: "Go",
        hmac: include_str!("../assets/verify/hmac.go"),
        ed25519: include_str!("../assets/verify/ed25519.go"),
    },
    Snippet {
        language: "Rust",
        hmac: include_str!("../assets/verify/hmac.rs"),
        ed25519: include_str!("../assets/verify/ed25519.rs"),
    },
];

/// How a secret signs (Standard Webhooks).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Scheme {
    /// `v1`: HMAC-SHA-256 under a secret that both sides have.
    Hmac,
    /// `v1a`: Ed25519; the receiver has the public half of a key.
    Ed25519,
}

/// The code of one language for each scheme.
struct Snippet {
    language: &'static str,
    hmac: &'static str,
    ed25519: &'static str,
}

impl Scheme {
    pub(super) fn of(secret: &SigningSecret) -> Self {
        if secret.public_key().is_some() {
            Self::Ed25519
        } else {
            Self::Hmac
        }
    }

    fn code(self, snippet: &Snippet) -> &'static str {
        match self {
            Self::Hmac => snippet.hmac,
            Self::Ed25519 => snippet.ed25519,
        }
    }
}

/// The section of the page about signing.
pub(super) fn section(texts: &Texts, scheme: Scheme, public_key: Option<&str>) -> Markup {
    let t = texts;
    let code = |text: &str| html! { code { (text) } }.into();
    let standard = html! { a href="https://www.standardwebhooks.com/" rel="noreferrer" { "Standard Webhooks" } };
    let headers = [
        ("id", code("webhook-id")),
        ("timestamp", code("webhook-timestamp")),
        ("signature", code("webhook-signature")),
        ("standard", standard.into()),
    ];
    let repeats = [("id", code("webhook-id")), ("prefix", code("msg_test_"))];
    html! {
        section id="verify" {
            h2 { (t.of("webhooks-verify-title")) }
            p { (t.markup("webhooks-verify", &headers)) }
            p { @match scheme {
                Scheme::Hmac => (t.markup("webhooks-verify-hmac", &[("variable", code("WEBHOOK_SECRET"))])),
                Scheme::Ed25519 => (t.markup("webhooks-verify-ed25519", &[("variable", code("WEBHOOK_PUBLIC_KEY"))])),
            } }
            @if let Some(key) = public_key { p { (t.markup("webhooks-verify-public-key", &[("key", code(key))])) } }
            @for snippet in &SNIPPETS {
                details {
                    summary { (snippet.language) }
                    pre tabindex="0" aria-label=(t.with("webhooks-verify-sample", &[("language", snippet.language.into())])) { (scheme.code(snippet)) }
                }
            }
            p.quiet { (t.markup("webhooks-verify-repeats", &repeats)) }
        }
    }
}
