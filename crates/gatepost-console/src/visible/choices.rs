//! The rows that a form offers: value and name.

use gatepost_storage::Page;

use crate::context::PageContext;
use crate::failure::Failure;

/// A form offers at most this number of rows; with more, it asks for a row number.
const MAX_CHOICES: usize = 200;

impl PageContext {
    /// The platform's rows to choose from; none if there are too many.
    pub(crate) async fn choices(&self, table: &str) -> Vec<(String, String)> {
        let directory = &self.console.directory;
        let found = directory
            .choices(&self.principal, table, MAX_CHOICES + 1)
            .await;
        few(found
            .into_iter()
            .map(|choice| (choice.key.to_string(), choice.name)))
    }

    /// The name of a user.
    pub(crate) async fn user_name(&self, user: i64) -> String {
        let name = self
            .console
            .directory
            .name(&self.principal, "users", user)
            .await;
        name.unwrap_or_else(|| format!("user {user}"))
    }

    /// The caller's webhooks to choose from; none if there are too many.
    pub(crate) async fn webhook_choices(&self) -> Result<Vec<(String, String)>, Failure> {
        let rows = self.webhooks(Page::newest(1), MAX_CHOICES + 1).await?;
        Ok(few(rows.into_iter().map(|row| {
            (row.id.to_string(), row.value.name.to_string())
        })))
    }

    /// The caller's tasks to choose from; none if there are too many.
    pub(crate) async fn task_choices(&self) -> Result<Vec<(String, String)>, Failure> {
        let rows = self.tasks(None, Page::newest(1), MAX_CHOICES + 1).await?;
        Ok(few(rows.into_iter().map(|row| {
            (row.id.to_string(), row.task.name.to_string())
        })))
    }
}

fn few(choices: impl Iterator<Item = (String, String)>) -> Vec<(String, String)> {
    let all: Vec<_> = choices.take(MAX_CHOICES + 1).collect();
    if all.len() > MAX_CHOICES {
        Vec::new()
    } else {
        all
    }
}
