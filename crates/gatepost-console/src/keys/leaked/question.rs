//! What is asked before leaked keys are disabled or deleted: about the keys that were found, not
//! about the text, which no page repeats.

use apikey_core::KeyId;
use axum::response::Response;
use gatepost_manage::{LeakedKey, OnLeak};
use maud::{Markup, html};

use super::choice::{parse, word};
use super::page::outcome;
use super::table::table;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{Section, confirm_or, page};

/// Between the row numbers in the field of the question.
const BETWEEN: char = ' ';

/// Which keys are to be disabled or deleted.
pub(super) struct Ending {
    then: OnLeak,
    keys: Vec<KeyId>,
}

impl Ending {
    /// Of keys that were found; `None` where nothing is to end.
    pub(super) fn of(then: OnLeak, found: &[LeakedKey]) -> Option<Self> {
        let keys = found.iter().map(|leaked| leaked.row.id).collect();
        (then != OnLeak::Report && !found.is_empty()).then_some(Self { then, keys })
    }

    /// As its question was answered; `None` of any other form.
    pub(super) fn sent(form: &Form) -> Option<Self> {
        let then = parse(form.text("end")).filter(|then| *then != OnLeak::Report)?;
        let numbers = form.text("keys").split(BETWEEN);
        let keys = numbers.filter_map(|number| number.parse().ok().map(KeyId));
        Some(Self {
            then,
            keys: keys.collect(),
        })
    }

    /// The question: how many keys end, which, and for how long.
    pub(super) async fn question(&self, ctx: &PageContext, found: &[LeakedKey]) -> Markup {
        let t = ctx.texts();
        let (title, text, button) = match self.then {
            OnLeak::Delete => (
                "keys-leaked-delete-title",
                "keys-leaked-delete-question",
                "keys-leaked-delete-button",
            ),
            _ => (
                "keys-leaked-disable-title",
                "keys-leaked-disable-question",
                "keys-leaked-disable-button",
            ),
        };
        let count = [("count", self.keys.len().into())];
        let what = html! { p { (t.with(text, &count)) } (table(ctx, found).await) };
        let numbers = self.keys.iter().map(|id| id.0.to_string());
        let numbers = numbers.collect::<Vec<_>>().join(&BETWEEN.to_string());
        let fields = html! {
            input type="hidden" name="end" value=(word(self.then));
            input type="hidden" name="keys" value=(numbers);
        };
        let (button, keep) = (t.with(button, &count), t.of("keys-leaked-keep"));
        let back = ctx.at("/keys/leaked");
        let body = confirm_or(ctx, &what, [&button, &keep], &back, &fields, None);
        page(ctx, Section::Keys, &t.with(title, &count), &body)
    }
}

/// Ends them; those that are gone by now are left out.
pub(super) async fn end(ctx: &PageContext, ending: &Ending) -> Result<Response, Failure> {
    let Ending { then, keys } = ending;
    let found = ctx.actor.end_leaked(keys.clone(), *then).await?;
    let ended = found.iter().filter(|leaked| leaked.done == *then).count();
    let text = match then {
        OnLeak::Delete => "keys-leaked-were-deleted",
        _ => "keys-leaked-were-disabled",
    };
    let said = ctx.texts().with(text, &[("count", ended.into())]);
    Ok(outcome(ctx, &said, &found).await)
}
