//! The pages about a webhook's signatures: the present state, the next step, and code with which a
//! receiver verifies them. The code says where to insert the secret and never contains one.

use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use webhook_model::{DeliveryMode, SigningSecret, WebhookId};

use super::list::WebhookRow;
use super::tabs::tabs;
use crate::context::PageContext;
use crate::csrf::Tickets;
use crate::failure::Failure;
use crate::layout::{self, Above, Head, Section, page, page_of, seen};
use crate::row_id::RowId;
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

/// Renders whether deliveries are signed, and the link to change that.
pub(super) fn signing_controls(ctx: &PageContext, row: &WebhookRow, path: &str) -> Markup {
    let (t, active) = (ctx.texts(), row.value.signing.iter().count());
    html! {
        p.quiet {
            @match active {
                0 => (t.of("webhooks-signing-none")),
                1 => (t.of("webhooks-signing-one")),
                _ => (t.of("webhooks-signing-two")),
            }
        }
        div.actions {
            @if active == 0 { (new_secret(ctx, path, &t.of("webhooks-signing-create"))) }
            a.button href={ (path) "/signing" } {
                @match active {
                    0 => (t.of("webhooks-signing-page-none")),
                    1 => (t.of("webhooks-signing-page-one")),
                    _ => (t.of("webhooks-signing-page-two")),
                }
            }
        }
    }
}

pub(super) async fn show(ctx: PageContext, RowId(id): RowId) -> Result<Response, Failure> {
    let row = ctx.actor.webhook(WebhookId(id)).await?;
    let (t, path) = (ctx.texts(), ctx.at(&format!("/webhooks/{id}")));
    let name = seen(row.value.name.as_str());
    let newest = row.value.signing.iter().next();
    let scheme = newest.map_or(Scheme::Hmac, Scheme::of);
    let public_key = newest.and_then(SigningSecret::public_key);
    let body = html! {
        (tabs(&ctx, row.id, "signing"))
        (rotation(&ctx, &row, &path))
        (verify_section(t, scheme, public_key.as_deref()))
    };
    let head = Head {
        trail: html! { a href=(path) { (name) } },
        title: &t.with("webhooks-signing-page-title", &[("name", (&*name).into())]),
        ..Head::default()
    };
    let above = Above::Note(html! {});
    Ok(page_of(&ctx, Section::Webhooks, &head, &above, &body).into_response())
}

/// Renders the steps of a rotation; the number of secrets that sign shows the present step.
fn rotation(ctx: &PageContext, row: &WebhookRow, path: &str) -> Markup {
    let (t, active) = (ctx.texts(), row.value.signing.iter().count());
    let steps = [
        t.of("webhooks-signing-step-add"),
        t.of("webhooks-signing-step-give"),
        t.of("webhooks-signing-step-test"),
        t.of("webhooks-signing-step-remove"),
    ];
    let next = match active {
        0 | 1 => 0,
        _ => 1,
    };
    html! {
        section {
            h2 { (t.of("webhooks-signing-secret-title")) }
            p { @match active {
                0 => (t.of("webhooks-signing-none")),
                1 => (t.of("webhooks-signing-guide-one")),
                2 => (t.of("webhooks-signing-guide-two")),
                _ => (t.of("webhooks-signing-guide-more")),
            } }
            @if active == 0 { (new_secret(ctx, path, &t.of("webhooks-signing-create"))) }
            @else {
                ol.guide {
                    @for (at, text) in steps.iter().enumerate() {
                        li.done[at < next] aria-current=[(at == next).then_some("step")] {
                            @if at < next { span.unseen { (t.of("webhooks-signing-step-done")) " " } }
                            (text)
                            @match at {
                                0 if active == 1 => (new_secret(ctx, path, &t.of("webhooks-signing-rotate"))),
                                2 if active > 1 && row.value.mode == DeliveryMode::Push => p { a href={ (path) "/test" } { (t.of("webhooks-test-button")) } },
                                3 if active > 1 => p { a.button href={ (path) "/signing/retire" } { (t.of("webhooks-signing-retire")) } },
                                _ => {}
                            }
                        }
                    }
                }
                p { a.button.danger href={ (path) "/signing/remove" } { (t.of("webhooks-signing-stop")) } }
            }
        }
    }
}

/// Renders the button that creates a secret, which is then shown once.
fn new_secret(ctx: &PageContext, path: &str, text: &str) -> Markup {
    html! {
        form method="post" action={ (path) "/signing" } {
            input type="hidden" name="csrf" value=(ctx.csrf);
            input type="hidden" name="ticket" value=(Tickets::issue());
            button { (text) }
        }
    }
}

/// Renders the confirmation before secrets are removed; its texts are named after `what`.
async fn question(ctx: &PageContext, id: i64, what: &str) -> Result<Markup, Failure> {
    let (t, row) = (ctx.texts(), ctx.actor.webhook(WebhookId(id)).await?);
    let text = format!("webhooks-signing-{what}");
    let asked = html! { p { (t.of(&format!("{text}-question"))) } };
    let back = ctx.at(&format!("/webhooks/{id}/signing"));
    let body = layout::confirm(ctx, &asked, &t.of(&text), &back, &html! {}, None);
    let name = seen(row.value.name.as_str());
    let title = t.with(&format!("{text}-title"), &[("name", name.into())]);
    Ok(page(ctx, Section::Webhooks, &title, &body))
}

pub(super) async fn ask_remove(ctx: PageContext, RowId(id): RowId) -> Result<Markup, Failure> {
    question(&ctx, id, "stop").await
}

pub(super) async fn ask_retire(ctx: PageContext, RowId(id): RowId) -> Result<Markup, Failure> {
    question(&ctx, id, "retire").await
}

/// The scheme with which a secret signs (Standard Webhooks).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Scheme {
    /// `v1`: HMAC-SHA-256 with a secret that both sides have.
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

/// Renders the section of the page about verification.
fn verify_section(texts: &Texts, scheme: Scheme, public_key: Option<&str>) -> Markup {
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
