//! Why a call through the door was not carried out.

use std::error::Error;
use std::sync::Arc;

use gatepost_engine::{EmitError, EngineError};
use gatepost_keys::{AccountsError, KeyError};
use gatepost_storage::{ErrorKind, StoreError};
use webhook_model::Invalid;

/// A call that was not carried out: nothing was stored, but where a variant says otherwise.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManageError {
    /// The platform's accounts could not be asked.
    #[error(transparent)]
    Accounts(#[from] AccountsError),
    /// The records are being changed faster than they can be read; the call may be repeated.
    #[error("the webhooks, tasks and events keep changing; try again")]
    Busy,
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
    /// Tasks send this webhook.
    #[error("tasks use this webhook: {}", tasks.join(", "))]
    InUse {
        /// Their names; at most 20.
        tasks: Vec<String>,
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
    /// There is no such row, or none that the caller may see.
    #[error("there is no such row")]
    NotFound,
    /// The platform's code or the store panicked: whether the change was stored is unknown.
    #[error("the platform's code panicked")]
    Panicked,
    /// The store failed.
    #[error("the store failed")]
    Store(#[source] Arc<StoreError>),
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
            Self::Accounts(_) | Self::Busy => true,
            Self::Interrupted { source: error, .. } | Self::Store(error) => {
                error.kind() == ErrorKind::Unavailable
            }
            _ => false,
        }
    }

    /// Logs what an operator should know; the caller's own mistakes are not that.
    pub(crate) fn log(&self) {
        match self {
            Self::Accounts(error) => tracing::error!(%error, "accounts cannot be asked"),
            Self::Panicked => tracing::error!("the platform's code panicked"),
            Self::Interrupted { source: error, .. } | Self::Store(error) => {
                tracing::error!(error = ?error, "the store failed");
            }
            Self::Other(error) => tracing::error!(%error, "an error without a meaning of its own"),
            _ => {}
        }
    }

    /// A field that breaks a rule, by an error that says which rule.
    fn invalid<E: Error + Send + Sync + 'static>(field: &'static str, source: Arc<E>) -> Self {
        Self::Invalid {
            field,
            rule: source.to_string(),
            source,
        }
    }
}

impl From<EngineError> for ManageError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::NotFound => Self::NotFound,
            EngineError::Invalid(invalid) => invalid.into(),
            EngineError::NameTaken => Self::NameTaken {
                table: crate::tables::WEBHOOKS,
            },
            EngineError::InUse { tasks } => Self::InUse { tasks },
            EngineError::Dangling(field) => Self::Dangling {
                field: field.as_str(),
            },
            EngineError::Emit(error) => error.into(),
            EngineError::Unsendable(class) => Self::Unsendable(class),
            EngineError::Interrupted { queued, source } => Self::Interrupted { queued, source },
            EngineError::Store(error) => Self::Store(error),
            other => Self::Other(Arc::new(other)),
        }
    }
}

impl From<EmitError> for ManageError {
    fn from(error: EmitError) -> Self {
        match error {
            EmitError::Busy => Self::Busy,
            EmitError::Store(error) => Self::Store(error),
            other => Self::Message(other),
        }
    }
}

impl From<Invalid> for ManageError {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid {
            field: invalid.field().as_str(),
            rule: invalid.rule().to_owned(),
            source: Arc::new(invalid),
        }
    }
}

impl From<KeyError> for ManageError {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::NotFound => Self::NotFound,
            KeyError::Forbidden => Self::Forbidden,
            KeyError::NameTaken => Self::NameTaken {
                table: crate::tables::KEYS,
            },
            KeyError::NoSuchOwner => Self::Dangling { field: "user" },
            KeyError::Draft(error) => Self::invalid("expires", error),
            KeyError::Edit(error) => Self::invalid("expires", error),
            KeyError::Accounts(error) => Self::Accounts(error),
            KeyError::Store(error) => Self::Store(error),
            other => Self::Other(Arc::new(other)),
        }
    }
}
