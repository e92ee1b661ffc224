//! Previews of messages, for forms.

use gatepost_engine::{Example, RunContext, TriggerInput};
use webhook_model::{Action, EventId, Message, TaskId};

use crate::actor::Actor;
use crate::completion::{Answer, contain};
use crate::error::ManageError;
use crate::manual_occurrence::About;

/// The maximum number of bytes of a message that is rendered on the current thread.
const AT_ONCE: usize = 64 * 1024;

impl Actor {
    /// Renders a message with its variables, as if this had occurred, for the caller. Nothing is
    /// sent. A large message is rendered on a separate thread.
    ///
    /// # Errors
    /// [`ManageError::Message`] if it grows too large, [`ManageError::Invalid`] for an event that
    /// is not in the catalog, [`ManageError::NoSuchObject`], failures of accounts.
    pub fn example<'a>(&'a self, message: &'a Message, about: About) -> Answer<'a, Example> {
        contain(async move {
            let about = self.known(self.principal.owner, about).await?;
            self.filled_in(message, about).await
        })
    }

    /// Renders the message of a task as [`test_task`](Self::test_task) would send it for this
    /// occurrence.
    ///
    /// # Errors
    /// The errors of [`example`](Self::example); [`ManageError::NotFound`],
    /// [`ManageError::Unreadable`], failures of the store.
    pub fn task_example(&self, id: TaskId, about: About) -> Answer<'_, Example> {
        contain(async move {
            let row = self.own_task(id).await?;
            let about = self.known(row.owner, about).await?;
            match &row.value.action {
                Action::Send { message, .. } => self.filled_in(message, about).await,
                _ => Err(ManageError::NotFound),
            }
        })
    }

    /// Renders the message of an event's task as [`trigger_event`](Self::trigger_event) would send
    /// it with these data.
    ///
    /// # Errors
    /// The errors of [`task_example`](Self::task_example).
    pub fn trigger_example(&self, id: EventId, brought: TriggerInput) -> Answer<'_, Example> {
        contain(async move {
            let row = self.own_event(id).await?;
            let task = self.own_task(row.value.task).await?;
            let object = self.named(&row).await?;
            let about = self.engine().trigger_about(id, object, brought).await?;
            match &task.value.action {
                Action::Send { message, .. } => self.filled_in(message, about).await,
                _ => Err(ManageError::NotFound),
            }
        })
    }

    async fn filled_in(
        &self,
        message: &Message,
        about: RunContext,
    ) -> Result<Example, ManageError> {
        if message.as_str().len() <= AT_ONCE {
            return Ok(self.engine().example(message, &about)?);
        }
        let (engine, message) = (self.engine().clone(), message.clone());
        let example = move || engine.example(&message, &about);
        let example = tokio::task::spawn_blocking(example);
        Ok(example.await.map_err(|_| ManageError::Panicked)??)
    }
}
