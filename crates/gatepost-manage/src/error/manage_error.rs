//! The error of all operations.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use gatepost_engine::EmitError;
use gatepost_keys::AccountsError;
use gatepost_storage::{ErrorKind, StoreError};

/// The error of an operation that was not carried out: nothing was stored, unless a variant states
/// otherwise.
///
/// On a platform's own route it converts into the response that the REST API gives:
/// `http::Response::<String>::from(error)`, for any body that is `From<String>`.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManageError {
    /// The platform's accounts were unavailable.
    #[error(transparent)]
    Accounts(#[from] AccountsError),
    /// The key was rolled already.
    #[error("the key was rolled already; roll the key that replaced it")]
    AlreadyRolled,
    /// Each time the change was applied, another change was stored first; the call may be repeated.
    #[error("the row is being changed by others; try again")]
    Contended,
    /// The record that a field names does not exist, or the caller may not see it.
    #[error("{field}: does not exist")]
    Dangling {
        /// The field, by its name on the wire: `owner`, `task`, `user`.
        field: &'static str,
    },
    /// The task is disabled, so nothing was run.
    #[error("the task is disabled")]
    Disabled,
    /// The caller may not create records for this user.
    #[error("records of this user are not the caller's to manage")]
    Forbidden,
    /// The record's owner has reached a limit.
    #[error("{} {have} of {most} {what}", if *.is_own { "You have" } else { "This user has" })]
    Full {
        /// The limited resource: `webhooks`, `tasks`, `events`, `keys`, `bytes of records`.
        what: &'static str,
        /// The current number.
        have: u64,
        /// The maximum number.
        most: u64,
        /// Whether the caller is the owner.
        is_own: bool,
    },
    /// Tasks send this webhook.
    #[error("tasks use this webhook: {}", names(tasks, *.more))]
    InUse {
        /// The names of the first of them, at most 20; they are its owner's.
        tasks: Vec<String>,
        /// The number of further tasks.
        more: u64,
    },
    /// The store failed after some of the deliveries had been queued again, which is audited.
    #[error("the store failed after {queued} deliveries were queued")]
    Interrupted {
        /// The number of queued deliveries.
        queued: u64,
        /// The failure.
        source: Arc<StoreError>,
    },
    /// A field breaks a rule.
    #[error("{field}: {rule}")]
    Invalid {
        /// The field, by its name on the wire.
        field: &'static str,
        /// The rule, in words for the user and without the field's value.
        rule: String,
        /// The source of the refusal.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// The message cannot be rendered, or the occurrence would create too much.
    #[error(transparent)]
    Message(EmitError),
    /// Another row of this table has that name.
    #[error("a row of {table} has that name")]
    NameTaken {
        /// The table: `user_api_keys`, `webhook_urls`.
        table: &'static str,
    },
    /// The platform has no such object or tag to watch.
    #[error("there is no such object")]
    NoSuchObject,
    /// The record's owner has no permission, such as to watch this object. The text is for the
    /// user.
    #[error("{0}")]
    Refused(String),
    /// The row does not exist, or the caller may not see it.
    #[error("there is no such row")]
    NotFound,
    /// The platform's code or the store panicked: it is unknown whether the change was stored.
    #[error("the platform's code panicked")]
    Panicked,
    /// The platform gave no valid answer; the call may be repeated.
    #[error("the platform gave no answer: {0}")]
    Platform(String),
    /// The store failed.
    #[error("the store failed")]
    Store(#[source] Arc<StoreError>),
    /// The record's owner does this more often than allowed, or too many concurrent calls of the
    /// caller wait ([`Turns`](crate::Turns)).
    #[error("{}", too_fast(*.retry_after))]
    TooFast {
        /// The time to wait.
        retry_after: Duration,
    },
    /// The row cannot be read; it can be deleted.
    #[error("the row cannot be read; it can be deleted")]
    Unreadable,
    /// No request can be made for the webhook.
    #[error("nothing can be sent: {0}")]
    Unsendable(delivery::ErrorClass),
    /// The row is in the wrong state, such as a delivery to cancel that has been sent.
    #[error("the row is not in a state for that")]
    WrongState,
    /// A failure without its own variant.
    #[error(transparent)]
    Other(Arc<dyn Error + Send + Sync>),
}

impl ManageError {
    /// Returns whether the same call may succeed a little later: HTTP status 503.
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

    /// Returns whether the change may have been stored. Repeating a creation may then create a
    /// second record.
    #[must_use]
    pub fn is_in_doubt(&self) -> bool {
        match self {
            Self::Panicked => true,
            Self::Store(error) => error.is_in_doubt(),
            _ => false,
        }
    }

    /// Logs the errors that an operator must know, which excludes the caller's own mistakes.
    pub(crate) fn log(&self) {
        match self {
            Self::Accounts(error) => tracing::error!(%error, "accounts cannot be asked"),
            Self::Platform(error) => tracing::error!(%error, "the platform gave no answer"),
            Self::Panicked => tracing::error!("the platform's code panicked"),
            Self::Interrupted { source: error, .. } | Self::Store(error) => {
                tracing::error!(error = ?error, "the store failed");
            }
            Self::Other(error) => tracing::error!(%error, "an error of no other kind"),
            _ => {}
        }
    }

    /// Sets whether the error is about the caller's own record.
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

    /// Creates the error for a field that breaks a rule.
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

/// Lists some names, and the number of the others.
pub(crate) fn names(names: &[String], more: u64) -> String {
    match more {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// Returns whole seconds, rounded up.
pub(crate) fn seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

fn too_fast(retry_after: Duration) -> String {
    match seconds(retry_after) {
        1 => "too many in a minute; try again in 1 second".to_owned(),
        many => format!("too many in a minute; try again in {many} seconds"),
    }
}
