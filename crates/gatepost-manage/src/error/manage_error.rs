//! The error of all calls.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use gatepost_engine::EmitError;
use gatepost_keys::AccountsError;
use gatepost_storage::{ErrorKind, StoreError};

/// A call that was not carried out: nothing was stored, but where a variant says otherwise.
///
/// On a route of the platform's own it is the response that the REST API gives:
/// `http::Response::<String>::from(error)`, for whichever body is `From<String>`.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManageError {
    /// The platform's accounts could not be asked.
    #[error(transparent)]
    Accounts(#[from] AccountsError),
    /// A new key has taken the place of this one.
    #[error("the key was rolled already; roll the key that took its place")]
    AlreadyRolled,
    /// Each time the change was applied, another one was stored first; the call may be repeated.
    #[error("the row is being changed by others; try again")]
    Contended,
    /// The record that a field names does not exist, or the caller may not see it.
    #[error("{field}: does not exist")]
    Dangling {
        /// The field, as it is called on the wire: `owner`, `task`, `user`.
        field: &'static str,
    },
    /// The task is disabled, so nothing was run.
    #[error("the task is disabled")]
    Disabled,
    /// The caller may not make records for this user.
    #[error("records of this user are not the caller's to manage")]
    Forbidden,
    /// The record's owner has as many as allowed.
    #[error("{} {have} of {most} {what}", if *.is_own { "You have" } else { "This user has" })]
    Full {
        /// Of what: `webhooks`, `tasks`, `events`, `keys`, `bytes of records`.
        what: &'static str,
        /// How many the owner has.
        have: u64,
        /// How many are allowed.
        most: u64,
        /// Whether the caller is the owner.
        is_own: bool,
    },
    /// Tasks send this webhook.
    #[error("tasks use this webhook: {}", names(tasks, *.more))]
    InUse {
        /// The names of the first of them, at most 20; they are its owner's.
        tasks: Vec<String>,
        /// How many more there are.
        more: u64,
    },
    /// The store failed after part of the deliveries had been queued again, which is audited.
    #[error("the store failed after {queued} deliveries were queued")]
    Interrupted {
        /// How many were queued.
        queued: u64,
        /// What failed.
        source: Arc<StoreError>,
    },
    /// A field breaks a rule.
    #[error("{field}: {rule}")]
    Invalid {
        /// The field, as it is called on the wire.
        field: &'static str,
        /// The rule, in words for the user and without the field's value.
        rule: String,
        /// What refused it.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// The message cannot be rendered, or the occurrence makes too much of it.
    #[error(transparent)]
    Message(EmitError),
    /// Another row of this table has that name.
    #[error("a row of {table} has that name")]
    NameTaken {
        /// The table: `user_api_keys`, `webhook_urls`.
        table: &'static str,
    },
    /// There is no such object or tag to watch, says the platform.
    #[error("there is no such object")]
    NoSuchObject,
    /// The record's owner may not do that, such as watch this object. The words are for the user.
    #[error("{0}")]
    Refused(String),
    /// There is no such row, or none that the caller may see.
    #[error("there is no such row")]
    NotFound,
    /// The platform's code or the store panicked: whether the change was stored is unknown.
    #[error("the platform's code panicked")]
    Panicked,
    /// The platform gave no answer that can be used; the call may be repeated.
    #[error("the platform gave no answer: {0}")]
    Platform(String),
    /// The store failed.
    #[error("the store failed")]
    Store(#[source] Arc<StoreError>),
    /// The record's owner does that more often than allowed, or the caller more at once than may
    /// wait ([`Turns`](crate::Turns)).
    #[error("{}", too_fast(*.retry_after))]
    TooFast {
        /// How long to wait.
        retry_after: Duration,
    },
    /// The row cannot be read; it can be deleted.
    #[error("the row cannot be read; it can be deleted")]
    Unreadable,
    /// No request can be made of the webhook.
    #[error("nothing can be sent: {0}")]
    Unsendable(delivery::ErrorClass),
    /// The row is not in a state for that, such as a delivery that is to be cancelled and has been
    /// sent.
    #[error("the row is not in a state for that")]
    WrongState,
    /// A failure that has no variant of its own.
    #[error(transparent)]
    Other(Arc<dyn Error + Send + Sync>),
}

impl ManageError {
    /// Whether the same call may succeed a little later: HTTP status 503.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        match self {
            Self::Accounts(_) | Self::Platform(_) => true,
            Self::Interrupted { source: error, .. } | Self::Store(error) => {
                error.kind() == ErrorKind::Unavailable
            }
            _ => false,
        }
    }

    /// Whether the change may have been stored all the same. Whoever repeats a creation then may
    /// have two.
    #[must_use]
    pub fn is_in_doubt(&self) -> bool {
        match self {
            Self::Panicked => true,
            Self::Store(error) => error.is_in_doubt(),
            _ => false,
        }
    }

    /// Logs what an operator should know; the caller's own mistakes are not that.
    pub(crate) fn log(&self) {
        match self {
            Self::Accounts(error) => tracing::error!(%error, "accounts cannot be asked"),
            Self::Platform(error) => tracing::error!(%error, "the platform gave no answer"),
            Self::Panicked => tracing::error!("the platform's code panicked"),
            Self::Interrupted { source: error, .. } | Self::Store(error) => {
                tracing::error!(error = ?error, "the store failed");
            }
            Self::Other(error) => tracing::error!(%error, "an error without a meaning of its own"),
            _ => {}
        }
    }

    /// The same about a record that is, or is not, the caller's own.
    pub(crate) fn about(self, own: bool) -> Self {
        match self {
            Self::Full {
                what, have, most, ..
            } => Self::Full {
                what,
                have,
                most,
                is_own: own,
            },
            other => other,
        }
    }

    /// A field that breaks a rule, by an error that says which rule.
    pub(crate) fn invalid<E: Error + Send + Sync + 'static>(
        field: &'static str,
        source: Arc<E>,
    ) -> Self {
        Self::Invalid {
            field,
            rule: source.to_string(),
            source,
        }
    }
}

/// Some names, and how many more there are.
pub(crate) fn names(names: &[String], more: u64) -> String {
    match more {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// Whole seconds, and never less than it takes.
pub(crate) fn seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

fn too_fast(retry_after: Duration) -> String {
    match seconds(retry_after) {
        1 => "too many in a minute; try again in 1 second".to_owned(),
        many => format!("too many in a minute; try again in {many} seconds"),
    }
}
