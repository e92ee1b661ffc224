//! The names of the platform's rows, and the choices in forms.

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
    /// Creates a choice.
    #[must_use]
    pub fn new(key: ObjectId, name: impl Into<String>) -> Self {
        Self {
            key,
            name: name.into(),
        }
    }
}

/// The platform's directory of users, objects and tags. Every call is on behalf of a caller: it
/// must return only data that this caller may know. If an administrator triggers a user's event,
/// the caller is that user, who receives the name. A call that panics, or takes longer than five
/// seconds, counts as an empty result.
#[async_trait]
pub trait Directory: fmt::Debug + Send + Sync + 'static {
    /// Returns the name of a row, such as `users/1`, `vms/3` or `tags/2`; `None` if the row does
    /// not exist or the caller may not know its name. A join through it is then left out.
    async fn name(&self, caller: &Principal, table: &str, key: ObjectId) -> Option<String>;

    /// Returns the names of several rows of a table by their ids, without rows that have no name
    /// for the caller: the rows of one page, at most some hundreds. The default calls
    /// [`name`](Self::name) for each; a platform that looks them up remotely should use one query.
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

    /// Returns at most `limit` rows of `users`, `tags` or an event type that the caller may choose
    /// from. A form that gets none asks for the id; one that gets more than 200 has a search.
    async fn choices(&self, caller: &Principal, table: &str, limit: usize) -> Vec<Choice>;
}

/// A directory without names and choices: the default. Forms ask for ids.
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
