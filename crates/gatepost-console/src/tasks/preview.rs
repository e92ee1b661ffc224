//! The message of a task as it would be sent, and warnings to its author.

use gatepost_manage::Example;
use webhook_model::{Headers, Message, WebhookId};

use super::form::TaskForm;
use crate::context::PageContext;

/// The name of the object in the preview.
pub(super) const OBJECT: &str = "web-1";

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
    let Ok(example) = ctx.actor.example(&message, OBJECT) else {
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
    let warnings = warnings(&example, headers.as_ref());
    Preview {
        text: example.text,
        warnings,
    }
}

fn warnings(example: &Example, headers: Option<&Headers>) -> String {
    let mut texts = Vec::new();
    if !example.unknown.is_empty() {
        let names: Vec<_> = example
            .unknown
            .iter()
            .map(|n| format!("${{{n}}}"))
            .collect();
        texts.push(format!(
            "Unknown variables are sent unchanged: {}.",
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
