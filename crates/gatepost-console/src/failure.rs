//! Pages for what does not work out.

use axum::response::{IntoResponse, Response};
use gatepost_engine::{EmitError, EngineError};
use gatepost_keys::{AccountsError, KeyError};
use gatepost_storage::{ErrorKind, StoreError};
use http::StatusCode;
use maud::{Markup, html};

use super::Console;
use super::layout::{self, Section};
use super::session::Ctx;

/// A request that is not carried out, apart from forms that are shown again with their errors.
#[derive(Debug)]
pub(super) enum Failure {
    /// There is no such page or row, or none that the caller may know of.
    NotFound,
    /// The user is disabled or gone, or the row is not the caller's to make.
    Forbidden,
    /// The form does not come from one of our pages.
    Forged,
    /// The session has ended; here one logs in.
    LoggedOut(String),
    /// The form is too large.
    TooLarge,
    /// The row is not in a state for that.
    Conflict(String),
    /// The store or the host's accounts cannot be asked at present.
    Unavailable,
    /// A fault of ours.
    Internal,
}

impl Failure {
    fn status(&self) -> StatusCode {
        match self {
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Forbidden | Self::Forged => StatusCode::FORBIDDEN,
            Self::LoggedOut(_) => StatusCode::UNAUTHORIZED,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Conflict(_) => StatusCode::CONFLICT,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn title(&self) -> &'static str {
        match self {
            Self::NotFound => "Not found",
            Self::Forbidden => "Not allowed",
            Self::Forged => "Nothing was changed",
            Self::LoggedOut(_) => "Logged out",
            Self::TooLarge => "Too large",
            Self::Conflict(_) => "Not possible",
            Self::Unavailable => "Not available at present",
            Self::Internal => "Something went wrong",
        }
    }

    fn body(&self) -> Markup {
        html! {
            @match self {
                Self::NotFound => p { "There is no such page, or what it showed is gone." },
                Self::Forbidden => p { "Your account does not allow this." },
                Self::Forged => p { "The form did not come from a page of your present session. Go back, reload the page, and try again." },
                Self::LoggedOut(url) => p { "Your session has ended. Nothing was changed. " a href=(url) { "Log in again" } "." },
                Self::TooLarge => p { "What was sent is too large. Nothing was changed." },
                Self::Conflict(text) => p { (text) },
                Self::Unavailable => p { "Nothing was changed. Try again in a moment." },
                Self::Internal => p { "The reason is in the server's log." },
            }
        }
    }

    /// The answer for somebody who is not known.
    pub(super) fn bare(&self, console: Option<&Console>) -> Response {
        let page = layout::bare(console, self.title(), &self.body());
        (self.status(), page).into_response()
    }

    /// The answer within the layout, for a known caller.
    pub(super) fn page(&self, ctx: &Ctx) -> Response {
        let page = layout::page(ctx, Section::None, self.title(), &self.body());
        (self.status(), page).into_response()
    }
}

/// Without a layout: neither who asks nor which console is asked is known.
impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        self.bare(None)
    }
}

impl From<AccountsError> for Failure {
    fn from(error: AccountsError) -> Self {
        tracing::error!(%error, "accounts cannot be asked");
        Self::Unavailable
    }
}

impl From<KeyError> for Failure {
    fn from(error: KeyError) -> Self {
        match error {
            KeyError::NotFound => Self::NotFound,
            KeyError::Forbidden | KeyError::NoSuchOwner => Self::Forbidden,
            KeyError::Accounts(error) => error.into(),
            KeyError::Store(error) => store(&error),
            other => Self::Conflict(other.to_string()),
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::NotFound => Self::NotFound,
            EngineError::Emit(EmitError::Store(error)) | EngineError::Store(error) => store(&error),
            EngineError::Emit(EmitError::Busy) => Self::Unavailable,
            other => Self::Conflict(other.to_string()),
        }
    }
}

fn store(error: &StoreError) -> Failure {
    tracing::error!(error = ?error, "the store failed");
    match error.kind() {
        ErrorKind::Unavailable => Failure::Unavailable,
        _ => Failure::Internal,
    }
}
