//! Who is calling.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use apikey_core::{KeyId, OwnerId};
use gatepost_ids::{AccessLevel, Account, TenantId};

/// How a caller proved who it is.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Via {
    /// By this API key.
    Key(KeyId),
    /// By the platform's own login: a password, a session.
    Platform,
}

/// An authenticated caller, with the powers that its user has at this moment (SPEC 1.2). The layer
/// puts it into the extensions of the request and of the response.
#[derive(Clone)]
#[non_exhaustive]
pub struct Principal {
    /// The user.
    pub owner: OwnerId,
    /// How far the powers go.
    pub access: AccessLevel,
    /// The user's tenant.
    pub tenant: Option<TenantId>,
    /// How the caller proved who it is.
    pub via: Via,
    /// What the platform put into the [`Account`].
    pub extra: Option<Arc<dyn Any + Send + Sync>>,
}

impl Principal {
    /// A user with the powers of an account.
    #[must_use]
    pub fn new(owner: OwnerId, account: Account, via: Via) -> Self {
        Self {
            owner,
            access: account.access,
            tenant: account.tenant,
            via,
            extra: account.extra,
        }
    }
}

impl fmt::Debug for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Principal")
            .field("owner", &self.owner)
            .field("access", &self.access)
            .field("tenant", &self.tenant)
            .field("via", &self.via)
            .finish_non_exhaustive()
    }
}
