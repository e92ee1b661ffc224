//! The response to a request that must not pass.

use apikey_core::NotGranted;
use http::header::{
    CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderValue, Response, StatusCode};

use super::requirements;
use crate::denial::Denied;
use crate::principal::Principal;

/// The reason why a request must not pass. `Response::<String>::from(refused)` creates its
/// response, for any body that is `From<String>`.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// No credential is valid, or a valid one may not be used from there or now.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// The key is valid but has no permission.
    #[error("{why}")]
    NotGranted {
        /// The owner of the key.
        principal: Box<Principal>,
        /// The part of its grant that forbids the request.
        why: NotGranted,
    },
}

impl<B: From<String>> From<Refused> for Response<B> {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Denied(denied) => denied.into(),
            Refused::NotGranted { principal, why } => {
                let body = format!(r#"{{"err":"{why}"}}"#);
                let mut response = refusal(StatusCode::FORBIDDEN, body);
                let challenge = requirements::challenge(&why);
                response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
                if let Some(rate) = &principal.rate {
                    rate.set_headers(response.headers_mut());
                }
                response.extensions_mut().insert(*principal);
                response
            }
        }
    }
}

/// Creates the response with the headers of its status, and [`Denied::body`].
impl<B: From<String>> From<Denied> for Response<B> {
    fn from(denied: Denied) -> Self {
        let mut response = refusal(denied.status(), denied.body().to_owned());
        let headers = response.headers_mut();
        match denied {
            Denied::Unauthenticated => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Denied::TooManyFailures(retry) => {
                headers.insert(RETRY_AFTER, retry.seconds().into());
            }
            Denied::TooManyRequests(over) => {
                headers.insert(RETRY_AFTER, over.seconds().into());
                over.set_headers(headers);
            }
            Denied::Unavailable => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            Denied::Address | Denied::Misconfigured => {}
        }
        response
    }
}

fn refusal<B: From<String>>(status: StatusCode, body: String) -> Response<B> {
    let mut response = Response::new(B::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
