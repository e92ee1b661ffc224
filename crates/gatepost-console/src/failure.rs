//! Pages for requests that fail, and the reasons in words.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use axum::response::{IntoResponse, Response};
use gatepost_manage::ManageError;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, StatusCode};
use maud::{Markup, html};

use crate::context::{ConsoleState, PageContext};
use crate::form::TooMuch;
use crate::kept::Kept;
use crate::layout::{self, Section};
use crate::problems::{Problems, sentence};
use crate::texts::Texts;

/// A request that is not carried out, except for a form that is shown again with its errors.
#[derive(Debug)]
pub(crate) enum Failure {
    /// There is no such page or row, or none that the caller may see.
    NotFound,
    /// The user is disabled or deleted, or may not create such a row.
    Forbidden,
    /// The form does not come from a page of the console, or comes from one of an earlier session:
    /// then with the typed values.
    Forged(Option<Kept>),
    /// The address exists, but not for this method.
    WrongMethod,
    /// The session has ended: the address of the login, and the typed values.
    LoggedOut(String, Option<Kept>),
    /// The form is too large.
    TooLarge,
    /// A field of the form is too large, or there are too many.
    TooMuch(TooMuch),
    /// A limit is reached, or the event may not be received; worded by the crates below.
    Refused(String),
    /// A rate limit is reached; the words, of the crates below, say when to try again.
    TooFast {
        words: String,
        retry_after: Duration,
    },
    /// The state of the row does not allow it; worded by the page or by the crates below.
    Conflict(String),
    /// The webhook is in use by tasks of these names, and by this number of others.
    InUse(Vec<String>, u64),
    /// A field breaks a rule, worded by the crates below, and there is no form to show it in.
    Invalid(&'static str, String),
    /// The record cannot be read.
    Unreadable,
    /// The record has changed.
    Changed,
    /// The store or the platform's accounts cannot be reached at present.
    Unavailable,
    /// A bug of the console.
    Internal,
}

impl Failure {
    /// Returns the status of the response, and the name of the text that is the title of the page.
    fn kind(&self) -> (StatusCode, &'static str) {
        match self {
            Self::NotFound => (StatusCode::NOT_FOUND, "frame-failure-not-found"),
            Self::WrongMethod => (StatusCode::METHOD_NOT_ALLOWED, "frame-failure-not-a-page"),
            Self::Forbidden | Self::Refused(_) => {
                (StatusCode::FORBIDDEN, "frame-failure-not-allowed")
            }
            Self::Forged(_) => (StatusCode::FORBIDDEN, "frame-failure-nothing-changed"),
            Self::LoggedOut(..) => (StatusCode::UNAUTHORIZED, "frame-failure-logged-out"),
            Self::TooLarge | Self::TooMuch(_) => {
                (StatusCode::PAYLOAD_TOO_LARGE, "frame-failure-too-large")
            }
            Self::TooFast { .. } => (StatusCode::TOO_MANY_REQUESTS, "frame-failure-too-many"),
            Self::Conflict(_)
            | Self::InUse(..)
            | Self::Invalid(..)
            | Self::Unreadable
            | Self::Changed => (StatusCode::CONFLICT, "frame-failure-not-possible"),
            Self::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "frame-failure-unavailable"),
            Self::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "frame-failure-internal"),
        }
    }

    fn title<'a>(&self, texts: &'a Texts) -> Cow<'a, str> {
        texts.of(self.kind().1)
    }

    fn body(&self, console: &ConsoleState) -> Markup {
        let texts = &console.texts;
        let login = |url: &str, words: &str| html! { a href=(url) { (words) } };
        let p = |name: &str| html! { p { (texts.of(name)) } };
        html! {
            @match self {
                Self::Forbidden => (p("frame-failure-forbidden-text")),
                Self::Forged(None) => (p("frame-failure-forged-text")),
                Self::Forged(Some(kept)) => {
                    (p("frame-failure-earlier-session-text"))
                    (kept.form(console))
                },
                Self::LoggedOut(url, None) => p { (texts.markup("frame-failure-logged-out-text", &[("login", login(url, &texts.of("frame-log-in-again")).into())])) },
                Self::LoggedOut(url, Some(kept)) => {
                    (p("frame-failure-logged-out-kept-text"))
                    ol {
                        @let new_tab = html! { a href=(url) target="_blank" rel="noopener" { (texts.of("frame-log-in-new-tab")) } };
                        li { p { (texts.markup("frame-failure-log-in-first-text", &[("login", new_tab.into())])) } }
                        li { (kept.form(console)) }
                    }
                },
                Self::TooMuch(TooMuch { field, excess }) => p { (texts.with("frame-failure-too-much-text", &[("field", layout::label(texts, "", field).into()), ("rule", excess.rule(texts).into())])) },
                Self::Conflict(_) | Self::InUse(..) | Self::Invalid(..) | Self::Refused(_) | Self::TooFast { .. } | Self::Unreadable | Self::Changed => p { (self.words(texts).unwrap_or_default()) },
                Self::NotFound | Self::WrongMethod | Self::TooLarge | Self::Unavailable | Self::Internal => (p(&format!("{}-text", self.kind().1))),
            }
        }
    }

    /// Returns why it was refused, in words to be shown next to the pressed button; `None` if the
    /// page itself is the problem.
    pub(crate) fn words(&self, texts: &Texts) -> Option<String> {
        let said = |rule: &str| sentence(&texts.rule(rule));
        Some(match self {
            Self::Conflict(words) | Self::Refused(words) | Self::TooFast { words, .. } => {
                said(words)
            }
            Self::InUse(tasks, _) if tasks.is_empty() => {
                texts.of("frame-failure-in-use").into_owned()
            }
            Self::InUse(tasks, more) => {
                let values = [("tasks", tasks.join(", ").into()), ("more", (*more).into())];
                texts.with("frame-failure-in-use-by", &values)
            }
            Self::Invalid(field, rule) => {
                let field = layout::label(texts, "", field);
                let values = [("field", field.into()), ("rule", said(rule).into())];
                texts.with("frame-failure-invalid", &values)
            }
            Self::Unreadable => texts.of("frame-failure-unreadable").into_owned(),
            Self::Changed => texts.of("frame-failure-changed").into_owned(),
            _ => return None,
        })
    }

    /// Returns the response for an unknown caller.
    pub(crate) fn bare(&self, console: &ConsoleState) -> Response {
        let page = layout::bare(console, &self.title(&console.texts), &self.body(console));
        self.respond(page)
    }

    /// Returns the response within the layout, for a known caller. The link back depends on the
    /// requested path.
    pub(crate) fn page(&self, ctx: &PageContext) -> Response {
        let (section, texts) = (Section::of_path(&ctx.path), ctx.texts());
        let row = row_page(&ctx.path).filter(|_| !matches!(self, Self::NotFound));
        let body = html! {
            section { (self.body(&ctx.console)) }
            p.actions {
                @if let Some((row, name)) = row { a.button href=(ctx.at(row)) { (texts.of(name)) } }
                a.button href=(ctx.at(section.path())) { (texts.with("frame-go-to", &[("section", section.name(texts).into())])) }
            }
        };
        self.respond(layout::page(ctx, section, &self.title(texts), &body))
    }

    /// Returns a page of the console, with the status and headers of this failure.
    pub(crate) fn respond(&self, page: Markup) -> Response {
        let mut response = (self.kind().0, page).into_response();
        if let Self::TooFast { retry_after, .. } = self {
            let seconds = retry_after.as_secs() + u64::from(retry_after.subsec_nanos() > 0);
            response.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        response
    }
}

