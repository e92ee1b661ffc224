//! The page that takes a text, and shows what was found in it.

use axum::response::{IntoResponse, Response};
use gatepost_manage::LeakedKey;
use maud::{Markup, html};

use super::table::table;
use crate::context::PageContext;
use crate::layout::{self, Section, note, page};
use crate::problems::Problems;

/// What may be chosen, and what that is called.
const CHOICES: [(&str, &str); 3] = [
    ("report", "keys-leaked-report"),
    ("disable", "keys-leaked-disable"),
    ("delete", "keys-leaked-delete"),
];
/// What is chosen of a fresh page.
pub(super) const DEFAULT: &str = "report";

/// What was found or done, above the form.
pub(super) async fn outcome(ctx: &PageContext, said: &str, found: &[LeakedKey]) -> Response {
    let kind = if found.is_empty() { "good" } else { "warn" };
    let found = html! {
        (note(kind, &html! { (said) }))
        @if !found.is_empty() { section { (table(ctx, found).await) } }
    };
    form(ctx, DEFAULT, &Problems::none(), &found).into_response()
}

/// The form, below what was found.
pub(super) fn form(ctx: &PageContext, chosen: &str, problems: &Problems, found: &Markup) -> Markup {
    let t = ctx.texts();
    let choices = CHOICES.map(|(value, text)| (value, t.of(text)));
    let choices = choices.each_ref().map(|(value, text)| (*value, &**text));
    let (label, hint) = (t.of("keys-leaked-field"), t.of("keys-leaked-field-hint"));
    let body = html! {
        (layout::errors(t, problems))
        (found)
        section {
            p { (t.of("keys-leaked-text")) }
            form.main method="post" {
                input type="hidden" name="csrf" value=(ctx.csrf);
                (layout::area(problems, "leaked", &label, "", &hint, "code tall"))
                (layout::radios(problems, "then", &t.of("keys-leaked-then"), &choices, chosen))
                div.submit {
                    button.primary { (t.of("keys-leaked-button")) }
                    a.button href=(ctx.at("/keys")) { (t.of("frame-cancel")) }
                }
            }
        }
    };
    page(ctx, Section::Keys, &t.of("keys-leaked-title"), &body)
}
