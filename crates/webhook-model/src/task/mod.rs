//! Tasks: the payload to send, and the webhook to send it to (SPEC 2.3).

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use gatepost_ids::{OwnerId, WebhookId};

use crate::error::{Field, Invalid};
use crate::size::{ROW, sum};
use crate::text::{Description, TaskName};

/// The maximum size of a message in bytes.
pub const MAX_MESSAGE: usize = 1024 * 1024;

/// A task: an action that events run.
#[derive(Clone, Debug, PartialEq)]
#[allow(
    clippy::exhaustive_structs,
    reason = "a record: who stores it learns of a new field from the compiler"
)]
pub struct Task {
    /// The user who created it.
    pub creator: OwnerId,
    /// A descriptive name.
    pub name: TaskName,
    /// Its purpose or expected outcome.
    pub description: Description,
    /// Whether events run it.
    pub enabled: bool,
    /// Whether it is deleted after it has run.
    pub delete_after_run: bool,
    /// The action.
    pub action: Action,
}

impl Task {
    /// Creates an enabled task without a description, which is not deleted after it has run.
    #[must_use]
    pub fn new(creator: OwnerId, name: TaskName, action: Action) -> Self {
        Self {
            creator,
            name,
            description: Description::default(),
            enabled: true,
            delete_after_run: false,
            action,
        }
    }

    /// Returns the bytes of its texts, and the approximate size of the row itself.
    #[must_use]
    pub fn stored_bytes(&self) -> u64 {
        let message = match &self.action {
            Action::Send { message, .. } => sum(&[message.as_str()]),
        };
        ROW + message + sum(&[self.name.as_str(), self.description.as_str()])
    }
}

/// The action of a task, with its object.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// Sends a message through a webhook.
    Send {
        /// The webhook.
        webhook: WebhookId,
        /// The payload, with variables.
        message: Message,
    },
}

/// A payload with variables: any text of at most 1 MiB. It is stored byte for byte.
#[derive(Clone, Eq, Hash, PartialEq)]
pub struct Message(Arc<str>);

impl Message {
    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn shared(&self) -> Arc<str> {
        Arc::clone(&self.0)
    }
}

impl Default for Message {
    /// Creates a message with one key whose value is the string Webhook (SPEC 2.3).
    fn default() -> Self {
        Self(r#"{"text":"Webhook"}"#.into())
    }
}

impl FromStr for Message {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        if text.len() > MAX_MESSAGE {
            return Err(Invalid::new(
                Field::Message,
                "must be at most 1048576 bytes",
            ));
        }
        Ok(Self(text.into()))
    }
}

/// Shows the length only: a message may be confidential.
impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Message({} bytes)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn task_counts_each_of_its_texts() {
        let action = Action::Send {
            webhook: WebhookId(1),
            message: "\u{e9}".parse().unwrap(),
        };
        let task = Task {
            description: "c".parse().unwrap(),
            ..Task::new(OwnerId(1), "ab".parse().unwrap(), action)
        };
        assert_eq!(task.stored_bytes(), ROW + 2 + 1 + 2);
    }
}
