//! The page that finds keys in a leaked text and disables or deletes them: for system
//! administrators. The text is searched, and neither stored nor shown again.

use apikey_core::KeyId;
use axum::response::{IntoResponse, Response};
use gatepost_manage::{AccessLevel, LeakedKey, ManageError, OnLeak};
use maud::{Markup, html};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::layout::{self, Section, confirm_or, note, page, refused, seen};
use crate::list_view::{Column, table};
use crate::names::{PlatformNames, USERS, owner};
use crate::problems::Problems;

/// The actions on leaked keys, with the word in the form, which also ends the texts' names.
const WORDS: [(OnLeak, &str); 3] = [
    (OnLeak::Report, "report"),
    (OnLeak::Disable, "disable"),
    (OnLeak::Delete, "delete"),
];
/// The separator of the row numbers in the field of the confirmation.
const BETWEEN: char = ' ';
/// The maximum number of found keys that the page shows.
const SHOWN: usize = 100;

const COLUMNS: &[Column<PlatformNames, LeakedKey>] = &[
    Column::new("keys-name", name),
    Column::new("keys-owner", |ctx, owners, leaked| {
        owner(ctx, owners, leaked.row.key.owner)
    }),
    Column::new("keys-leaked-done", |ctx, _, leaked| {
        let text = format!("keys-leaked-done-{}", word(leaked.done));
        html! { (ctx.texts().of(&text)) }
    }),
];

/// The keys to be disabled or deleted.
struct Ending {
    then: OnLeak,
    keys: Vec<KeyId>,
}

pub(super) async fn ask(ctx: PageContext) -> Result<Markup, Failure> {
    admit(&ctx)?;
    let report = Some(OnLeak::Report);
    Ok(form(&ctx, report, &Problems::none(), &html! {}))
}

/// Searches, and asks for confirmation before found keys are disabled or deleted. If a reload sends
/// the text again, it is searched again, and owners are notified at most hourly.
pub(super) async fn search(ctx: PageContext, sent: Form) -> Result<Response, Failure> {
    admit(&ctx)?;
    if let Some(ending) = Ending::sent(&sent) {
        return ending.carry_out(&ctx).await;
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
        Ok(found) if then != OnLeak::Report && !found.is_empty() => {
            let keys = found.iter().map(|leaked| leaked.row.id).collect();
            let ending = Ending { then, keys };
            Ok(ending.question(&ctx, &found).await.into_response())
        }
        Ok(found) => {
            let said = match found.len() {
                0 => t.of("keys-leaked-none").into_owned(),
                many => t.with("keys-leaked-found", &[("count", many.into())]),
            };
            Ok(outcome(&ctx, &said, &found).await)
        }
        Err(ManageError::Invalid { rule, .. }) => {
            problems.add("leaked", rule);
            Ok(refused(form(&ctx, Some(then), &problems, &html! {})))
        }
        Err(error) => Err(error.into()),
    }
}

/// Renders the link to this page for callers who may open it.
pub(super) fn link(ctx: &PageContext) -> Markup {
    html! { @if admit(ctx).is_ok() { a.button href=(ctx.at("/keys/leaked")) { (ctx.texts().of("keys-leaked")) } } }
}

fn admit(ctx: &PageContext) -> Result<(), Failure> {
    match ctx.principal().access {
        AccessLevel::SystemAdministrator => Ok(()),
        _ => Err(Failure::NotFound),
    }
}

fn word(then: OnLeak) -> &'static str {
    let found = WORDS.iter().find(|(known, _)| *known == then);
    found.map_or("", |(_, word)| word)
}

fn parse(sent: &str) -> Option<OnLeak> {
    let found = WORDS.iter().find(|(_, word)| *word == sent);
    found.map(|(then, _)| *then)
}

impl Ending {
    /// Reads the answer to the confirmation; `None` for any other form.
    fn sent(form: &Form) -> Option<Self> {
        let then = parse(form.text("end")).filter(|then| *then != OnLeak::Report)?;
        let numbers = form.text("keys").split(BETWEEN);
        let keys = numbers.filter_map(|number| number.parse().ok().map(KeyId));
        Some(Self {
            then,
            keys: keys.collect(),
        })
    }

