//! The fields of a webhook's form.

use std::borrow::Cow;

use maud::{Markup, html};
use webhook_model::{AuthorizationKind, ClientAuthentication, ClientIdentity, DeliveryMode};

use super::form::{AuthorizationFields, HeaderFields, OAuth2Fields, WebhookForm};
use super::target::hint;
use super::{client_certificate, labels};
use crate::context::PageContext;
use crate::layout::{self, Column, InputKind};
use crate::problems::Problems;
use crate::texts::Texts;

/// How the form of a new webhook differs from that of an existing one.
pub(super) struct FormOptions<'a> {
    pub ticket: Option<String>,
    /// The existing webhook.
    pub id: Option<i64>,
    /// Whether a secret is stored.
    pub stored: bool,
    /// The client certificate that is stored.
    pub identity: Option<&'a ClientIdentity>,
}

pub(super) fn fields(
    ctx: &PageContext,
    form: &WebhookForm,
    problems: &Problems,
    options: &FormOptions<'_>,
) -> Markup {
    let t = ctx.texts();
    let (check, back, button) = match options.id {
        Some(id) => (
            format!("/webhooks/check?id={id}"),
            format!("/webhooks/{id}"),
            t.of("webhooks-save-button"),
        ),
        None => (
            "/webhooks/check".to_owned(),
            "/webhooks".to_owned(),
            t.of("webhooks-create-button"),
        ),
    };
    html! {
        (layout::errors(t, problems))
        form.main method="post" action=(ctx.own()) novalidate data-check=(ctx.at(&check)) {
            input type="hidden" name="csrf" value=(ctx.csrf);
            @if let Some(ticket) = &options.ticket { input type="hidden" name="ticket" value=(ticket); }
            button.unseen tabindex="-1" aria-hidden="true" { (button) }
            section {
                (layout::input(problems, InputKind::Text { max: 128 }, "name", &t.of("webhooks-form-name"), &form.name, &t.of("webhooks-form-name-hint")))
                (layout::input(problems, InputKind::Text { max: 2048 }, "url", &t.of("webhooks-form-url"), &form.url, &t.of("webhooks-form-url-hint")))
                @let about_url = hint(ctx, &form.url);
                p.note.warn data-hint="url" hidden[about_url.is_empty()] { (about_url) }
                (mode(t, form, problems))
                (authorization(t, &form.authorization, problems, options))
            }
            section { (headers(t, &form.headers, problems)) }
            section { (delivery(t, form, problems, options)) }
            section { (client_certificate::fields(ctx, &form.client_identity, problems, options.identity)) }
            div.submit {
                button.primary { (button) }
                a.button href=(ctx.at(&back)) { (t.of("frame-cancel")) }
            }
        }
    }
}

/// Whether messages are sent or fetched.
fn mode(texts: &Texts, form: &WebhookForm, problems: &Problems) -> Markup {
    let t = texts;
    let (push, fetch) = (
        t.of("webhooks-form-mode-push"),
        t.of("webhooks-form-mode-fetch"),
    );
    let modes = [
        (DeliveryMode::Push.as_str(), &*push),
        (DeliveryMode::Fetch.as_str(), &*fetch),
    ];
    html! {
        (layout::radios(problems, "delivery_mode", &t.of("webhooks-form-mode"), &modes, &form.mode))
        div.when.fetch { p.note { (t.of("webhooks-form-mode-fetch-note")) } }
    }
}

fn authorization(
    texts: &Texts,
    form: &AuthorizationFields,
    problems: &Problems,
    options: &FormOptions<'_>,
) -> Markup {
    let t = texts;
    let kinds = [
        AuthorizationKind::None,
        AuthorizationKind::Bearer,
        AuthorizationKind::ApiKey,
        AuthorizationKind::Basic,
        AuthorizationKind::OAuth2,
    ];
    let names = kinds.map(|kind| (kind.as_str(), labels::authorization(t, kind)));
    let choices: Vec<_> = names.iter().map(|(kind, name)| (*kind, &**name)).collect();
    let [_, bearer, apikey, basic, oauth2] = &names;
    // What is to know of a secret that the page does not show.
    let more = if options.stored {
        t.of("webhooks-form-secret-stored")
    } else if problems.is_empty() {
        Cow::default()
    } else {
        t.of("webhooks-form-secret-again")
    };
    let hint = |text: Cow<'_, str>| format!("{text} {more}").trim().to_owned();
    html! {
        (layout::radios(problems, "auth", &t.of("webhooks-form-authorization"), &choices, &form.kind))
        fieldset.when.bearer {
            legend.unseen { (bearer.1) }
            (layout::input(problems, InputKind::Password, "token", &t.of("webhooks-form-token"), "", &hint(t.of("webhooks-form-token-hint"))))
        }
        fieldset.when.apikey {
            legend.unseen { (apikey.1) }
            (layout::input(problems, InputKind::Password, "key", &t.of("webhooks-form-key"), "", &hint(t.of("webhooks-form-key-hint"))))
        }
        fieldset.when.basic {
            legend.unseen { (basic.1) }
            (layout::input(problems, InputKind::Text { max: 4096 }, "user", &t.of("webhooks-form-user"), &form.user, ""))
            (layout::input(problems, InputKind::Password, "password", &t.of("webhooks-form-password"), "", &hint(Cow::default())))
        }
        fieldset.when.oauth2 {
            legend.unseen { (oauth2.1) }
            (client(t, &form.oauth2, problems, &hint(Cow::default())))
        }
    }
}

