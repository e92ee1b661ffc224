//! What the platform's own rows are called, and which of them a form offers.

use std::collections::BTreeMap;
use std::fmt;

use async_trait::async_trait;
use gatepost_keys::Principal;
use webhook_model::ObjectId;

/// A row of the platform that can be chosen.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// Its id.
    pub key: ObjectId,
    /// Its name.
    pub name: String,
}

impl Choice {
    /// The row of this id, with this name.
    #[must_use]
    pub fn new(key: ObjectId, name: impl Into<String>) -> Self {
        Self {
            key,
            name: name.into(),
        }
    }
}

/// Knows the platform's users, objects and tags. Always asked on behalf of a caller: tell what
/// that caller may know, and nothing else. Where an administrator triggers a user's event, the
/// caller is that user, who receives the name. A call that panics, or takes longer than five
/// seconds, counts as knowing nothing.
#[async_trait]
pub trait Directory: fmt::Debug + Send + Sync + 'static {
    /// The name of a row, such as `users/1`, `vms/3` or `tags/2`; `None` when there
    /// is no such row or the caller may not know its name. A join through it is then left out.
    async fn name(&self, caller: &Principal, table: &str, key: ObjectId) -> Option<String>;

    /// The names of several rows of a table, by their ids, without those that have none for the
    /// caller: those of one page, at most some hundreds. Asks [`name`](Self::name) for one after
    /// the other; a platform that looks them up elsewhere does so with one question.
    async fn names(
        &self,
        caller: &Principal,
        table: &str,
        keys: &[ObjectId],
    ) -> BTreeMap<ObjectId, String> {
        let mut names = BTreeMap::new();
        for key in keys {
            if let Some(name) = self.name(caller, table, *key).await {
                names.insert(*key, name);
            }
        }
        names
    }

    /// At most `limit` rows of `users`, `tags` or an event type that the caller may choose from.
    /// A form that gets none, or as many as it asked for, asks for the id instead.
    async fn choices(&self, caller: &Principal, table: &str, limit: usize) -> Vec<Choice>;
}

/// Knows no names and offers no choices: the default. Forms ask for ids.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::exhaustive_structs, reason = "a name and nothing else")]
pub struct NoDirectory;

#[async_trait]
impl Directory for NoDirectory {
    async fn name(&self, _caller: &Principal, _table: &str, _key: ObjectId) -> Option<String> {
        None
    }

    async fn choices(&self, _caller: &Principal, _table: &str, _limit: usize) -> Vec<Choice> {
        Vec::new()
    }
}