    /// Renders the confirmation: how many keys end, which, and for how long. It is about the keys
    /// that were found, not about the text, which no page repeats.
    async fn question(&self, ctx: &PageContext, found: &[LeakedKey]) -> Markup {
        let shown = shown(ctx, found).await;
        let (t, count) = (ctx.texts(), [("count", self.keys.len().into())]);
        let said = |what| t.with(&format!("keys-leaked-{}-{what}", word(self.then)), &count);
        let what = html! { p { (said("question")) } (shown) };
        let numbers = self.keys.iter().map(|id| id.0.to_string());
        let numbers = numbers.collect::<Vec<_>>().join(&BETWEEN.to_string());
        let fields = html! {
            input type="hidden" name="end" value=(word(self.then));
            input type="hidden" name="keys" value=(numbers);
        };
        let (button, keep) = (said("button"), t.of("keys-leaked-keep"));
        let back = ctx.at("/keys/leaked");
        let body = confirm_or(ctx, &what, [&button, &keep], &back, &fields, None);
        page(ctx, Section::Keys, &said("title"), &body)
    }

    /// Ends the keys; those that no longer exist are left out.
    async fn carry_out(self, ctx: &PageContext) -> Result<Response, Failure> {
        let Self { then, keys } = self;
        let found = ctx.actor.end_leaked(keys, then).await?;
        let ended = found.iter().filter(|leaked| leaked.done == then).count();
        let text = format!("keys-leaked-{}-ended", word(then));
        let said = ctx.texts().with(&text, &[("count", ended.into())]);
        Ok(outcome(ctx, &said, &found).await)
    }
}

/// Renders the result of the search or the action, above the form.
async fn outcome(ctx: &PageContext, said: &str, found: &[LeakedKey]) -> Response {
    let kind = if found.is_empty() { "good" } else { "warn" };
    let found = html! {
        (note(kind, &html! { (said) }))
        @if !found.is_empty() { section { (shown(ctx, found).await) } }
    };
    form(ctx, Some(OnLeak::Report), &Problems::none(), &found).into_response()
}

/// Renders the form, below the keys that were found.
fn form(ctx: &PageContext, chosen: Option<OnLeak>, problems: &Problems, found: &Markup) -> Markup {
    let t = ctx.texts();
    let choices = WORDS.map(|(_, word)| (word, t.of(&format!("keys-leaked-{word}"))));
    let choices = choices.each_ref().map(|(value, text)| (*value, &**text));
    let chosen = chosen.map_or("", word);
    let (label, hint) = (t.of("keys-leaked-field"), t.of("keys-leaked-field-hint"));
    let body = html! {
        (layout::errors(t, "keys", problems, "frame-nothing-saved"))
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

/// Renders the first keys that were found, each with its owner and the action on it.
async fn shown(ctx: &PageContext, found: &[LeakedKey]) -> Markup {
    let first: Vec<_> = found.iter().take(SHOWN).collect();
    let owners = first.iter().map(|leaked| leaked.row.key.owner.into());
    let owners: Vec<_> = owners.map(|owner| (USERS.to_owned(), owner)).collect();
    let owners = PlatformNames::of(ctx, owners).await;
    html! {
        (table(ctx, "", COLUMNS, &owners, first, |_, _| None, |_| String::new()))
        @if found.len() > SHOWN { p.quiet { (ctx.texts().with("keys-leaked-shown", &[("count", SHOWN.into())])) } }
    }
}

fn name(ctx: &PageContext, _owners: &PlatformNames, leaked: &LeakedKey) -> Markup {
    let (row, name) = (&leaked.row, seen(leaked.row.key.name.as_str()));
    html! {
        div {
            @if leaked.done == OnLeak::Delete { strong { (name) } }
            @else { a href=(ctx.at(&format!("/keys/{}", row.id))) { strong { (name) } } }
            br;
            code.quiet.nowrap { (row.key.masked) }
        }
    }
}
