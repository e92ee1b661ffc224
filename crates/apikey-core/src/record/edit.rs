use chrono::{DateTime, Utc};

use super::api_key::ApiKey;
use super::expiration::{Expiration, ExpirationError};
use super::state::{InvalidTransition, KeyMove};
use super::text::{Description, KeyName};
use crate::grant::{Grant, ScopeNames, TableNames};
use crate::ip::{IpList, IpPolicy};
use crate::rate::RateLimit;

/// A change of a key: the fields of SPEC 2.1 rule 3, and our additions. It cannot change the owner,
/// the lookup id or the digest. `None` leaves a field unchanged.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct KeyEdit {
    /// A new name.
    pub name: Option<KeyName>,
    /// A new description.
    pub description: Option<Description>,
    /// A new expiration; a date must be in the future.
    pub expiration: Option<Expiration>,
    /// A new allow list.
    pub ip_allow: Option<IpList>,
    /// A new deny list.
    pub ip_deny: Option<IpList>,
    /// Whether it may only read.
    pub read_only: Option<bool>,
    /// The named tables.
    pub tables: Option<TableNames>,
    /// The named scopes.
    pub scopes: Option<ScopeNames>,
    /// The request limit; `Some(None)` removes it.
    pub limit: Option<Option<RateLimit>>,
    /// Whether it is enabled.
    pub enabled: Option<bool>,
}

gatepost_ids::setters!(KeyEdit {
    /// Sets the name.
    with_name(name: KeyName) => Some(name),
    /// Sets the description.
    with_description(description: Description) => Some(description),
    /// Sets the expiration.
    with_expiration(expiration: Expiration) => Some(expiration),
    /// Sets the allow list.
    with_ip_allow(ip_allow: IpList) => Some(ip_allow),
    /// Sets the deny list.
    with_ip_deny(ip_deny: IpList) => Some(ip_deny),
    /// Sets whether it may only read.
    with_read_only(read_only: bool) => Some(read_only),
    /// Sets the named tables.
    with_tables(tables: TableNames) => Some(tables),
    /// Sets the named scopes.
    with_scopes(scopes: ScopeNames) => Some(scopes),
    /// Sets the request limit; `None` removes it.
    with_limit(limit: Option<RateLimit>) => Some(limit),
    /// Enables or disables it.
    with_enabled(enabled: bool) => Some(enabled),
});

/// The reason why an edit is refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The key is expired: it can be deleted, but not edited (SPEC 7).
    #[error("an expired key cannot be edited: create a new key")]
    Expired(#[source] InvalidTransition),
    /// The new expiration is not valid.
    #[error(transparent)]
    Expiration(#[from] ExpirationError),
}

impl KeyEdit {
    /// Returns the record after the edit. The old one is unchanged.
    ///
    /// # Errors
    /// [`EditError`].
    pub fn apply(&self, key: &ApiKey, now: DateTime<Utc>) -> Result<ApiKey, EditError> {
        key.state(now)
            .next(KeyMove::Edit)
            .map_err(EditError::Expired)?;
        if let Some(expiration) = self.expiration {
            expiration.check(now)?;
        }
        let expiration = self.expiration.unwrap_or(key.expiration);
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
            grant: self.grant(&key.grant),
            limit: self.limit.unwrap_or(key.limit),
            enabled: self.enabled.unwrap_or(key.enabled),
            ..key.clone()
        })
    }

    fn grant(&self, old: &Grant) -> Grant {
        let (tables, scopes) = (self.tables.as_ref(), self.scopes.as_ref());
        Grant::new(
            self.read_only.unwrap_or(old.is_read_only()),
            tables.unwrap_or(old.tables()).clone(),
            scopes.unwrap_or(old.scopes()).clone(),
        )
    }

    /// Creates an edit that only enables or disables a key.
    #[must_use]
    pub fn switch(enabled: bool) -> Self {
        Self {
            enabled: Some(enabled),
            ..Self::default()
        }
    }

    /// Returns whether it enables or disables a key, if it changes nothing else.
    #[must_use]
    pub fn as_switch(&self) -> Option<bool> {
        self.enabled
            .filter(|enabled| *self == Self::switch(*enabled))
    }

    /// Returns whether it changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
