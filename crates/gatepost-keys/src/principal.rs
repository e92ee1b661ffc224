//! Who is calling.

use std::any::Any;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use apikey_core::{Grant, KeyId, NotGranted, OwnerId, ScopeName};
use gatepost_ids::{AccessLevel, Account, TenantId};

use crate::throttle::RateStanding;

/// How a caller proved who it is.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Via {
    /// By this API key.
    Key(KeyId),
    /// By the platform's own login: a password, a session.
    Platform,
}

/// An authenticated caller, with the powers that its user has at this moment (SPEC 1 rule 2), or
/// with those of them that its API key was granted. The layer puts it into the extensions of the
/// request and of the response.
#[derive(Clone)]
#[non_exhaustive]
pub struct Principal {
    /// The user.
    pub owner: OwnerId,
    /// Whether the user was enabled when the account was read. The layer lets in nobody else.
    pub enabled: bool,
    /// How far the powers go.
    pub access: AccessLevel,
    /// The user's tenant.
    pub tenant: Option<TenantId>,
    /// How the caller proved who it is.
    pub via: Via,
    /// What of these powers the API key has by which the caller came; all of them for a login of
    /// the platform's own.
    pub grant: Grant,
    /// The address from which the caller came, for a log of changes; `None` where it is not known.
    pub address: Option<IpAddr>,
    /// How the request stands to the limits of its API key and of all keys of the user; `None`
    /// where nothing limits it.
    pub rate: Option<RateStanding>,
    /// What the platform put into the [`Account`].
    pub extra: Option<Arc<dyn Any + Send + Sync>>,
}

impl Principal {
    /// A user with the powers of an account.
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

    /// The same caller with no more than this of its powers.
    #[inline]
    #[must_use]
    pub fn with_grant(self, grant: Grant) -> Self {
        Self { grant, ..self }
    }

    /// The same caller, known to come from this address.
    #[inline]
    #[must_use]
    pub fn with_address(self, address: IpAddr) -> Self {
        Self {
            address: Some(address),
            ..self
        }
    }

    #[inline]
    pub(crate) fn with_rate(self, rate: Option<RateStanding>) -> Self {
        Self { rate, ..self }
    }

    /// Whether the caller has a scope of the platform's own: a key that names this scope, a key
    /// that names nothing, or a login. For a handler that decides by what is asked of it; a whole
    /// route is guarded by [`AuthLayer::require_scope`](crate::AuthLayer::require_scope).
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
