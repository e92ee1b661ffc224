//! The platform's users whose records the caller may manage.

use gatepost_keys::{AccessLevel, OwnerId};

use crate::actor::Actor;
use crate::completion::{Answer, contain};
use crate::error::ManageError;

/// A user of the platform.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct User {
    /// The user.
    pub owner: OwnerId,
    /// The user's name in the platform's [`Directory`](crate::Directory), if the caller may know
    /// it.
    pub name: Option<String>,
    /// Whether the user is enabled: the keys of a disabled user are not accepted.
    pub enabled: bool,
    /// The scope of the permissions of the user and the user's keys (SPEC 1 rule 2).
    pub access: AccessLevel,
}

impl Actor {
    /// Returns a user whose keys and other records the caller may manage, disabled or not.
    ///
    /// # Errors
    /// [`ManageError::NotFound`] if the user does not exist, or the caller may not manage them;
    /// failures of the accounts.
    pub fn user(&self, owner: OwnerId) -> Answer<'_, User> {
        contain(async move {
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
    }
}
