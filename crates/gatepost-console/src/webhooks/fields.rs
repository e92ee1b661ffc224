//! The fields of a webhook's form.

use maud::{Markup, html};

use super::form::{AuthorizationFields, HeaderFields, WebhookForm};
use super::target::hint;
use crate::context::PageContext;
use crate::layout::{self, Column, InputKind};
use crate::problems::Problems;

const HEADER: [Column; 2] = [
    Column {
        name: "name",
        label: "Header % name",
        tick: None,
        placeholder: "Name",
    },
    Column {
        name: "value",
        label: "Header % value",
        tick: None,
        placeholder: "Value",
    },
];
const TYPES: [(&str, &str); 4] = [
    ("none", "None"),
    ("bearer", "Bearer token"),
    ("apikey", "API key"),
    ("basic", "Basic"),
];

/// How the form of a new webhook differs from that of an existing one.
pub(super) struct FormOptions {
    pub button: &'static str,
    pub ticket: Option<String>,
    /// The existing webhook.
    pub id: Option<i64>,
    /// Whether a secret is stored.
    pub stored: bool,
}

pub(super) fn fields(
    ctx: &PageContext,
    form: &WebhookForm,
    problems: &Problems,
    options: &FormOptions,
) -> Markup {
    let (check, back) = match options.id {
        Some(id) => (
            format!("/webhooks/check?id={id}"),
            format!("/webhooks/{id}"),
        ),
        None => ("/webhooks/check".to_owned(), "/webhooks".to_owned()),
    };
    html! {
        (layout::errors(ctx.texts(), problems))
        form.main method="post" action=(ctx.own()) novalidate data-check=(ctx.at(&check)) {
            input type="hidden" name="csrf" value=(ctx.csrf);
            @if let Some(ticket) = &options.ticket { input type="hidden" name="ticket" value=(ticket); }
            button.unseen tabindex="-1" aria-hidden="true" { (options.button) }
            section {
                (layout::input(problems, InputKind::Text { max: 128 }, "name", "Name", &form.name, "A unique name, for example: Deploys to #ops."))
                (layout::input(problems, InputKind::Text { max: 2048 }, "url", "URL", &form.url, "The address that receives the POST requests: https://…"))
                @let about_url = hint(ctx, &form.url);
                p.note.warn data-hint="url" hidden[about_url.is_empty()] { (about_url) }
                (authorization(&form.authorization, problems, options))
            }
            section { (headers(ctx, &form.headers, problems)) }
            section {
                h2 { "Delivery" }
                (layout::input(problems, InputKind::Number { min: 3, max: 120 }, "timeout", "Timeout (seconds)", &form.limits.timeout, "How long to wait for the response: 3 to 120."))
                (layout::input(problems, InputKind::Number { min: 0, max: 100 }, "retries", "Retries", &form.limits.retries, "How often to try again after an error or no response: 0 to 100."))
                (layout::input(problems, InputKind::Number { min: 1, max: 10_000 }, "rate", "Requests per second (optional)", &form.limits.rate, "The maximum rate for this target. Leave empty for no limit."))
                (layout::check("enabled", "Enabled", "While a webhook is disabled, its deliveries wait in the queue and are not sent.", form.enabled))
                (layout::check("in_order", "In order", "Sends one delivery at a time. A delivery that is retried delays those after it.", form.limits.in_order))
                (layout::check("insecure", "Allow insecure certificates", "Accepts certificates that cannot be verified, such as self-signed ones.", form.insecure))
                div.when.insecure { div.note.warn { strong { "For test and development only." } " Anyone on the network path to the target can read and change what is sent." } }
                @if form.unsign || problems.of("unsign").is_some() {
                    div #unsign { (layout::check("unsign", "Remove the signing secrets", "They do not go to another server. Deliveries are not signed until a new secret is created on the webhook's page.", form.unsign)) }
                }
                @if options.id.is_none() {
                    (layout::check("sign", "Sign deliveries", "Creates a signing secret, with which the target can verify that deliveries come from this platform. It is shown once.", form.sign))
                }
            }
            div.submit {
                button.primary { (options.button) }
                a.button href=(ctx.at(&back)) { "Cancel" }
            }
        }
    }
}

fn authorization(form: &AuthorizationFields, problems: &Problems, options: &FormOptions) -> Markup {
    let hint = |text: &str| {
        if options.stored {
            format!(
                "{text} The stored value is not shown. Leave empty to keep it; at another server (scheme, host or port) it must be entered again."
            )
        } else if problems.is_empty() {
            text.to_owned()
        } else {
            format!("{text} For security, it is not kept in the page: enter it again.")
        }
    };
    html! {
        (layout::radios(problems, "auth", "Authorization type", &TYPES, &form.kind))
        fieldset.when.bearer {
            legend.unseen { "Bearer token" }
            (layout::input(problems, InputKind::Password, "token", "Token", "", &hint("The token only, without the word Bearer.")))
        }
        fieldset.when.apikey {
            legend.unseen { "API key" }
            (layout::input(problems, InputKind::Password, "key", "Key", "", &hint("The key only. It is sent as X-API-Key, or in place of ${APIKEY} in a header value.")))
        }
        fieldset.when.basic {
            legend.unseen { "Basic" }
            (layout::input(problems, InputKind::Text { max: 4096 }, "user", "Username", &form.user, ""))
            (layout::input(problems, InputKind::Password, "password", "Password", "", &hint("")))
        }
    }
}

fn headers(ctx: &PageContext, form: &HeaderFields, problems: &Problems) -> Markup {
    let mode = if form.by_text { "text" } else { "rows" };
    html! {
        h2 { "Headers" }
        (layout::radios(problems, "header_mode", "Enter headers", &[("rows", "As names and values"), ("text", "As text")], mode))
        div.when.rows {
            (layout::editor(ctx.texts(), problems, "header", "Headers, in this order", &HEADER, &form.rows.rows, "", true))
        }
        div.when.text {
            (layout::area(problems, "headers_text", "Header lines, in this order", &form.text, "One per line, as Name: value", "code"))
        }
    }
}
