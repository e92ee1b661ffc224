//! Which keys are in a text that got out, and what becomes of them: for system administrators. The
//! text is searched and neither kept nor shown again.

use std::borrow::Cow;

use axum::response::{IntoResponse, Response};
use gatepost_manage::{AccessLevel, LeakedKey, ManageError, OnLeak};
use maud::{Markup, html};

use super::table::{USERS, unnamed};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{self, Section, note, page, refused, seen};
use crate::platform_names::PlatformNames;
use crate::problems::Problems;
use crate::texts::Texts;

/// What may be chosen, and what that is called.
const CHOICES: [(&str, &str); 3] = [
    ("report", "keys-leaked-report"),
    ("disable", "keys-leaked-disable"),
    ("delete", "keys-leaked-delete"),
];
const DEFAULT: &str = "report";
/// Keys that the page shows, of all that were found.
const SHOWN: usize = 100;

pub(super) async fn ask(ctx: PageContext) -> Result<Markup, Failure> {
    admit(&ctx)?;
    Ok(form(&ctx, DEFAULT, &Problems::none(), &html! {}))
}

/// Searches. Sent again by a reload it finds what is there then, and tells owners no more than
/// hourly.
pub(super) async fn search(ctx: PageContext, sent: Form) -> Result<Response, Failure> {
    admit(&ctx)?;
    let (t, chosen) = (ctx.texts(), sent.text("then"));
    let mut problems = Problems::new(t);
    let then = match chosen {
        "report" => Some(OnLeak::Report),
        "disable" => Some(OnLeak::Disable),
        "delete" => Some(OnLeak::Delete),
        _ => None,
    };
    if sent.text("leaked").is_empty() {
        problems.add("leaked", t.of("keys-problem-leaked"));
    }
    let Some(then) = then.filter(|_| problems.is_empty()) else {
        if then.is_none() {
            problems.add("then", t.of("keys-problem-leaked-then"));
        }
        return Ok(refused(form(&ctx, chosen, &problems, &html! {})));
    };
    let text = sent.text("leaked").to_owned();
    match ctx.actor.report_leaked(text, then).await {
        Ok(found) => {
            let found = shown(&ctx, &found).await;
            Ok(form(&ctx, DEFAULT, &Problems::none(), &found).into_response())
        }
        Err(ManageError::Invalid { rule, .. }) => {
            problems.add("leaked", rule);
            Ok(refused(form(&ctx, chosen, &problems, &html! {})))
        }
        Err(error) => Err(error.into()),
    }
}

/// The way to this page, for who may go it.
pub(super) fn link(ctx: &PageContext) -> Markup {
    html! { @if admit(ctx).is_ok() { a.button href=(ctx.at("/keys/leaked")) { (ctx.texts().of("keys-leaked")) } } }
}

fn admit(ctx: &PageContext) -> Result<(), Failure> {
    match ctx.principal().access {
        AccessLevel::SystemAdministrator => Ok(()),
        _ => Err(Failure::NotFound),
    }
}

fn form(ctx: &PageContext, chosen: &str, problems: &Problems, found: &Markup) -> Markup {
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

/// What was found, and what was done.
async fn shown(ctx: &PageContext, found: &[LeakedKey]) -> Markup {
    let t = ctx.texts();
    if found.is_empty() {
        return note("good", &html! { (t.of("keys-leaked-none")) });
    }
    let first = found.iter().take(SHOWN);
    let owners = first
        .clone()
        .map(|leaked| (USERS.to_owned(), leaked.row.key.owner.0));
    let owners = PlatformNames::of(ctx, owners).await;
    let count = [("count", found.len().into())];
    html! {
        (note("warn", &html! { (t.with("keys-leaked-found", &count)) }))
        section {
            div.scroll {
                table {
                    thead { tr {
                        th scope="col" { (t.of("keys-name")) }
                        th scope="col" { (t.of("keys-owner")) }
                        th scope="col" { (t.of("keys-leaked-done")) }
                    } }
                    tbody { @for leaked in first { (line(ctx, leaked, &owners)) } }
                }
            }
            @if found.len() > SHOWN { p.quiet { (t.with("keys-leaked-shown", &[("count", SHOWN.into())])) } }
        }
    }
}

fn line(ctx: &PageContext, leaked: &LeakedKey, owners: &PlatformNames) -> Markup {
    let (t, row) = (ctx.texts(), &leaked.row);
    let (name, user) = (seen(row.key.name.as_str()), row.key.owner);
    let owner = match owners.get(USERS, user.0) {
        Some(name) => name.to_owned(),
        None => unnamed(ctx, user),
    };
    html! {
        tr {
            td data-label=(t.of("keys-name")) { div {
                @if leaked.done == OnLeak::Delete { strong { (name) } }
                @else { a href=(ctx.at(&format!("/keys/{}", row.id.0))) { strong { (name) } } }
                br;
                code.quiet.nowrap { (row.key.hint) }
            } }
            td data-label=(t.of("keys-owner")) { a href=(ctx.at(&format!("/users/{user}"))) { (seen(&owner)) } }
            td data-label=(t.of("keys-leaked-done")) { (done(t, leaked.done)) }
        }
    }
}

fn done(t: &Texts, done: OnLeak) -> Cow<'_, str> {
    t.of(match done {
        OnLeak::Report => "keys-leaked-reported",
        OnLeak::Disable => "keys-leaked-disabled",
        OnLeak::Delete => "keys-leaked-deleted",
    })
}
