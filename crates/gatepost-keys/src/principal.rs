//! The authenticated caller.

use std::any::Any;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use apikey_core::{Grant, KeyId, NotGranted, OwnerId, ScopeName};
use gatepost_ids::{AccessLevel, Account, TenantId};

use crate::throttle::RateState;

/// The way in which a caller authenticated.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Via {
    /// With this API key.
    Key(KeyId),
    /// With the platform's own login: a password, a session.
    Platform,
}

/// An authenticated caller, with the current permissions of the user (SPEC 1 rule 2), or the part
/// of them that the API key was granted. The layer puts it into the extensions of the request and
/// of the response.
#[derive(Clone)]
#[non_exhaustive]
pub struct Principal {
    /// The user.
    pub owner: OwnerId,
    /// Whether the user was enabled when the account was read. The layer refuses disabled users.
    pub enabled: bool,
    /// The scope of the user's permissions.
    pub access: AccessLevel,
    /// The user's tenant.
    pub tenant: Option<TenantId>,
    /// The way in which the caller authenticated.
    pub via: Via,
    /// The part of these permissions that the API key has; all of them for a login of the platform
    /// itself.
    pub grant: Grant,
    /// The client address, for the audit log; `None` if it is unknown.
    pub address: Option<IpAddr>,
    /// The remaining requests under the limits of the API key and of all keys of the user; `None`
    /// if nothing limits them.
    pub rate: Option<RateState>,
    /// The value that the platform put into the [`Account`].
    pub extra: Option<Arc<dyn Any + Send + Sync>>,
}

impl Principal {
    /// Creates a caller with the permissions of an account.
    #[inline]
    #[must_use]
    pub fn new(owner: OwnerId, account: Account, via: Via) -> Self {
        Self {
            owner,
            enabled: account.enabled,
            access: account.access,
            tenant: account.tenant,
            via,
            grant: Grant::all(),
            address: None,
            rate: None,
            extra: account.extra,
        }
    }

    /// Restricts the caller to this part of the permissions.
    #[inline]
    #[must_use]
    pub fn with_grant(self, grant: Grant) -> Self {
        Self { grant, ..self }
    }

    /// Sets the client address.
    #[inline]
    #[must_use]
    pub fn with_address(self, address: IpAddr) -> Self {
        Self {
            address: Some(address),
            ..self
        }
    }

    #[inline]
    pub(crate) fn with_rate(self, rate: Option<RateState>) -> Self {
        Self { rate, ..self }
    }

    /// Checks that the caller has a scope of the platform: a key with this scope, a key that names
    /// nothing, or a login. It is for a handler whose decision depends on the request;
    /// [`AuthLayer::require_scope`](crate::AuthLayer::require_scope) guards a whole route.
    ///
    /// # Errors
    /// [`NotGranted`], whose text is the message of a 403.
    pub fn require_scope(&self, scope: &ScopeName) -> Result<(), NotGranted> {
        self.grant.allows_scope(scope)
    }
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Principal")
            .field("owner", &self.owner)
            .field("enabled", &self.enabled)
            .field("access", &self.access)
            .field("tenant", &self.tenant)
            .field("via", &self.via)
            .field("grant", &self.grant)
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}
