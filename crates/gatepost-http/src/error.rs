//! Error responses: a status and `{"err": "…"}`.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use gatepost_manage::ManageError;
use serde_json::json;
use webhook_model::Invalid;

/// The beginning of the text that names a field.
const FIELD: &str = "Validation error on field: '";

/// A result that is, or becomes, a response.
pub(crate) type Result<T, E = ApiError> = std::result::Result<T, E>;

/// The response to a request that is not carried out. The text never contains a secret, nor details
/// for operators, which are logged.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ApiError {
    status: StatusCode,
    text: String,
    /// The seconds after which the same request may be sent again.
    retry_after: Option<u64>,
    /// The change may have been stored.
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

    /// 403, with a text for the user.
    pub(crate) fn refused(words: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, words)
    }

    /// 404: the table or row does not exist, or the caller may not know of it.
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

    /// 413: the response would be larger than allowed; this `limit` would fit.
    pub(crate) fn response_too_large(limit: usize) -> Self {
        let text = format!(
            "The response would be too large: limit={limit} would fit; or name fewer fields"
        );
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, text)
    }

    /// 422 for an invalid filter, sort or reference.
    pub(crate) fn invalid_argument() -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "Invalid argument")
    }

    /// 422 that names the field and the rule.
    pub(crate) fn field(field: &str, rule: impl std::fmt::Display) -> Self {
        Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            format!("{FIELD}{field}' - '{rule}'"),
        )
    }

    /// Names the field as one of an object in a list, such as `events[2]`.
    pub(crate) fn within(mut self, object: &str) -> Self {
        if let Some(field) = self.text.strip_prefix(FIELD) {
            self.text = format!("{FIELD}{object}.{field}");
        }
        self
    }

    /// Returns 409 for a creation that may have been stored: clients repeat requests after 500 or
    /// 503, and would create a second row (WIRE 1).
    pub(crate) fn of_creation(self) -> Self {
        match self.in_doubt {
            true => Self::conflict(
                "It is not known whether the row was stored: look before it is created again",
            ),
            false => self,
        }
    }

    /// 503: nothing was stored, the same request may be sent again.
    pub(crate) fn unavailable() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "Temporarily unavailable")
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
        Self {
            status: error.status(),
            text: error.text(),
            retry_after: error.retry_after(),
            in_doubt: error.is_in_doubt(),
        }
    }
}

impl From<Invalid> for ApiError {
    fn from(invalid: Invalid) -> Self {
        Self::field(invalid.field().as_str(), invalid.rule())
    }
}
