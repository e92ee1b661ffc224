//! The page that takes a text, and shows what was found in it.

use axum::response::{IntoResponse, Response};
use gatepost_manage::{LeakedKey, OnLeak};
use maud::{Markup, html};

use super::choice::{CHOICES, word};
use super::table::table;
use crate::context::PageContext;
use crate::layout::{self, Section, note, page};
use crate::problems::Problems;

/// What was found or done, above the form.
pub(super) async fn outcome(ctx: &PageContext, said: &str, found: &[LeakedKey]) -> Response {
    let kind = if found.is_empty() { "good" } else { "warn" };
    let found = html! {
        (note(kind, &html! { (said) }))
        @if !found.is_empty() { section { (table(ctx, found).await) } }
    };
    form(ctx, Some(OnLeak::Report), &Problems::none(), &found).into_response()
}

/// The form, below what was found.
pub(super) fn form(
    ctx: &PageContext,
    chosen: Option<OnLeak>,
    problems: &Problems,
    found: &Markup,
) -> Markup {
    let t = ctx.texts();
    let choices = CHOICES.map(|(then, text)| (word(then), t.of(text)));
    let choices = choices.each_ref().map(|(value, text)| (*value, &**text));
    let chosen = chosen.map_or("", word);
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
