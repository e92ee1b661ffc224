//! What payload to send, through which webhook (SPEC 2.3).

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use gatepost_ids::{OwnerId, WebhookId};

use crate::error::{Field, Invalid};
use crate::size::{ROW, sum};
use crate::text::{Description, TaskName};

/// The most bytes of a message.
pub const MAX_MESSAGE: usize = 1024 * 1024;

/// A task.
#[derive(Clone, Debug, PartialEq)]
#[allow(
    clippy::exhaustive_structs,
    reason = "a record: who stores it learns of a new field from the compiler"
)]
pub struct Task {
    /// The user who made it.
    pub creator: OwnerId,
    /// A descriptive name.
    pub name: TaskName,
    /// Purpose, expected outcome.
    pub description: Description,
    /// Whether events run it.
    pub enabled: bool,
    /// Whether it is deleted once it has run.
    pub delete_after_run: bool,
    /// What it does.
    pub action: Action,
}

impl Task {
    /// An enabled task without a description, which stays once it has run.
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

    /// The bytes of its texts and about what the row itself costs.
    #[must_use]
    pub fn stored_bytes(&self) -> u64 {
        let message = match &self.action {
            Action::Send { message, .. } => sum(&[message.as_str()]),
        };
        ROW + message + sum(&[self.name.as_str(), self.description.as_str()])
    }
}

/// What a task does: its object and the action on it.
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

/// A payload with variables: any text of at most 1 MiB. Kept byte for byte.
#[derive(Clone, Eq, Hash, PartialEq)]
pub struct Message(Arc<str>);

impl Message {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn shared(&self) -> Arc<str> {
        Arc::clone(&self.0)
    }
}

impl Default for Message {
    /// One key whose value is the string Webhook (SPEC 2.3).
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

/// A message may be confidential: its length is shown, not its text.
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
