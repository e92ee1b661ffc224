//! Conversions from the errors of the services.

use std::sync::Arc;

use apikey_core::ExceedsCaller;
use gatepost_engine::{EmitError, EngineError};
use gatepost_keys::KeyError;
use webhook_model::Invalid;

use super::manage_error::ManageError;
use crate::tables::{KEYS, WEBHOOKS};

impl From<EngineError> for ManageError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Contended => Self::Contended,
            EngineError::NotFound => Self::NotFound,
            EngineError::Invalid(invalid) => invalid.into(),
            EngineError::NameTaken => Self::NameTaken { table: WEBHOOKS },
            EngineError::InUse { tasks, more } => Self::InUse { tasks, more },
            EngineError::Dangling(field) => Self::Dangling {
                field: field.as_str(),
            },
            EngineError::Emit(error) => error.into(),
            EngineError::Forbidden(words) => Self::Refused(words),
            EngineError::Full { what, have, most } => Self::Full {
                what,
                have,
                most,
                is_own: true,
            },
            EngineError::Platform(error) => Self::Platform(error),
            EngineError::TooFast { retry_after } => Self::TooFast { retry_after },
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
            EmitError::Platform(error) => Self::Platform(error),
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
            KeyError::Contended => Self::Contended,
            KeyError::NotFound => Self::NotFound,
            KeyError::AlreadyRolled => Self::AlreadyRolled,
            KeyError::Forbidden => Self::Forbidden,
            KeyError::Locked => Self::Refused(error.to_string()),
            KeyError::Disabled => Self::invalid("enabled", Arc::new(error)),
            KeyError::NameTaken => Self::NameTaken { table: KEYS },
            KeyError::NoSuchOwner => Self::Dangling { field: "user" },
            KeyError::Full { have, most } => Self::Full {
                what: "keys",
                have,
                most,
                is_own: true,
            },
            KeyError::TooFast { retry_after } => Self::TooFast { retry_after },
            KeyError::Beyond(error) => {
                let field = match error {
                    ExceedsCaller::Expiration => "expires",
                    ExceedsCaller::Allow => "ip_allow_list",
                    ExceedsCaller::Deny => "ip_deny_list",
                    ExceedsCaller::ReadOnly => "read_only",
                    ExceedsCaller::Requests => "requests_per_minute",
                    ExceedsCaller::Scopes => "scopes",
                    ExceedsCaller::Tables => "tables",
                    _ => "$key",
                };
                Self::invalid(field, Arc::new(error))
            }
            KeyError::OverLimit { .. } => Self::invalid("requests_per_minute", Arc::new(error)),
            KeyError::TextTooLong | KeyError::TooManyFound => {
                Self::invalid("text", Arc::new(error))
            }
            KeyError::Draft(error) => Self::invalid("expires", error),
            KeyError::Edit(error) => Self::invalid("expires", error),
            KeyError::Accounts(error) => Self::Accounts(error),
            KeyError::Store(error) => Self::Store(error),
            other => Self::Other(Arc::new(other)),
        }
    }
}
