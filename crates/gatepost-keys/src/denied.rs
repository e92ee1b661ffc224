//! What a caller is told when it is not let in, and what goes wrong when keys are managed.

use std::sync::Arc;

use apikey_core::{DraftError, EditError};
use gatepost_ids::AccountsError;
use gatepost_storage::StoreError;

/// The outward answer to a request that is not let in. Everything about a key but a refused address
/// looks the same (SPEC 7); the true reason goes to the log and the metrics.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Denied {
    /// 401: no credential, or none that is good.
    Unauthenticated,
    /// 403: the key is good, the address is not (SPEC 5.1 rule 4).
    Address,
    /// 429: too many failures from this address. A good key is never answered so.
    TooManyFailures,
    /// 503: the store or the host's accounts cannot be asked now.
    Unavailable,
    /// 500: the host did not say where the request comes from.
    Misconfigured,
}

impl Denied {
    /// The HTTP status.
    #[must_use]
    pub fn status(self) -> http::StatusCode {
        match self {
            Self::Unauthenticated => http::StatusCode::UNAUTHORIZED,
            Self::Address => http::StatusCode::FORBIDDEN,
            Self::TooManyFailures => http::StatusCode::TOO_MANY_REQUESTS,
            Self::Unavailable => http::StatusCode::SERVICE_UNAVAILABLE,
            Self::Misconfigured => http::StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The body of the answer, as JSON.
    #[must_use]
    pub fn body(self) -> &'static str {
        match self {
            Self::Unauthenticated => r#"{"err":"Authentication required"}"#,
            Self::Address => r#"{"err":"Access denied from this address"}"#,
            Self::TooManyFailures => r#"{"err":"Too many failed logins from this address"}"#,
            Self::Unavailable => r#"{"err":"Temporarily unavailable"}"#,
            Self::Misconfigured => r#"{"err":"Internal error"}"#,
        }
    }
}

/// Why a key could not be created, read, changed or deleted.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// There is no such key, or none that the caller may know of.
    #[error("there is no such key")]
    NotFound,
    /// The caller may not make keys for this user.
    #[error("keys of this user are not the caller's to manage")]
    Forbidden,
    /// The user has a key of that name.
    #[error("the user has a key of that name")]
    NameTaken,
    /// The user does not exist.
    #[error("user: there is no such user")]
    NoSuchOwner,
    /// The new key breaks a rule.
    #[error(transparent)]
    Draft(Arc<DraftError>),
    /// The edit breaks a rule; an expired key cannot be edited (SPEC 3).
    #[error(transparent)]
    Edit(Arc<EditError>),
    /// The host could not say who the user is.
    #[error(transparent)]
    Accounts(#[from] AccountsError),
    /// The store failed.
    #[error("the store failed")]
    Store(#[source] Arc<StoreError>),
}

impl From<StoreError> for KeyError {
    fn from(error: StoreError) -> Self {
        match error.kind() {
            gatepost_storage::ErrorKind::NotFound => Self::NotFound,
            gatepost_storage::ErrorKind::Conflict => Self::NameTaken,
            _ => Self::Store(Arc::new(error)),
        }
    }
}
