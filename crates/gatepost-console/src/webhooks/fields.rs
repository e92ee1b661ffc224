//! The form of a webhook.

use maud::{Markup, html};

use super::parse::Typed;
use crate::form::Problems;
use crate::layout::{self, Column, Kind};
use crate::session::Ctx;

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
    ("bearer", "Bearer Token"),
    ("apikey", "API Key"),
    ("basic", "Basic"),
];

/// What differs between a new webhook and one that is edited.
pub(super) struct Around {
    pub button: &'static str,
    pub ticket: Option<String>,
    /// The row that is edited.
    pub id: Option<i64>,
    /// Whether a secret of the chosen type is stored.
    pub stored: bool,
}

pub(super) fn form(ctx: &Ctx, typed: &Typed, problems: &Problems, around: &Around) -> Markup {
    let (check, back) = match around.id {
        Some(id) => (
            format!("/webhooks/check?id={id}"),
            format!("/webhooks/{id}"),
        ),
        None => ("/webhooks/check".to_owned(), "/webhooks".to_owned()),
    };
    html! {
        (layout::errors(problems))
        form.main method="post" novalidate data-check=(ctx.console.at(&check)) {
            input type="hidden" name="csrf" value=(ctx.csrf);
            @if let Some(ticket) = &around.ticket { input type="hidden" name="ticket" value=(ticket); }
            button.unseen tabindex="-1" aria-hidden="true" { (around.button) }
            section {
                (layout::input(problems, Kind::Text { max: 128 }, "name", "Name", &typed.name, "Unique. What is told, and whom."))
                (layout::input(problems, Kind::Text { max: 2048 }, "url", "URL", &typed.url, "The endpoint of the target, which accepts POST: https://…"))
                p.note.warn data-hint="url" hidden {}
                (authorization(typed, problems, around))
            }
            section { (headers(typed, problems)) }
            section {
                h2 { "Delivery" }
                (layout::input(problems, Kind::Number { min: 3, max: 120 }, "timeout", "Timeout (seconds)", &typed.timeout, "How long to wait for the target's answer: 3 to 120."))
                (layout::input(problems, Kind::Number { min: 0, max: 100 }, "retries", "Retries", &typed.retries, "Reattempts when no answer or an error comes back: 0 to 100."))
                (layout::input(problems, Kind::Number { min: 1, max: 10_000 }, "rate", "Requests a second (optional)", &typed.rate, "The most that are sent to the target; empty for no limit."))
                (layout::check("enabled", "Enabled", "While it is not, what occurs is kept and waits.", typed.enabled))
                (layout::check("in_order", "In order", "One at a time; a delivery that fails holds up those behind it.", typed.in_order))
                (layout::check("insecure", "Allow insecure certificates", "Accepts certificates that cannot be verified, such as self-signed ones.", typed.insecure))
                div.when.insecure { div.note.warn { strong { "For test and development only." } " Anybody between here and the target can read and change what is sent." } }
                @if around.id.is_none() {
                    (layout::check("sign", "Sign deliveries", "Makes a signing secret by which the target can tell that a delivery is from here. It is shown once.", typed.sign))
                }
            }
            div.submit {
                button.primary { (around.button) }
                a.button href=(ctx.console.at(&back)) { "Cancel" }
            }
        }
    }
}

fn authorization(typed: &Typed, problems: &Problems, around: &Around) -> Markup {
    let hint = |text: &str| {
        if around.stored {
            format!("{text} Stored and not shown; leave it empty to keep it.")
        } else if problems.is_empty() {
            text.to_owned()
        } else {
            format!("{text} For safety it is not kept in the page: enter it again.")
        }
    };
    html! {
        (layout::radios(problems, "auth", "Authorization type", &TYPES, &typed.auth))
        fieldset.when.bearer {
            legend.unseen { "Bearer Token" }
            (layout::input(problems, Kind::Password, "token", "Token", "", &hint("Only the token, without the word Bearer.")))
        }
        fieldset.when.apikey {
            legend.unseen { "API Key" }
            (layout::input(problems, Kind::Password, "key", "Key", "", &hint("Only the raw key. It is sent as X-API-Key, or where a header has the value ${APIKEY}.")))
        }
        fieldset.when.basic {
            legend.unseen { "Basic" }
            (layout::input(problems, Kind::Text { max: 4096 }, "user", "Username", &typed.user, ""))
            (layout::input(problems, Kind::Password, "password", "Password", "", &hint("")))
        }
    }
}

fn headers(typed: &Typed, problems: &Problems) -> Markup {
    let mode = if typed.by_text { "text" } else { "rows" };
    html! {
        h2 { "Headers" }
        (layout::radios(problems, "header_mode", "Enter them", &[("rows", "as name and value"), ("text", "as full lines")], mode))
        div.when.rows {
            (layout::editor(problems, "header", "Headers, in this order", &HEADER, &typed.headers, "", true))
        }
        div.when.text {
            (layout::area(problems, "headers_text", "Header lines, in this order", &typed.headers_text, "One a line: Name: value", "code"))
        }
    }
}
