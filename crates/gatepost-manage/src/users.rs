//! The platform's users, as far as their records are the caller's to manage.

use gatepost_keys::{AccessLevel, OwnerId};

use crate::actor::Actor;
use crate::error::ManageError;
use crate::finish::contain;

/// A user of the platform.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct User {
    /// The user.
    pub owner: OwnerId,
    /// What the platform's [`Directory`](crate::Directory) calls the user, if the caller may know.
    pub name: Option<String>,
    /// Whether the user's keys are accepted at all.
    pub enabled: bool,
    /// How far the user's powers go, and so those of the user's keys (SPEC 1 rule 2).
    pub access: AccessLevel,
}

impl Actor {
    /// A user whose keys and other records the caller may manage, disabled or not.
    ///
    /// # Errors
    /// [`ManageError::NotFound`] when there is no such user, or none that is the caller's to
    /// manage; failures of the accounts.
    pub async fn user(&self, owner: OwnerId) -> Result<User, ManageError> {
        contain(async {
            if !self.manages(owner).await? {
                return Err(ManageError::NotFound);
            }
            let account = self.door.account(owner).await?;
            let account = account.ok_or(ManageError::NotFound)?;
            Ok(User {
                owner,
                name: self.name("users", owner.into()).await,
                enabled: account.enabled,
                access: account.access,
            })
        })
        .await
    }
}
