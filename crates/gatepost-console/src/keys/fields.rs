//! The fields of a key's form.

use maud::{Markup, html};

use super::form::KeyForm;
use crate::context::PageContext;
use crate::layout::{self, Column, InputKind};
use crate::problems::Problems;

const ENTRY: [Column; 2] = [
    Column {
        name: "net",
        label: "Entry %",
        tick: None,
        placeholder: "10.0.0.0/8 or 192.168.1.5",
    },
    Column {
        name: "on",
        label: "Entry % enabled",
        tick: Some("Enabled"),
        placeholder: "",
    },
];

/// How the form of a new key differs from that of an existing one.
pub(super) struct FormOptions<'a> {
    pub button: &'a str,
    /// The form's ticket: it creates a key only once.
    pub ticket: Option<String>,
    /// When the existing key expires.
    pub expires: Option<String>,
    /// The users that the caller may create a key for; `None` offers no choice.
    pub owners: Option<Vec<(String, String)>>,
}

pub(super) fn fields(
    ctx: &PageContext,
    form: &KeyForm,
    problems: &Problems,
    options: &FormOptions<'_>,
) -> Markup {
    let keep = options
        .expires
        .as_ref()
        .map(|expires| format!("Keep: {expires}"));
    let surprises = form.surprises();
    let mut choices = vec![
        ("30", "In 30 days"),
        ("60", "In 60 days"),
        ("90", "In 90 days"),
        ("date", "Set date"),
        ("never", "Never expire"),
    ];
    if let Some(keep) = &keep {
        choices.insert(0, ("keep", keep));
    }
    html! {
        (layout::errors(ctx.texts(), problems))
        form.main method="post" action=(ctx.own()) novalidate data-check=(ctx.at("/keys/check")) {
            input type="hidden" name="csrf" value=(ctx.csrf);
            @if let Some(ticket) = &options.ticket { input type="hidden" name="ticket" value=(ticket); }
            button.unseen tabindex="-1" aria-hidden="true" { (options.button) }
            section {
                (layout::input(problems, InputKind::Text { max: 128 }, "name", "Name", &form.name, "What the key is used for, such as the pipeline that uses it."))
                (layout::area(problems, "description", "Description (optional)", &form.description, "", ""))
                @if let Some(owners) = &options.owners {
                    (layout::picker(ctx.texts(), problems, "user", "Owner", owners, &form.user, "The key has the permissions of this user."))
                }
                (layout::radios(problems, "expires_type", "Expires", &choices, &form.expires_type))
                div.when.date {
                    (layout::input(problems, InputKind::Date, "expires", "Date and time", &form.expires, ""))
                }
                @if form.expires_type != "date" { p.error { (problems.of("expires").unwrap_or_default()) } }
            }
            section {
                h2 { "Allowed addresses" }
                p.quiet { "IP addresses and CIDR ranges from which the key can be used. With an allow list, only its enabled entries can use the key, and the deny list is ignored. Without an allow list, all addresses except the enabled entries of the deny list can use it." }
                (layout::editor(ctx.texts(), problems, "allow", "IP allow list (optional)", &ENTRY, &form.allow.rows, "", false))
                (layout::editor(ctx.texts(), problems, "deny", "IP deny list (optional)", &ENTRY, &form.deny.rows, "", false))
                p.note.warn data-hint="ip" hidden[surprises.is_empty()] { (surprises) }
            }
            div.submit {
                button.primary { (options.button) }
                a.button href=(ctx.at("/keys")) { "Cancel" }
            }
        }
    }
}
