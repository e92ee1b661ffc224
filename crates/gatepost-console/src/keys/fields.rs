//! The fields of a key's form.

use apikey_core::{MAX_GRANTED, ScopeName};
use maud::{Markup, html};

use super::form::KeyForm;
use crate::context::PageContext;
use crate::layout::{self, Column, InputKind};
use crate::problems::Problems;
use crate::texts::Texts;

/// How the form of a new key differs from that of an existing one.
pub(super) struct FormOptions<'a> {
    pub button: &'a str,
    /// The form's ticket: it creates a key only once.
    pub ticket: Option<String>,
    /// The choice that leaves the expiry of the existing key as it is.
    pub keep: Option<String>,
    /// The users that the caller may create a key for; `None` offers no choice.
    pub owners: Option<Vec<(String, String)>>,
}

pub(super) fn fields(
    ctx: &PageContext,
    form: &KeyForm,
    problems: &Problems,
    options: &FormOptions<'_>,
) -> Markup {
    let (t, surprises) = (ctx.texts(), form.surprises(ctx.texts()));
    let lists = [
        ("allow", &form.allow, t.of("keys-form-allow")),
        ("deny", &form.deny, t.of("keys-form-deny")),
    ];
    html! {
        (layout::errors(t, problems))
        form.main method="post" action=(ctx.own()) novalidate data-check=(ctx.at("/keys/check")) {
            input type="hidden" name="csrf" value=(ctx.csrf);
            @if let Some(ticket) = &options.ticket { input type="hidden" name="ticket" value=(ticket); }
            button.unseen tabindex="-1" aria-hidden="true" { (options.button) }
            section {
                (layout::input(problems, InputKind::Text { max: 128 }, "name", &t.of("keys-form-name"), &form.name, &t.of("keys-form-name-hint")))
                (layout::area(problems, "description", &t.of("keys-form-description"), &form.description, "", ""))
                @if let Some(owners) = &options.owners {
                    (layout::picker(t, problems, "user", &t.of("keys-form-owner"), owners, &form.user, &t.of("keys-form-owner-hint")))
                }
                (expiry(t, problems, options.keep.as_deref(), &form.expires_type))
                div.when.date {
                    (layout::input(problems, InputKind::Date, "expires", &t.of("keys-form-date"), &form.expires, ""))
                }
                @if form.expires_type != "date" { p.error { (problems.of("expires").unwrap_or_default()) } }
            }
            section {
                h2 { (t.of("keys-form-addresses")) }
                p.quiet { (t.of("keys-form-addresses-text")) }
                @for (name, list, legend) in lists { (entries(t, problems, name, &list.rows, &legend)) }
                p.note.warn data-hint="ip" hidden[surprises.is_empty()] { (surprises) }
            }
            (grant(ctx, form, problems))
            div.submit {
                button.primary { (options.button) }
                a.button href=(ctx.at("/keys")) { (t.of("frame-cancel")) }
            }
        }
    }
}

/// When the key expires.
fn expiry(t: &Texts, problems: &Problems, keep: Option<&str>, chosen: &str) -> Markup {
    let days = [("30", 30_u64), ("60", 60), ("90", 90)].map(|(value, count)| {
        let text = t.with("keys-form-expires-in", &[("count", count.into())]);
        (value, text)
    });
    let (date, never) = (
        t.of("keys-form-expires-date"),
        t.of("keys-form-expires-never"),
    );
    let mut choices: Vec<(&str, &str)> = keep.map(|keep| ("keep", keep)).into_iter().collect();
    choices.extend(days.iter().map(|(value, text)| (*value, text.as_str())));
    choices.extend([("date", &*date), ("never", &*never)]);
    let legend = t.of("keys-form-expires");
    layout::radios(problems, "expires_type", &legend, &choices, chosen)
}

/// What the key may do. What it names already is offered, though the platform no longer has it.
fn grant(ctx: &PageContext, form: &KeyForm, problems: &Problems) -> Markup {
    let t = ctx.texts();
    let tables = offered(ctx.actor.grantable_tables(), &form.tables);
    let scopes = ctx.actor.grantable_scopes().map(ScopeName::as_str);
    let scopes = offered(scopes, &form.scopes);
    html! {
        section {
            h2 { (t.of("keys-form-grant")) }
            p.quiet { (t.of("keys-form-grant-text")) }
            (layout::check("read_only", &t.of("keys-form-read-only"), &t.of("keys-form-read-only-hint"), form.read_only))
            (layout::checks(problems, "tables", &t.of("keys-form-tables"), &tables, &form.tables, &t.of("keys-form-tables-hint")))
            @if !scopes.is_empty() {
                (layout::checks(problems, "scopes", &t.of("keys-form-scopes"), &scopes, &form.scopes, ""))
            }
            (requests(ctx, form, problems))
        }
    }
}

/// How often the key may be used.
fn requests(ctx: &PageContext, form: &KeyForm, problems: &Problems) -> Markup {
    let (t, most) = (ctx.texts(), ctx.actor.request_limits().per_key);
    let hint = match most {
        Some(most) => t.with(
            "keys-form-requests-most",
            &[("count", most.requests().into())],
        ),
        None => t.of("keys-form-requests-hint").into_owned(),
    };
    let kind = InputKind::Number {
        min: 1,
        max: most.map_or(1_000_000, i64::from),
    };
    let label = t.of("keys-form-requests");
    let value = &form.requests_per_minute;
    layout::input(problems, kind, "requests_per_minute", &label, value, &hint)
}

fn offered<'a>(known: impl Iterator<Item = &'a str>, ticked: &'a [String]) -> Vec<&'a str> {
    let mut names: Vec<&str> = known.collect();
    for name in ticked.iter().take(MAX_GRANTED) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

/// The entries of an IP list.
fn entries(
    t: &Texts,
    problems: &Problems,
    name: &str,
    rows: &[Vec<String>],
    legend: &str,
) -> Markup {
    // The editor puts the number of the row here.
    let number = [("number", "%".into())];
    let enabled = t.of("keys-form-enabled");
    let columns = [
        Column {
            name: "net",
            label: &t.with("keys-form-entry", &number),
            tick: None,
            placeholder: &t.of("keys-form-entry-example"),
        },
        Column {
            name: "on",
            label: &t.with("keys-form-entry-enabled", &number),
            tick: Some(&enabled),
            placeholder: "",
        },
    ];
    layout::editor(t, problems, name, legend, &columns, rows, false)
}
