//! Request bodies and path parts, read once and strictly.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::StatusCode;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use webhook_model::{ObjectId, parse_json};

use crate::apart::apart;
use crate::error::{ApiError, Result};
use crate::schema::{MOST_VALUES, values};

/// The maximum size of a body that is parsed on the current thread; parsing a larger one takes
/// milliseconds, and is done on another thread.
const SHORT: usize = 32 * 1024;
/// The mark that editors and shells of Windows put before a text (RFC 8259 §8.1).
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A JSON body, with or without a byte order mark; an empty one is `{}`. The content type is
/// ignored: existing clients differ in it.
pub(super) struct Body {
    value: Value,
    /// The JSON itself, in which numbers have their digits.
    text: String,
    is_short: bool,
}

impl Body {
    /// Returns the body, so that parts can be removed from it.
    pub(super) fn value_mut(&mut self) -> &mut Value {
        &mut self.value
    }

    /// Accepts `null` as an empty body. Generated clients for languages without optional arguments
    /// send it.
    pub(super) fn or_none(mut self) -> Self {
        if self.value.is_null() {
            self.value = Value::Object(Map::new());
        }
        self
    }

    /// Returns the result of parsing the body and its text.
    pub(super) async fn checked<T: Send + 'static>(
        self,
        check: impl FnOnce(Value, &str) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let Self { value, text, .. } = self;
        in_its_place(self.is_short, move || check(value, &text)).await
    }
}

impl<S: Send + Sync> FromRequest<S> for Body {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let bytes =
            Bytes::from_request(request, state)
                .await
                .map_err(|rejection: BytesRejection| match rejection.status() {
                    StatusCode::PAYLOAD_TOO_LARGE => ApiError::too_large(),
                    _ => ApiError::malformed("The body could not be read"),
                })?;
        let is_short = bytes.len() <= SHORT;
        let (value, text) = in_its_place(is_short, move || parse(&bytes)).await?;
        Ok(Self {
            value,
            text,
            is_short,
        })
    }
}

fn parse(bytes: &[u8]) -> Result<(Value, String)> {
    if bytes.is_empty() {
        return Ok((Value::Object(Map::new()), String::new()));
    }
    if values(bytes) > MOST_VALUES {
        return Err(ApiError::too_large());
    }
    let json = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let read = match std::str::from_utf8(json) {
        Ok(text) => parse_json(text).map(|value| (value, text.to_owned())),
        // If it is not JSON either, this error has the position.
        Err(_) => serde_json::from_slice(json).map(|value| (value, String::new())),
    };
    read.map_err(|e| {
        ApiError::malformed(format!(
            "The body is not JSON: line {}, column {}",
            e.line(),
            e.column()
        ))
    })
}

/// Runs the work immediately, or on a blocking thread.
async fn in_its_place<T: Send + 'static>(
    is_short: bool,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    if is_short { work() } else { apart(work).await }
}

/// The parts of a path. One that is not UTF-8 names nothing.
pub(super) struct Parts<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Parts<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut http::request::Parts, state: &S) -> Result<Self> {
        let path = Path::<T>::from_request_parts(parts, state).await;
        path.map(|Path(parts)| Self(parts))
            .map_err(|_| ApiError::not_found())
    }
}

/// Parses the id of a path. An invalid one names no row.
pub(super) fn key(text: &str) -> Result<ObjectId> {
    text.parse().map_err(|_| ApiError::not_found())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_body_is_empty_object_blank_is_invalid() {
        let none = Value::Object(Map::new());
        assert_eq!(parse(b"").map(|(value, _)| value), Ok(none));
        for spaces in ["\n", " ", "\t\r\n "] {
            assert!(parse(spaces.as_bytes()).is_err(), "{spaces:?}");
        }
    }

    /// Editors and shells of Windows write one (RFC 8259 §8.1).
    #[test]
    fn byte_order_mark_before_json_is_dropped() {
        let body = "\u{feff} {\"a\": 1}\n";
        let (value, text) = parse(body.as_bytes()).unwrap();
        assert_eq!(value, serde_json::json!({"a": 1}));
        assert_eq!(text, " {\"a\": 1}\n");
        for wrong in ["\u{feff}", "\u{feff}\u{feff}{}", "{}\u{feff}"] {
            assert!(parse(wrong.as_bytes()).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn json_body_with_too_many_values_is_refused() {
        let many = |count: usize| format!("{{\"a\":[{}0]}}", "0,".repeat(count));
        assert!(parse(many(MOST_VALUES - 10).as_bytes()).is_ok());
        assert_eq!(
            parse(many(MOST_VALUES).as_bytes()),
            Err(ApiError::too_large())
        );
        let deep = "[".repeat(MOST_VALUES);
        assert_eq!(parse(deep.as_bytes()), Err(ApiError::too_large()));
        let text = format!("{{\"a\":\"{}\"}}", ",[{\\\"".repeat(MOST_VALUES));
        assert!(parse(text.as_bytes()).is_ok(), "a text is one value");
    }
}
