//! The platform's accounts: what an owner may do, asked during each request (SPEC 1 rule 2, SPEC
//! 5.1 rule 2).

use std::any::Any;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use crate::platform_ids::{OwnerId, TenantId};

/// The scope of a user's permissions.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum AccessLevel {
    /// The user's own records.
    User,
    /// All records of the user's tenant.
    TenantAdministrator,
    /// All records.
    SystemAdministrator,
}

/// The current permissions of a user.
#[derive(Clone)]
#[non_exhaustive]
pub struct Account {
    /// Whether the user is enabled. The keys of a disabled user do not authenticate.
    pub enabled: bool,
    /// The scope of the user's permissions.
    pub access: AccessLevel,
    /// The user's tenant, if the platform has tenants.
    pub tenant: Option<TenantId>,
    /// Any value that the platform wants to read from the `Principal` of an authenticated request.
    pub extra: Option<Arc<dyn Any + Send + Sync>>,
}

impl Account {
    /// Creates an enabled account without a tenant.
    #[must_use]
    pub fn enabled(access: AccessLevel) -> Self {
        Self {
            enabled: true,
            access,
            tenant: None,
            extra: None,
        }
    }

    /// Creates the account of a disabled user, whose keys do not authenticate.
    #[must_use]
    pub fn disabled(access: AccessLevel) -> Self {
        Self {
            enabled: false,
            ..Self::enabled(access)
        }
    }

    /// Sets the value that the platform reads from the `Principal`.
    #[must_use]
    pub fn with_extra(self, extra: Arc<dyn Any + Send + Sync>) -> Self {
        Self {
            extra: Some(extra),
            ..self
        }
    }

    /// Sets the tenant.
    #[must_use]
    pub fn in_tenant(self, tenant: TenantId) -> Self {
        Self {
            tenant: Some(tenant),
            ..self
        }
    }
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account")
            .field("enabled", &self.enabled)
            .field("access", &self.access)
            .field("tenant", &self.tenant)
            .finish_non_exhaustive()
    }
}

/// An error of the platform's lookup. The request gets a 503 response and may be sent again; nobody
/// is authenticated.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the account could not be looked up: {0}")]
#[allow(clippy::exhaustive_structs, reason = "a text and nothing else")]
pub struct AccountsError(pub String);

/// The platform's answer: immediate or deferred.
#[allow(clippy::exhaustive_enums, reason = "these are all there are")]
pub enum AccountAnswer<'a> {
    /// The account is known already; this costs no allocation.
    Now(Result<Option<Account>, AccountsError>),
    /// The caller must await the account, for at most five seconds.
    Later(Pin<Box<dyn Future<Output = Result<Option<Account>, AccountsError>> + Send + 'a>>),
}

impl fmt::Debug for AccountAnswer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Now(answer) => f.debug_tuple("Now").field(answer).finish(),
            Self::Later(_) => f.write_str("Later(…)"),
        }
    }
}

/// The platform's lookup of user accounts.
///
/// Gatepost asks it for every authenticated request, so changed permissions take effect
/// immediately. The webhook engine asks again after five seconds, and uses the last answer for up
/// to a minute while it waits for one that comes [`Later`](AccountAnswer::Later). `None` means that
/// the user does not exist: the keys of a deleted user no longer authenticate. An implementation
/// that panics or hangs fails only the request that asked.
pub trait Accounts: fmt::Debug + Send + Sync + 'static {
    /// Returns the account of this user.
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_>;
}
