//! The form of a task, parsed with the same types as the API's input.

use gatepost_manage::ManageError;
use webhook_model::{
    Action, Description, Message, OwnerId, Task, TaskName, WebhookId, trim_pasted,
};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::problems::{Problems, rule};

/// The content of the fields, valid or not.
#[derive(Debug, Default)]
pub(super) struct TaskForm {
    pub name: String,
    pub description: String,
    pub webhook: String,
    pub message: String,
    pub enabled: bool,
    pub once: bool,
}

impl TaskForm {
    pub(super) fn sent(form: &Form) -> Self {
        Self {
            name: form.text("name").to_owned(),
            description: form.lines("description"),
            webhook: trim_pasted(form.text("webhook")).to_owned(),
            message: form.lines("message"),
            enabled: form.ticked("enabled"),
            once: form.ticked("once"),
        }
    }

    pub(super) fn of(task: &Task) -> Self {
        let (webhook, message) = match &task.action {
            Action::Send { webhook, message } => (webhook.to_string(), message.as_str().to_owned()),
            _ => Default::default(),
        };
        Self {
            name: task.name.to_string(),
            description: task.description.as_str().to_owned(),
            webhook,
            message,
            enabled: task.enabled,
            once: task.delete_after_run,
        }
    }

    /// Parses the fields; each error is noted beside its field.
    pub(super) async fn parse(
        &self,
        ctx: &PageContext,
        problems: &mut Problems,
        creator: OwnerId,
    ) -> Result<Option<Task>, Failure> {
        let t = ctx.texts();
        let name = problems.take("name", self.name.parse::<TaskName>().map_err(rule));
        let description = self.description.parse::<Description>().map_err(rule);
        let description = problems.take("description", description);
        let message = problems.take("message", self.message.parse::<Message>().map_err(rule));
        let webhook = match self.webhook.parse() {
            Ok(id) => match ctx.actor.webhook(WebhookId(id)).await {
                Ok(row) => Ok(row.id),
                Err(ManageError::NotFound) => Err(t.of("tasks-unknown-webhook")),
                Err(error) => return Err(error.into()),
            },
            Err(_) => Err(t.of("tasks-choose-webhook")),
        };
        let webhook: Option<WebhookId> = problems.take("webhook", webhook);
        let (Some(name), Some(description), Some(message), Some(webhook)) =
            (name, description, message, webhook)
        else {
            return Ok(None);
        };
        Ok(Some(Task {
            creator,
            name,
            description,
            enabled: self.enabled,
            delete_after_run: self.once,
            action: Action::Send { webhook, message },
        }))
    }
}
