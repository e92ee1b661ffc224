use chrono::{DateTime, Utc};

use super::api_key::ApiKey;
use super::expiration::{Expiration, ExpirationError};
use super::state::{IllegalMove, KeyMove};
use super::text::{Description, KeyName};
use crate::ip::{IpList, IpPolicy};

/// A change to a key: only what SPEC 2.1 rule 3 lets change. It cannot name the owner, the lookup
/// id or the digest. `None` leaves a field as it is.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct KeyEdit {
    /// A new name.
    pub name: Option<KeyName>,
    /// A new description.
    pub description: Option<Description>,
    /// A new expiration; a set date must lie in the future.
    pub expiration: Option<Expiration>,
    /// A new allow list.
    pub ip_allow: Option<IpList>,
    /// A new deny list.
    pub ip_deny: Option<IpList>,
}

/// Why an edit is refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The key is expired: it can be deleted, not edited back to life (SPEC 7).
    #[error("an expired key cannot be edited: create a new key")]
    Expired(#[source] IllegalMove),
    /// The new expiration is not valid.
    #[error(transparent)]
    Expiration(#[from] ExpirationError),
}

impl KeyEdit {
    /// The record after the edit. The old one is left as it was.
    ///
    /// # Errors
    /// [`EditError`].
    pub fn apply(&self, key: &ApiKey, now: DateTime<Utc>) -> Result<ApiKey, EditError> {
        key.state(now)
            .next(KeyMove::Edit)
            .map_err(EditError::Expired)?;
        let expiration = self.expiration.unwrap_or(key.expiration);
        expiration.check(now)?;
        Ok(ApiKey {
            name: self.name.clone().unwrap_or_else(|| key.name.clone()),
            description: self
                .description
                .clone()
                .unwrap_or_else(|| key.description.clone()),
            expiration,
            ip: IpPolicy {
                allow: self
                    .ip_allow
                    .clone()
                    .unwrap_or_else(|| key.ip.allow.clone()),
                deny: self.ip_deny.clone().unwrap_or_else(|| key.ip.deny.clone()),
            },
            ..key.clone()
        })
    }

    /// Whether nothing would change.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
