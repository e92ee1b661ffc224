//! The platform's accounts: what an owner may do, asked at the time of each request (SPEC 1 rule
//! 2, SPEC 5.1 rule 2).

use std::any::Any;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use crate::platform_ids::{OwnerId, TenantId};

/// How far a user's powers go.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum AccessLevel {
    /// A user's own things.
    User,
    /// All of a tenant's.
    TenantAdministrator,
    /// All.
    SystemAdministrator,
}

/// What a user may do now.
#[derive(Clone)]
#[non_exhaustive]
pub struct Account {
    /// A disabled user's keys do not authenticate.
    pub enabled: bool,
    /// How far the powers go.
    pub access: AccessLevel,
    /// The tenant, where the platform has tenants.
    pub tenant: Option<TenantId>,
    /// Whatever the platform wants to find again in the `Principal` of an authenticated request.
    pub extra: Option<Arc<dyn Any + Send + Sync>>,
}

impl Account {
    /// An enabled account without a tenant.
    #[must_use]
    pub fn enabled(access: AccessLevel) -> Self {
        Self {
            enabled: true,
            access,
            tenant: None,
            extra: None,
        }
    }

    /// The account of a disabled user: the keys do not authenticate.
    #[must_use]
    pub fn disabled(access: AccessLevel) -> Self {
        Self {
            enabled: false,
            ..Self::enabled(access)
        }
    }

    /// The same account, with what the platform wants to find again.
    #[must_use]
    pub fn with_extra(self, extra: Arc<dyn Any + Send + Sync>) -> Self {
        Self {
            extra: Some(extra),
            ..self
        }
    }

    /// The same account within a tenant.
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

/// The platform could not say. The response is 503 and the request may be sent again; nobody is let
/// in.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the account could not be looked up: {0}")]
#[allow(clippy::exhaustive_structs, reason = "a text and nothing else")]
pub struct AccountsError(pub String);

/// The platform's answer: at once, or later.
#[allow(clippy::exhaustive_enums, reason = "these are all there are")]
pub enum AccountAnswer<'a> {
    /// Known already; costs no allocation.
    Now(Result<Option<Account>, AccountsError>),
    /// To be waited for, for at most five seconds.
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

/// Answers what a user may do.
///
/// Asked for every authenticated request, so permissions that change take effect immediately. The
/// engine of webhooks asks again after five seconds, and uses the last answer for up to a minute
/// while it waits for one that comes [`Later`](AccountAnswer::Later). `None` means that there is no
/// such user: the keys of a deleted user authenticate no more. An implementation that panics or
/// hangs fails the request that asked, and no other.
pub trait Accounts: fmt::Debug + Send + Sync + 'static {
    /// The account of this user.
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_>;
}
