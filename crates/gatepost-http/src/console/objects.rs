//! What of the host's can be chosen in a form.

use std::fmt;

use async_trait::async_trait;
use gatepost_keys::Principal;

/// A row of the host's that can be chosen.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Choice {
    /// Its row number.
    pub key: i64,
    /// What it is called.
    pub name: String,
}

/// Knows the host's users, objects and tags.
#[async_trait]
pub trait Objects: fmt::Debug + Send + Sync + 'static {
    /// The name of a row: `("users", 1)`, `("vms", 3)`, `("tags", 2)`; `None` when there is none.
    async fn name(&self, table: &str, key: i64) -> Option<String>;

    /// Rows of `users`, `tags` or an event type that this user may choose from, at most `limit`.
    /// Where none are given, or more than `limit`, the form asks for the number of the row
    /// instead.
    async fn choices(&self, user: &Principal, table: &str, limit: usize) -> Vec<Choice>;
}

/// Knows none: the default. Forms ask for numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObjects;

#[async_trait]
impl Objects for NoObjects {
    async fn name(&self, _table: &str, _key: i64) -> Option<String> {
        None
    }

    async fn choices(&self, _user: &Principal, _table: &str, _limit: usize) -> Vec<Choice> {
        Vec::new()
    }
}
