//! The names of the platform's rows, on behalf of the caller.

use std::collections::{BTreeMap, BTreeSet};

use gatepost_keys::{OwnerId, Via};
use webhook_model::ObjectId;

use crate::actor::Actor;
use crate::completion::ask;
use crate::directory::Choice;
use crate::error::ManageError;

impl Actor {
    /// Returns the name of a row of the platform, such as `users/1`; `None` if the platform has
    /// none for this caller, takes longer than five seconds, or panics.
    pub async fn name(&self, table: &str, key: ObjectId) -> Option<String> {
        ask(async { self.door.directory.name(&self.principal, table, key).await })
            .await
            .flatten()
    }

    /// Returns the names of several rows of a platform's table, by one query, without rows that
    /// have none for this caller. It is empty if the platform takes longer than five seconds, or
    /// panics.
    pub async fn names(
        &self,
        table: &str,
        keys: impl IntoIterator<Item = ObjectId>,
    ) -> BTreeMap<ObjectId, String> {
        let keys: BTreeSet<ObjectId> = keys.into_iter().collect();
        let asked: Vec<ObjectId> = keys.iter().copied().collect();
        if asked.is_empty() {
            return BTreeMap::new();
        }
        let directory = &self.door.directory;
        let names = ask(async { directory.names(&self.principal, table, &asked).await }).await;
        let mut names = names.unwrap_or_default();
        names.retain(|key, _| keys.contains(key));
        names
    }

    /// Returns at most `limit` rows of the platform that the caller may choose from. It is empty if
    /// the platform takes longer than five seconds, or panics.
    pub async fn choices(&self, table: &str, limit: usize) -> Vec<Choice> {
        let directory = &self.door.directory;
        let found = ask(async { directory.choices(&self.principal, table, limit).await }).await;
        let mut found = found.unwrap_or_default();
        found.truncate(limit);
        found
    }

    /// Returns those of these users that the caller may manage, each at the cost of a question to
    /// the platform. It is empty if that takes longer than five seconds in all.
    pub async fn managed(&self, users: &[ObjectId]) -> BTreeSet<ObjectId> {
        let managed = async {
            let (mut managed, mut authority) = (BTreeSet::new(), self.authority());
            for user in users {
                let Ok(owner) = user.to_string().parse() else {
                    continue;
                };
                if authority.may_manage(owner).await.unwrap_or(false) {
                    managed.insert(*user);
                }
            }
            managed
        };
        ask(managed).await.unwrap_or_default()
    }

    /// Returns the name of a row of the platform in a message to this user: the one that the user
    /// may know, even if the caller may know more.
    pub(crate) async fn name_for(
        &self,
        owner: OwnerId,
        table: &str,
        key: ObjectId,
    ) -> Result<Option<String>, ManageError> {
        if self.is(owner) {
            return Ok(self.name(table, key).await);
        }
        match self.door.log_in(owner, Via::Platform).await? {
            Some(owner) => Ok(self.door.of(&owner).name(table, key).await),
            None => Ok(None),
        }
    }
}
