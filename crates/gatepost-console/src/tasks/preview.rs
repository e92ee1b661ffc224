//! The message of a task as it would be sent, and warnings to its author.

use gatepost_manage::Example;
use gatepost_storage::webhooks::TaskRow;
use webhook_model::{Action, Headers, Message, WebhookId};

use super::form::TaskForm;
use crate::context::PageContext;
use crate::layout::beginning;

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
    let Ok(message) = form.message.parse::<Message>() else {
        return Preview::default();
    };
    let Ok(example) = ctx.actor.example(&message, OBJECT).await else {
        return Preview {
            text: String::new(),
            warnings: "With its variables filled in, the message is larger than 4 MiB.".into(),
        };
    };
    let webhook = match form.webhook.parse() {
        Ok(id) => ctx.actor.webhook(WebhookId(id)).await.ok(),
        Err(_) => None,
    };
    let headers = webhook.map(|row| row.value.headers);
    let mut warnings = warnings(&example, headers.as_ref());
    let mut text = example.text;
    if text.len() > MAX_SHOWN {
        text = beginning(&text, MAX_SHOWN).to_owned();
        warnings = format!("Only the beginning of the message is shown. {warnings}");
    }
    Preview { text, warnings }
}

fn warnings(example: &Example, headers: Option<&Headers>) -> String {
    let mut texts = Vec::new();
    if !example.unknown.is_empty() {
        let names: Vec<_> = example
            .unknown
            .iter()
            .take(MAX_NAMED)
            .map(|n| format!("${{{n}}}"))
            .collect();
        let more = match example.unknown.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        texts.push(format!(
            "Unknown variables are sent unchanged: {}{more}.",
            names.join(", ")
        ));
    }
    if !example.is_json && headers.is_none_or(Headers::is_json) {
        texts.push(if headers.is_some() {
            "The message is not JSON, but the webhook's Content-Type header says it is.".to_owned()
        } else {
            "The message is not JSON.".to_owned()
        });
    }
    texts.join(" ")
}
