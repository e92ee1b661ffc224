//! The message of a task as it would be sent, and warnings to its author.

use std::collections::BTreeMap;

use gatepost_manage::{About, Example, ManageError};
use gatepost_storage::webhooks::TaskRow;
use maud::{Markup, html};
use serde_json::Map;
use webhook_model::{Action, Data, Headers, Message, WebhookId};

use super::form::TaskForm;
use crate::context::PageContext;
use crate::layout::beginning;
use crate::texts::Texts;

/// The name of the object in the preview.
pub(super) const OBJECT: &str = "web-1";
/// Bytes of the message that are shown: a page with all of it would be several times as large.
const MAX_SHOWN: usize = 64 * 1024;
/// Unknown variables that are named.
const MAX_NAMED: usize = 20;

/// A rendered message.
#[derive(Debug, Default)]
pub(super) struct Preview {
    pub text: String,
    /// What may surprise the author; empty if nothing does.
    pub warnings: String,
}

impl Preview {
    /// The message and the warnings, which the script renews while the user types.
    pub(super) fn shown(&self, t: &Texts) -> Markup {
        html! {
            pre id="preview" tabindex="0" data-hint="preview" aria-label=(t.of("tasks-preview-label")) { (self.text) }
            p.note.warn data-hint="warnings" hidden[self.warnings.is_empty()] { (self.warnings) }
        }
    }
}

/// Renders the message of a form as an example; empty while the message is not valid.
pub(super) async fn preview(ctx: &PageContext, form: &TaskForm) -> Preview {
    let Ok(message) = form.message.parse::<Message>() else {
        return Preview::default();
    };
    let webhook = form.webhook.parse().ok().map(WebhookId);
    let example = ctx.actor.example(&message, samples(ctx)).await;
    // Samples are no choice of the user's: nothing but the size can be wrong.
    let shown = shown(ctx, example, webhook).await;
    shown.unwrap_or_default()
}

/// Renders the message of a task as a test or a run sends it about this.
pub(super) async fn preview_about(
    ctx: &PageContext,
    row: &TaskRow,
    about: About,
) -> Result<Preview, ManageError> {
    let webhook = match &row.task.action {
        Action::Send { webhook, .. } => Some(*webhook),
        _ => None,
    };
    let example = ctx.actor.task_example(row.id, about).await;
    shown(ctx, example, webhook).await
}

/// What a page shows of a rendered message, with the warnings that its webhook gives rise to.
async fn shown(
    ctx: &PageContext,
    example: Result<Example, ManageError>,
    webhook: Option<WebhookId>,
) -> Result<Preview, ManageError> {
    let t = ctx.texts();
    let example = match example {
        Err(ManageError::Message(_)) => {
            return Ok(Preview {
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
    Ok(Preview {
        text,
        warnings: warnings.join(" "),
    })
}

/// The samples of the catalog as one: a message may be run by any of its events.
fn samples(ctx: &PageContext) -> About {
    let catalog = ctx.actor.catalog();
    let (mut members, mut variables) = (Map::new(), BTreeMap::new());
    for (of, ..) in catalog.types() {
        let events = catalog.events(of);
        for notes in events.filter_map(|(event, _)| catalog.notes(of, event)) {
            for one in notes.variables() {
                let (name, sample) = (one.name().to_owned(), one.sample().to_owned());
                variables.entry(name).or_insert(sample);
            }
            for (name, value) in notes.data().into_iter().flat_map(Data::as_map) {
                members.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
    }
    let mut about = About::default();
    OBJECT.clone_into(&mut about.name);
    about.variables = variables.into_iter().collect();
    // Together they may be more than one may be.
    let some = (!members.is_empty()).then(|| Data::new(members));
    about.data = some.and_then(Result::ok);
    about
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