/// The fields of an OAuth 2 client.
fn client(texts: &Texts, form: &OAuth2Fields, problems: &Problems, about_secret: &str) -> Markup {
    let t = texts;
    let (basic, body) = (
        t.of("webhooks-form-oauth-basic"),
        t.of("webhooks-form-oauth-body"),
    );
    let ways = [
        (ClientAuthentication::Basic.as_str(), &*basic),
        (ClientAuthentication::Body.as_str(), &*body),
    ];
    html! {
        (layout::input(problems, InputKind::Text { max: 2048 }, "oauth_token_url", &t.of("webhooks-form-oauth-token-url"), &form.token_url, &t.of("webhooks-form-oauth-token-url-hint")))
        (layout::input(problems, InputKind::Text { max: 1024 }, "oauth_client_id", &t.of("webhooks-form-oauth-client-id"), &form.client_id, ""))
        (layout::input(problems, InputKind::Password, "oauth_secret", &t.of("webhooks-form-oauth-secret"), "", about_secret))
        (layout::input(problems, InputKind::Text { max: 2048 }, "oauth_scope", &t.of("webhooks-form-oauth-scope"), &form.scope, &t.of("webhooks-form-oauth-scope-hint")))
        (layout::radios(problems, "oauth_client_auth", &t.of("webhooks-form-oauth-client-auth"), &ways, form.way()))
    }
}

fn headers(texts: &Texts, form: &HeaderFields, problems: &Problems) -> Markup {
    let (t, mode) = (texts, if form.by_text { "text" } else { "rows" });
    let (rows, text) = (
        t.of("webhooks-form-headers-rows"),
        t.of("webhooks-form-headers-text"),
    );
    // The editor puts the number there.
    let number = [("number", "%".into())];
    let columns = [
        Column {
            name: "name",
            label: &t.with("webhooks-form-row-name", &number),
            tick: None,
            placeholder: &t.of("webhooks-form-row-name-empty"),
        },
        Column {
            name: "value",
            label: &t.with("webhooks-form-row-value", &number),
            tick: None,
            placeholder: &t.of("webhooks-form-row-value-empty"),
        },
    ];
    html! {
        h2 { (t.of("webhooks-form-headers-title")) }
        (layout::radios(problems, "header_mode", &t.of("webhooks-form-headers-mode"), &[("rows", &*rows), ("text", &*text)], mode))
        div.when.rows {
            (layout::editor(t, problems, "header", &t.of("webhooks-form-rows"), &columns, &form.rows.rows, true))
        }
        div.when.text {
            (layout::area(problems, "headers_text", &t.of("webhooks-form-lines"), &form.text, &t.of("webhooks-form-lines-hint"), "code"))
        }
    }
}

fn delivery(
    texts: &Texts,
    form: &WebhookForm,
    problems: &Problems,
    options: &FormOptions<'_>,
) -> Markup {
    let t = texts;
    let (timeout, retries, rate) = (
        InputKind::Number { min: 3, max: 120 },
        InputKind::Number { min: 0, max: 100 },
        InputKind::Number {
            min: 1,
            max: 10_000,
        },
    );
    html! {
        h2 { (t.of("webhooks-form-delivery-title")) }
        (layout::input(problems, timeout, "timeout", &t.of("webhooks-form-timeout"), &form.limits.timeout, &t.of("webhooks-form-timeout-hint")))
        (layout::input(problems, retries, "retries", &t.of("webhooks-form-retries"), &form.limits.retries, &t.of("webhooks-form-retries-hint")))
        (layout::input(problems, InputKind::Text { max: 1024 }, "retry_schedule", &t.of("webhooks-form-retry-schedule"), &form.limits.retry_schedule, &t.of("webhooks-form-retry-schedule-hint")))
        (layout::input(problems, InputKind::Text { max: 1024 }, "channels", &t.of("webhooks-form-channels"), &form.limits.channels, &t.of("webhooks-form-channels-hint")))
        (layout::input(problems, rate, "rate", &t.of("webhooks-form-rate"), &form.limits.rate, &t.of("webhooks-form-rate-hint")))
        (layout::check("enabled", &t.of("webhooks-form-enabled"), &t.of("webhooks-form-enabled-hint"), form.enabled))
        (layout::check("in_order", &t.of("webhooks-form-in-order"), &t.of("webhooks-form-in-order-hint"), form.limits.in_order))
        (layout::check("insecure", &t.of("webhooks-form-insecure"), &t.of("webhooks-form-insecure-hint"), form.insecure))
        div.when.insecure { div.note.warn { strong { (t.of("webhooks-form-insecure-use")) } " " (t.of("webhooks-form-insecure-risk")) } }
        @if form.unsign || problems.of("unsign").is_some() {
            div #unsign { (layout::check("unsign", &t.of("webhooks-form-unsign"), &t.of("webhooks-form-unsign-hint"), form.unsign)) }
        }
        @if options.id.is_none() {
            (layout::check("sign", &t.of("webhooks-form-sign"), &t.of("webhooks-form-sign-hint"), form.sign))
        }
    }
}
