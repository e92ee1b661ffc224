//! The form of a key.

use maud::{Markup, html};

use super::parse::Typed;
use crate::form::Problems;
use crate::layout::{self, Column, Kind};
use crate::session::Ctx;

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

/// What differs between a new key and one that is edited.
pub(super) struct Around<'a> {
    pub button: &'a str,
    /// The form's ticket: a new key is made once.
    pub ticket: Option<String>,
    /// When the key expires now, where one is edited.
    pub expires: Option<String>,
    /// Whose keys the caller may make; one may always make one's own.
    pub owners: Option<Vec<(String, String)>>,
}

pub(super) fn form(ctx: &Ctx, typed: &Typed, problems: &Problems, around: &Around<'_>) -> Markup {
    let keep = around
        .expires
        .as_ref()
        .map(|expires| format!("As it is: {expires}"));
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
        (layout::errors(problems))
        form.main method="post" novalidate data-check=(ctx.console.at("/keys/check")) {
            input type="hidden" name="csrf" value=(ctx.csrf);
            @if let Some(ticket) = &around.ticket { input type="hidden" name="ticket" value=(ticket); }
            button.unseen tabindex="-1" aria-hidden="true" { (around.button) }
            section {
                (layout::input(problems, Kind::Text { max: 128 }, "name", "Name", &typed.name, "What the key is for, such as the pipeline that uses it."))
                (layout::area(problems, "description", "Description (optional)", &typed.description, "", ""))
                @if let Some(owners) = &around.owners {
                    (layout::picker(problems, "user", "Owner", owners, &typed.user, "The key has the permissions of this user."))
                }
                (layout::radios(problems, "expires_type", "Expires", &choices, &typed.expires_type))
                div.when.date {
                    (layout::input(problems, Kind::Date, "expires", "Date and time (UTC)", &typed.expires, ""))
                }
                @if typed.expires_type != "date" { p.error { (problems.of("expires").unwrap_or_default()) } }
            }
            section {
                h2 { "Where it may be used from" }
                p.quiet { "Addresses and CIDR ranges. When an allow list is set, only its enabled entries may use the key, whatever the deny list says. Without one, the deny list blocks its enabled entries and all others may." }
                (layout::editor(problems, "allow", "IP allow list (optional)", &ENTRY, &typed.allow, "", false))
                (layout::editor(problems, "deny", "IP deny list (optional)", &ENTRY, &typed.deny, "", false))
                p.note.warn data-hint="ip" hidden {}
            }
            div.submit {
                button.primary { (around.button) }
                a.button href=(ctx.console.at("/keys")) { "Cancel" }
            }
        }
    }
}
