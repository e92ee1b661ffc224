//! The response to an operation that was not carried out.

use http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Response, StatusCode};
use serde_json::json;

use crate::error::{ManageError, names, seconds};
use crate::tables::KEYS;

impl ManageError {
    /// Returns the HTTP status of the REST API.
    ///
    /// An error whose change [may have been stored](Self::is_in_doubt) has 500 or 503, which
    /// clients repeat; for a creation the REST API then returns 409.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        match self {
            error if error.is_unavailable() => StatusCode::SERVICE_UNAVAILABLE,
            Self::Dangling { .. }
            | Self::Invalid { .. }
            | Self::Message(_)
            | Self::NoSuchObject => StatusCode::UNPROCESSABLE_ENTITY,
            Self::AlreadyRolled
            | Self::Disabled
            | Self::InUse { .. }
            | Self::NameTaken { .. }
            | Self::Unreadable
            | Self::WrongState => StatusCode::CONFLICT,
            Self::Forbidden | Self::Full { .. } | Self::Refused(_) => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Contended | Self::TooFast { .. } => StatusCode::TOO_MANY_REQUESTS,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Returns the text for the caller. It never contains a secret, nor details for operators,
    /// which are in the log.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            error if error.is_unavailable() => "Temporarily unavailable".to_owned(),
            Self::AlreadyRolled => {
                "The key was rolled already; roll the key that replaced it".to_owned()
            }
            Self::Dangling { field } => broken(field, "does not exist"),
            Self::Disabled => "The task is disabled".to_owned(),
            Self::Forbidden => "Access denied".to_owned(),
            // Tasks that the caller may not see are neither named nor counted.
            Self::InUse { tasks, .. } if tasks.is_empty() => "Tasks use this webhook".to_owned(),
            Self::InUse { tasks, more } => {
                format!("Tasks use this webhook: {}", names(tasks, *more))
            }
            Self::Invalid { field, rule, .. } => broken(field, rule),
            Self::Message(error) => broken("message", &error.to_string()),
            Self::NameTaken { table: KEYS } => "A key with that name exists".to_owned(),
            Self::NameTaken { .. } => "A row with that name exists".to_owned(),
            Self::NoSuchObject => broken("owner", "there is no such object or tag"),
            Self::NotFound => "Not found".to_owned(),
            Self::Full { .. } | Self::Refused(_) => self.to_string(),
            Self::Contended | Self::TooFast { .. } => capitalized(&self.to_string()),
            Self::Unreadable => "The row cannot be read; it can only be deleted".to_owned(),
            Self::WrongState => "The delivery is not in a state for that".to_owned(),
            _ => "Internal error".to_owned(),
        }
    }

    /// Returns the seconds after which the same call may be made again, if known.
    #[must_use]
    pub fn retry_after(&self) -> Option<u64> {
        match self {
            Self::Contended => Some(1),
            Self::TooFast { retry_after } => Some(seconds(*retry_after)),
            _ => None,
        }
    }
}

/// Creates a response with [`ManageError::status`], `{"err": "…"}` of [`ManageError::text`], and
/// `Retry-After` if known.
impl<B: From<String>> From<ManageError> for Response<B> {
    fn from(error: ManageError) -> Self {
        let body = json!({"err": error.text()}).to_string();
        let mut response = Self::new(B::from(body));
        *response.status_mut() = error.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if let Some(seconds) = error.retry_after() {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        response
    }
}

fn broken(field: &str, rule: &str) -> String {
    format!("Validation error on field: '{field}' - '{rule}'")
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use gatepost_storage::{ErrorKind, StoreError};

    use super::*;

    #[test]
    fn error_is_a_response_for_the_caller() {
        let too_fast = ManageError::TooFast {
            retry_after: Duration::from_millis(700),
        };
        let response: Response<String> = too_fast.into();
        assert_eq!(response.status(), 429);
        assert_eq!(response.headers()["retry-after"], "1");
        assert_eq!(response.headers()["content-type"], "application/json");
        assert_eq!(response.headers()["cache-control"], "no-store");
        let expected = r#"{"err":"Too many in a minute; try again in 1 second"}"#;
        assert_eq!(response.body(), expected);
        let response: Response<String> = ManageError::Dangling { field: "task" }.into();
        assert_eq!(response.status(), 422);
        let expected = r#"{"err":"Validation error on field: 'task' - 'does not exist'"}"#;
        assert_eq!(response.body(), expected);
    }

    #[test]
    fn store_failure_details_are_hidden_from_caller() {
        let cause = StoreError::new(ErrorKind::Unavailable, "password=hunter2");
        let response: Response<String> = ManageError::Store(Arc::new(cause)).into();
        assert_eq!(response.status(), 503);
        assert_eq!(response.body(), r#"{"err":"Temporarily unavailable"}"#);
    }
}
