//! One error type, one response: a status and `{"err": "…"}`.

use std::time::Duration;

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use gatepost_manage::ManageError;
use serde_json::json;
use webhook_model::Invalid;

/// The response to a request that is not carried out. The text never holds a secret, nor what
/// only an operator should know; that goes to the log.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ApiError {
    status: StatusCode,
    text: String,
    /// After how many seconds the same request may be sent again.
    retry_after: Option<u64>,
    /// What was to be changed may have been.
    in_doubt: bool,
}

impl ApiError {
    fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Self {
            status,
            text: text.into(),
            retry_after: None,
            in_doubt: false,
        }
    }

    /// 400: the request cannot be read at all.
    pub(crate) fn malformed(text: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, text)
    }

    /// 403.
    pub(crate) fn forbidden() -> Self {
        Self::new(StatusCode::FORBIDDEN, "Access denied")
    }

    /// 403, in words for the user.
    pub(crate) fn refused(words: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, words)
    }

    /// 404: no such table or row, or none that the caller may know of.
    pub(crate) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "Not found")
    }

    /// 405.
    pub(crate) fn not_permitted() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed")
    }

    /// 409.
    pub(crate) fn conflict(text: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, text)
    }

    /// 413.
    pub(crate) fn too_large() -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "The request is too large")
    }

    /// 413: the response would be larger than it may be; this `limit` would fit.
    pub(crate) fn response_too_large(limit: usize) -> Self {
        let text = format!(
            "The response would be too large: limit={limit} would fit; or name fewer fields"
        );
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, text)
    }

    /// 422 for a filter, sort or reference that cannot be understood.
    pub(crate) fn invalid_argument() -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "Invalid argument")
    }

    /// 422 that names the field and the rule.
    pub(crate) fn field(field: &str, rule: impl std::fmt::Display) -> Self {
        Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            format!("Validation error on field: '{field}' - '{rule}'"),
        )
    }

    /// 429: as often as allowed.
    pub(crate) fn too_fast(retry_after: Duration) -> Self {
        // Whole seconds, and never less than it takes.
        let seconds = retry_after.as_secs() + u64::from(retry_after.subsec_nanos() > 0);
        let text = format!("Too many in a minute; try again in {seconds} seconds");
        Self {
            retry_after: Some(seconds),
            ..Self::new(StatusCode::TOO_MANY_REQUESTS, text)
        }
    }

    /// 503: nothing was stored, the same request may be sent again.
    pub(crate) fn unavailable() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "Temporarily unavailable")
    }

    /// 409 for a creation of which it is not known whether it was stored: clients repeat what is
    /// answered with 500 or 503, and would have two (WIRE 1).
    pub(crate) fn of_creation(self) -> Self {
        match self.in_doubt {
            true => Self::conflict(
                "It is not known whether the row was stored: look before it is created again",
            ),
            false => self,
        }
    }

    /// 500.
    pub(crate) fn internal() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal error")
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(json!({"err": self.text}))).into_response();
        if let Some(seconds) = self.retry_after {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, seconds.into());
        }
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(
                header::WWW_AUTHENTICATE,
                header::HeaderValue::from_static("Bearer"),
            );
        }
        response
    }
}

impl From<ManageError> for ApiError {
    fn from(error: ManageError) -> Self {
        let in_doubt = error.is_in_doubt();
        let error = Self::of(error);
        Self { in_doubt, ..error }
    }
}

impl ApiError {
    fn of(error: ManageError) -> Self {
        match error {
            error if error.is_unavailable() => Self::unavailable(),
            ManageError::Dangling { field } => Self::field(field, "does not exist"),
            ManageError::AlreadyRolled => {
                Self::conflict("The key was rolled already; roll the key that took its place")
            }
            ManageError::Disabled => Self::conflict("The task is disabled"),
            ManageError::Forbidden => Self::forbidden(),
            // Tasks that the caller may not see are not named, nor counted.
            ManageError::InUse { tasks } if tasks.is_empty() => {
                Self::conflict("Tasks use this webhook")
            }
            ManageError::InUse { tasks } => {
                Self::conflict(format!("Tasks use this webhook: {}", tasks.join(", ")))
            }
            ManageError::Invalid { field, rule, .. } => Self::field(field, rule),
            ManageError::Message(error) => Self::field("message", error),
            ManageError::NameTaken {
                table: "user_api_keys",
            } => Self::conflict("A key with that name exists"),
            ManageError::NameTaken { .. } => Self::conflict("A row with that name exists"),
            ManageError::NoSuchObject => Self::field("owner", "there is no such object or tag"),
            ManageError::NotFound => Self::not_found(),
            ManageError::Full { .. } | ManageError::Refused(_) => Self::refused(error.to_string()),
            ManageError::TooFast { retry_after } => Self::too_fast(retry_after),
            ManageError::Unreadable => {
                Self::conflict("The row cannot be read; it can only be deleted")
            }
            ManageError::WrongState => Self::conflict("The delivery is not in a state for that"),
            // The door has logged what an operator should know of it.
            _ => Self::internal(),
        }
    }
}

impl From<Invalid> for ApiError {
    fn from(invalid: Invalid) -> Self {
        Self::field(invalid.field().as_str(), invalid.rule())
    }
}
