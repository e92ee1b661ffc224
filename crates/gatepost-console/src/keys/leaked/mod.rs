//! Which keys are in a text that got out, and what becomes of them: for system administrators. The
//! text is searched and neither kept nor shown again.

mod choice;
mod page;
mod question;
mod table;

use axum::response::{IntoResponse, Response};
use choice::parse;
use gatepost_manage::{AccessLevel, ManageError, OnLeak};
use maud::{Markup, html};
use page::{form, outcome};
use question::{Ending, end};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::refused;
use crate::problems::Problems;

pub(super) async fn ask(ctx: PageContext) -> Result<Markup, Failure> {
    admit(&ctx)?;
    Ok(form(
        &ctx,
        Some(OnLeak::Report),
        &Problems::none(),
        &html! {},
    ))
}

/// Searches, and asks before what is found is disabled or deleted. Sent again by a reload it finds
/// what is there then, and tells owners no more than hourly.
pub(super) async fn search(ctx: PageContext, sent: Form) -> Result<Response, Failure> {
    admit(&ctx)?;
    if let Some(ending) = Ending::sent(&sent) {
        return end(&ctx, &ending).await;
    }
    let (t, then) = (ctx.texts(), parse(sent.text("then")));
    let mut problems = Problems::new(t);
    if sent.text("leaked").is_empty() {
        problems.add("leaked", t.of("keys-problem-leaked"));
    }
    if then.is_none() {
        problems.add("then", t.of("keys-problem-leaked-then"));
    }
    let Some(then) = then.filter(|_| problems.is_empty()) else {
        return Ok(refused(form(&ctx, then, &problems, &html! {})));
    };
    let text = sent.text("leaked").to_owned();
    match ctx.actor.report_leaked(text, OnLeak::Report).await {
        Ok(found) => match Ending::of(then, &found) {
            Some(ending) => Ok(ending.question(&ctx, &found).await.into_response()),
            None => {
                let said = match found.len() {
                    0 => t.of("keys-leaked-none").into_owned(),
                    many => t.with("keys-leaked-found", &[("count", many.into())]),
                };
                Ok(outcome(&ctx, &said, &found).await)
            }
        },
        Err(ManageError::Invalid { rule, .. }) => {
            problems.add("leaked", rule);
            Ok(refused(form(&ctx, Some(then), &problems, &html! {})))
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
