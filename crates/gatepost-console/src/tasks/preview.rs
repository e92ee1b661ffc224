//! The message of a task as it would be sent, and warnings to its author.

use gatepost_manage::Example;
use gatepost_storage::webhooks::TaskRow;
use serde_json::Map;
use webhook_model::{Action, Data, EventNotes, Headers, Message, WebhookId};

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

/// The message of a task, as far as a page shows it.
pub(super) fn message_of(row: &TaskRow) -> &str {
    match &row.task.action {
        Action::Send { message, .. } => beginning(message.as_str(), MAX_SHOWN),
        _ => "",
    }
}

/// A rendered message.
#[derive(Debug, Default)]
pub(super) struct Preview {
    pub text: String,
    /// What may surprise the author; empty if nothing does.
    pub warnings: String,
}

/// Renders the message of a form; empty while the message is not valid.
pub(super) async fn preview(ctx: &PageContext, form: &TaskForm) -> Preview {
    let t = ctx.texts();
    let Ok(message) = form.message.parse::<Message>() else {
        return Preview::default();
    };
    let Ok(example) = ctx
        .actor
        .example(&message, OBJECT, sample_data(ctx).as_ref())
        .await
    else {
        return Preview {
            text: String::new(),
            warnings: t.of("tasks-preview-too-large").into_owned(),
        };
    };
    let webhook = match form.webhook.parse() {
        Ok(id) => ctx.actor.webhook(WebhookId(id)).await.ok(),
        Err(_) => None,
    };
    let headers = webhook.map(|row| row.value.headers);
    let mut warnings = warnings(t, &example, headers.as_ref());
    let mut text = example.text;
    if text.len() > MAX_SHOWN {
        text = beginning(&text, MAX_SHOWN).to_owned();
        warnings.insert(0, t.of("tasks-preview-cut").into_owned());
    }
    Preview {
        text,
        warnings: warnings.join(" "),
    }
}

/// The samples of the catalog as one: a message may be run by any of its events.
fn sample_data(ctx: &PageContext) -> Option<Data> {
    let catalog = ctx.actor.catalog();
    let mut members = Map::new();
    for (of, ..) in catalog.types() {
        let notes = catalog
            .events(of)
            .filter_map(|(event, _)| catalog.notes(of, event));
        for (name, value) in notes.filter_map(EventNotes::data).flat_map(Data::as_map) {
            members.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    // Together they may be more than one may be.
    let some = (!members.is_empty()).then(|| Data::new(members));
    some.and_then(Result::ok)
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