/// Returns the path of the page of a webhook or delivery that an action is about, and the name of
/// the link's text; the other records have no such page.
fn row_page(path: &str) -> Option<(&str, &'static str)> {
    let (rest, name) = match path.strip_prefix("/webhooks/") {
        Some(rest) => (rest, "frame-back-to-webhook"),
        None => (path.strip_prefix("/deliveries/")?, "frame-back-to-delivery"),
    };
    let (id, _) = rest.split_once('/')?;
    id.parse::<i64>().ok()?;
    let end = path.len() - rest.len() + id.len();
    Some((path.get(..end)?, name))
}

/// Only marks the response for [`in_layout`]: neither the caller nor the console is known here.
impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = self.kind().0.into_response();
        response.extensions_mut().insert(Arc::new(self));
        response
    }
}

/// Replaces the refusal of a handler or of the router by a page in the layout. Every other response
/// is left unchanged.
pub(crate) fn in_layout(ctx: &PageContext, response: Response) -> Response {
    let status = response.status();
    if let Some(failure) = response.extensions().get::<Arc<Failure>>() {
        return failure.page(ctx);
    }
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || is_page(response.headers()) {
        return response;
    }
    let failure = match status {
        StatusCode::METHOD_NOT_ALLOWED => Failure::WrongMethod,
        status if status.is_client_error() => Failure::NotFound,
        _ => Failure::Internal,
    };
    failure.page(ctx)
}

