//! How a receiver verifies signatures, as code to copy. It names where the secret is to be put and
//! never holds one.

use maud::{Markup, html};
use webhook_model::SigningSecret;

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
pub(super) fn section(scheme: Scheme, public_key: Option<&str>) -> Markup {
    html! {
        section id="verify" {
            h2 { "Verify signatures" }
            p {
                "Each request carries " code { "webhook-id" } ", " code { "webhook-timestamp" } " and " code { "webhook-signature" }
                " (" a href="https://www.standardwebhooks.com/" rel="noreferrer" { "Standard Webhooks" } "). Verify the bytes of the body as they arrived, before any JSON parser, and refuse a request that does not verify."
            }
            @match scheme {
                Scheme::Hmac => p { "Keep the signing secret where your code reads secrets; the code below expects it in " code { "WEBHOOK_SECRET" } "." },
                Scheme::Ed25519 => p { "You need the public key only, which is no secret; the code below expects it in " code { "WEBHOOK_PUBLIC_KEY" } "." },
            }
            @if let Some(key) = public_key { p { "Public key: " code { (key) } } }
            @for snippet in &SNIPPETS {
                details {
                    summary { (snippet.language) }
                    pre tabindex="0" aria-label={ "Verification in " (snippet.language) } { (scheme.code(snippet)) }
                }
            }
            p.quiet { "A webhook ID is the same for all attempts of a delivery: a receiver that remembers it can ignore repeats. The ID of a test begins with " code { "msg_test_" } "." }
        }
    }
}
