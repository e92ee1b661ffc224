//! Pages for requests that fail.

use std::time::Duration;

use axum::response::{IntoResponse, Response};
use gatepost_manage::ManageError;
use http::StatusCode;
use http::header::RETRY_AFTER;
use maud::{Markup, html};

use crate::context::PageContext;
use crate::form::TooMuch;
use crate::layout::{self, Section};
use crate::problems::sentence;
use crate::state::ConsoleState;

/// A request that is not carried out, other than a form that is shown again with its errors.
#[derive(Debug)]
pub(crate) enum Failure {
    /// There is no such page or row, or none that the caller may see.
    NotFound,
    /// The user is disabled or gone, or may not create such a row.
    Forbidden,
    /// The form does not come from one of our pages.
    Forged,
    /// The session has ended; the address of the login.
    LoggedOut(String),
    /// The form is too large.
    TooLarge,
    /// A field of the form is too large, or there are too many.
    TooMuch(TooMuch),
    /// There is as much as allowed, or it may not be watched; in words.
    Refused(String),
    /// As often as allowed; the words say when it may be tried again.
    TooFast {
        words: String,
        retry_after: Duration,
    },
    /// The state of the row does not allow it.
    Conflict(String),
    /// The store or the platform's accounts cannot be reached at present.
    Unavailable,
    /// A fault of ours.
    Internal,
}

impl Failure {
    fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Forbidden | Self::Forged | Self::Refused(_) => StatusCode::FORBIDDEN,
            Self::LoggedOut(_) => StatusCode::UNAUTHORIZED,
            Self::TooLarge | Self::TooMuch(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooFast { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Conflict(_) => StatusCode::CONFLICT,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn title(&self) -> &'static str {
        match self {
            Self::NotFound => "Not found",
            Self::Forbidden | Self::Refused(_) => "Not allowed",
            Self::Forged => "Nothing was changed",
            Self::LoggedOut(_) => "Logged out",
            Self::TooLarge | Self::TooMuch(_) => "Too large",
            Self::TooFast { .. } => "Too often",
            Self::Conflict(_) => "Not possible",
            Self::Unavailable => "Temporarily unavailable",
            Self::Internal => "Something went wrong",
        }
    }

    fn body(&self) -> Markup {
        html! {
            @match self {
                Self::NotFound => p { "This page does not exist, or what it showed was deleted." },
                Self::Forbidden => p { "Your account does not allow this." },
                Self::Forged => p { "The form was not sent from a page of your current session. Go back, reload the page, and try again." },
                Self::LoggedOut(url) => p { "Your session has ended, and nothing was changed. " a href=(url) { "Log in again" } "." },
                Self::TooLarge => p { "The form is too large. Nothing was changed." },
                Self::TooMuch(TooMuch { field, rule }) => p { (layout::label(field)) ": " (sentence(rule)) " Nothing was changed." },
                Self::Conflict(words) | Self::Refused(words) | Self::TooFast { words, .. } => p { (words) },
                Self::Unavailable => p { "The request could not be completed. Try again in a moment." },
                Self::Internal => p { "An internal error occurred. The server log has the details." },
            }
        }
    }

    /// The response for an unknown caller.
    pub(crate) fn bare(&self, console: Option<&ConsoleState>) -> Response {
        let page = layout::bare(console, self.title(), &self.body());
        (self.status(), page).into_response()
    }

    /// The response within the layout, for a known caller.
    pub(crate) fn page(&self, ctx: &PageContext) -> Response {
        let page = layout::page(ctx, Section::None, self.title(), &self.body());
        let mut response = (self.status(), page).into_response();
        if let Self::TooFast { retry_after, .. } = self {
            let seconds = retry_after.as_secs() + u64::from(retry_after.subsec_nanos() > 0);
            let headers = response.headers_mut();
            headers.insert(RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// Without a layout: neither the caller nor the console is known.
impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        self.bare(None)
    }
}

impl From<ManageError> for Failure {
    fn from(error: ManageError) -> Self {
        match error {
            ManageError::Forbidden => Self::Forbidden,
            ManageError::NotFound => Self::NotFound,
            error if error.is_unavailable() => Self::Unavailable,
            ManageError::Interrupted { .. }
            | ManageError::Other(_)
            | ManageError::Panicked
            | ManageError::Store(_) => Self::Internal,
            ManageError::InUse { tasks } if tasks.is_empty() => {
                Self::Conflict("Tasks use the webhook.".into())
            }
            ManageError::InUse { tasks } => Self::Conflict(format!(
                "These tasks use the webhook: {}.",
                tasks.join(", ")
            )),
            ManageError::Full { .. } | ManageError::Refused(_) => {
                Self::Refused(sentence(&error.to_string()))
            }
            ManageError::TooFast { retry_after } => Self::TooFast {
                words: sentence(&error.to_string()),
                retry_after,
            },
            ManageError::Unreadable => {
                Self::Conflict("This record cannot be read, so it can only be deleted.".into())
            }
            ManageError::WrongState => {
                Self::Conflict("The state of this record no longer allows this.".into())
            }
            other => Self::Conflict(sentence(&other.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_door_have_the_status_that_says_whose_fault_it_is() {
        let tasks = vec!["tell".to_owned(), "count".to_owned()];
        for (error, status) in [
            (ManageError::NotFound, 404),
            (ManageError::Forbidden, 403),
            (ManageError::WrongState, 409),
            (ManageError::InUse { tasks }, 409),
            (ManageError::Unreadable, 409),
            (ManageError::Panicked, 500),
        ] {
            assert_eq!(Failure::from(error.clone()).status(), status, "{error}");
        }
    }
}
