//! The host's accounts: what an owner may do, asked at the time of each request (SPEC 1.2, SPEC 5.1 rule 2).

use std::any::Any;
use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use apikey_core::OwnerId;

/// How long an answer of the host may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// A group of users with administrators of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TenantId(pub i64);

/// How far a user's powers go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
pub struct Account {
    /// A disabled user's keys do not authenticate.
    pub enabled: bool,
    /// How far the powers go.
    pub access: AccessLevel,
    /// The tenant, where the platform has tenants.
    pub tenant: Option<TenantId>,
    /// Whatever the host wants to find again in the [`Principal`](crate::Principal).
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

/// The host could not say. The request is answered 503 and may be sent again; nobody is let in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the account could not be looked up: {0}")]
pub struct AccountsError(pub String);

/// The host's answer: at once, or later.
pub enum AccountAnswer<'a> {
    /// Known already; costs no allocation.
    Now(Result<Option<Account>, AccountsError>),
    /// To be waited for, five seconds at the most.
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
/// Asked for every authenticated request, so permissions that change take effect at once. `None` means that
/// there is no such user: the keys of a deleted user authenticate no more. An implementation that panics or
/// hangs fails the request that asked, and no other.
pub trait Accounts: fmt::Debug + Send + Sync + 'static {
    /// The account of this user.
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_>;
}

/// Asks, and answers at once if the host does; `Err` holds what is to be waited for.
pub(crate) fn ask(
    accounts: &dyn Accounts,
    owner: OwnerId,
) -> Result<Result<Option<Account>, AccountsError>, AccountAnswer<'_>> {
    match catch_unwind(AssertUnwindSafe(|| accounts.account(owner))) {
        Ok(AccountAnswer::Now(answer)) => Ok(answer),
        Ok(later) => Err(later),
        Err(_) => Ok(Err(panicked())),
    }
}

/// Waits for an answer, within bounds.
pub(crate) async fn wait(answer: AccountAnswer<'_>) -> Result<Option<Account>, AccountsError> {
    let mut future = match answer {
        AccountAnswer::Now(answer) => return answer,
        AccountAnswer::Later(future) => future,
    };
    let guarded =
        poll_fn(
            move |cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
                Ok(poll) => poll,
                Err(_) => std::task::Poll::Ready(Err(panicked())),
            },
        );
    match tokio::time::timeout(PATIENCE, guarded).await {
        Ok(answer) => answer,
        Err(_) => Err(AccountsError("no answer within 5 seconds".into())),
    }
}

/// Asks and waits.
pub(crate) async fn account(
    accounts: &dyn Accounts,
    owner: OwnerId,
) -> Result<Option<Account>, AccountsError> {
    match ask(accounts, owner) {
        Ok(answer) => answer,
        Err(later) => wait(later).await,
    }
}

fn panicked() -> AccountsError {
    AccountsError("the host's code panicked".into())
}
