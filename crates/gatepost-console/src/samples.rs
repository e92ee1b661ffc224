//! Previews of messages: fields for the variables of an event, filled in with the samples of the
//! catalogue, and the message as it would be sent, with warnings to its author.

use std::collections::BTreeMap;

use axum::Json;
use gatepost_manage::{Example, ManageError};
use maud::{Markup, html};
use serde_json::{Value, json};
use webhook_model::{Headers, SampleVariable, WebhookId};

use crate::context::PageContext;
use crate::form::Form;
use crate::layout::{self, InputKind, beginning};
use crate::problems::Problems;
use crate::texts::Texts;

/// The prefix of a variable in the name of its field.
const VARIABLE: &str = "var.";
/// The maximum length of a value, in bytes.
pub(crate) const MAX_VALUE: usize = 1_000;
/// The maximum number of bytes of the message that are shown: a page with all of it would be
/// several times as large.
const MAX_SHOWN: usize = 64 * 1024;
/// The maximum number of unknown variables that are named.
const MAX_NAMED: usize = 20;

/// The values of the fields, by the names of the variables.
pub(crate) type Values = BTreeMap<String, String>;

/// Returns a form with the samples in its fields.
pub(crate) fn filled(form: Form, variables: &[SampleVariable]) -> Form {
    let fill = |form: Form, one: &SampleVariable| form.with(&field(one.name()), one.sample());
    variables.iter().fold(form, fill)
}

/// Returns the values of a form's fields.
pub(crate) fn values(form: &Form, variables: &[SampleVariable]) -> Values {
    let names = variables.iter().map(SampleVariable::name);
    names
        .map(|name| (name.to_owned(), form.text(&field(name)).to_owned()))
        .collect()
}

/// Returns the name of the field of a variable.
fn field(variable: &str) -> String {
    format!("{VARIABLE}{variable}")
}

/// Notes the values that are too long.
pub(crate) fn check(t: &Texts, values: &Values, problems: &mut Problems) {
    for (name, value) in values {
        check_one(t, &field(name), value, problems);
    }
}

/// Notes a value of this field that is too long.
pub(crate) fn check_one(t: &Texts, field: &str, value: &str, problems: &mut Problems) {
    if value.len() > MAX_VALUE {
        let most = [("count", MAX_VALUE.into())];
        problems.add(field, t.with("tasks-value-too-long", &most));
    }
}

/// Renders the fields.
pub(crate) fn inputs(problems: &Problems, variables: &[SampleVariable], form: &Form) -> Markup {
    let kind = InputKind::Text { max: MAX_VALUE };
    html! {
        @for variable in variables {
            @let (name, label) = (field(variable.name()), format!("${{{}}}", variable.name()));
            (layout::input(problems, kind, &name, &label, form.text(&name), variable.description()))
        }
    }
}

/// A rendered message.
#[derive(Debug, Default)]
pub(crate) struct Preview {
    pub text: String,
    /// The warnings to the author; empty if there are none.
    pub warnings: String,
}

impl Preview {
    /// Renders the preview of a message, with the warnings about its webhook.
    pub(crate) async fn of(
        ctx: &PageContext,
        example: Result<Example, ManageError>,
        webhook: Option<WebhookId>,
    ) -> Result<Self, ManageError> {
        let t = ctx.texts();
        let example = match example {
            Err(ManageError::Message(_)) => {
                return Ok(Self {
                    text: String::new(),
                    warnings: t.of("tasks-preview-too-large").into_owned(),
                });
            }
            example => example?,
        };
        let webhook = match webhook {
            Some(id) => ctx.actor.webhook(id).await.ok(),
            None => None,
        };
        let headers = webhook.map(|row| row.value.headers);
        let mut warnings = warnings(t, &example, headers.as_ref());
        let mut text = example.text;
        if text.len() > MAX_SHOWN {
            text = beginning(&text, MAX_SHOWN).to_owned();
            warnings.insert(0, t.of("tasks-preview-cut").into_owned());
        }
        Ok(Self {
            text,
            warnings: warnings.join(" "),
        })
    }

    /// Returns JSON for the script, with the problems of the form.
    pub(crate) fn checked(self, problems: &Problems) -> Json<Value> {
        problems.checked(&self.hints())
    }

    /// Returns JSON for the script.
    pub(crate) fn hints(self) -> Value {
        json!({"preview": self.text, "warnings": self.warnings})
    }

    /// Renders the message and the warnings, which the script updates while the user types.
    pub(crate) fn shown(&self, t: &Texts) -> Markup {
        html! {
            pre id="preview" tabindex="0" data-hint="preview" aria-label=(t.of("tasks-preview-label")) { (self.text) }
            p.note.warn data-hint="warnings" hidden[self.warnings.is_empty()] { (self.warnings) }
        }
    }
}

fn warnings(t: &Texts, example: &Example, headers: Option<&Headers>) -> Vec<String> {
    let mut texts = Vec::new();
    if !example.unknown.is_empty() {
        let names: Vec<_> = example
            .unknown
            .iter()
            .take(MAX_NAMED)
            .map(|n| format!("${{{n}}}"))
            .collect();
        let more = example.unknown.len().saturating_sub(MAX_NAMED);
        let names = [("names", names.join(", ").into()), ("more", more.into())];
        texts.push(match more {
            0 => t.with("tasks-preview-unknown", &names),
            _ => t.with("tasks-preview-unknown-more", &names),
        });
    }
    if !example.is_json && headers.is_none_or(Headers::is_json) {
        let text = match headers {
            Some(_) => t.of("tasks-preview-not-json-header"),
            None => t.of("tasks-preview-not-json"),
        };
        texts.push(text.into_owned());
    }
    texts
}