/// Whether a response has content that a handler of the console wrote: a page, or the script's
/// JSON.
fn is_page(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE);
    kind.is_some_and(|kind| {
        [&b"text/html"[..], b"application/json"]
            .iter()
            .any(|known| kind.as_bytes().starts_with(known))
    })
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
            ManageError::InUse { tasks, more } => Self::InUse(tasks, more),
            ManageError::Full { .. } | ManageError::Refused(_) => Self::Refused(error.to_string()),
            ManageError::TooFast { retry_after } => Self::TooFast {
                words: error.to_string(),
                retry_after,
            },
            ManageError::Invalid { field, rule, .. } => Self::Invalid(field, rule),
            ManageError::Dangling { field } => Self::Invalid(field, "does not exist".to_owned()),
            ManageError::Contended => Self::TooFast {
                words: error.to_string(),
                retry_after: Duration::from_secs(1),
            },
            ManageError::Unreadable => Self::Unreadable,
            ManageError::WrongState => Self::Changed,
            other => Self::Conflict(other.to_string()),
        }
    }
}

/// Notes why a form was refused as a whole: a limit or a rate limit is reached, others change the
/// row at the same time, or the event may not be received. Any other error fails the request.
pub(crate) fn note_refusal(error: ManageError, problems: &mut Problems) -> Result<(), Failure> {
    match error {
        ManageError::Contended
        | ManageError::Full { .. }
        | ManageError::Refused(_)
        | ManageError::TooFast { .. } => {
            problems.refuse(error);
            Ok(())
        }
        other => Err(other.into()),
    }
}

/// Returns the note on a form that is opened again with what was typed in an earlier session.
pub(crate) fn opened_again(texts: &Texts) -> Problems {
    let mut problems = Problems::new(texts);
    problems.refuse(texts.of("forms-opened-again"));
    problems
}

/// Returns the response to a deletion that was refused: its own page again, with the reason next to
/// the box. If that page no longer exists, the request fails.
pub(crate) async fn refused_deletion(
    texts: &Texts,
    error: ManageError,
    page: impl AsyncFnOnce(&str) -> Result<Markup, Failure>,
) -> Result<Response, Failure> {
    let failure = Failure::from(error);
    match failure.words(texts) {
        Some(words) => Ok(failure.respond(page(&words).await?)),
        None => Err(failure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_is_derived_from_the_path() {
        for (path, back) in [
            ("/webhooks/5/do/pause", Some("/webhooks/5")),
            ("/deliveries/17/cancel", Some("/deliveries/17")),
            ("/webhooks/5", None),
            ("/webhooks/check", None),
            ("/webhooks/x/delete", None),
            ("/tasks/5/do/run", None),
        ] {
            assert_eq!(row_page(path).map(|(path, _)| path), back, "{path}");
        }
        assert_eq!(Section::of_path("/keys/5/delete"), Section::Keys);
        assert_eq!(Section::of_path("/events"), Section::Events);
        for other in ["", "/", "/keysmith", "/nothing"] {
            assert_eq!(Section::of_path(other), Section::Dashboard, "{other}");
        }
    }

    #[test]
    fn management_errors_have_the_status_of_their_cause() {
        let tasks = vec!["tell".to_owned(), "count".to_owned()];
        for (error, status) in [
            (ManageError::NotFound, 404),
            (ManageError::Forbidden, 403),
            (ManageError::WrongState, 409),
            (ManageError::InUse { tasks, more: 1 }, 409),
            (ManageError::Unreadable, 409),
            (ManageError::Contended, 429),
            (ManageError::Panicked, 500),
        ] {
            assert_eq!(Failure::from(error.clone()).kind().0, status, "{error}");
        }
    }
}
