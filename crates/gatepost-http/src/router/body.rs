//! Request bodies and path parts, read once and strictly.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::StatusCode;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::ApiError;

/// A JSON body; none at all is `{}`. The content type is not looked at: existing clients differ in
/// it.
pub(super) struct Body(pub Value);

impl<S: Send + Sync> FromRequest<S> for Body {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let bytes =
            Bytes::from_request(request, state)
                .await
                .map_err(|rejection: BytesRejection| match rejection.status() {
                    StatusCode::PAYLOAD_TOO_LARGE => ApiError::too_large(),
                    _ => ApiError::malformed("The body could not be read"),
                })?;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(Self(Value::Object(serde_json::Map::new())));
        }
        serde_json::from_slice(&bytes).map(Self).map_err(|e| {
            ApiError::malformed(format!(
                "The body is not JSON: line {}, column {}",
                e.line(),
                e.column()
            ))
        })
    }
}

/// The parts of a path. One that is not UTF-8 names nothing.
pub(super) struct Parts<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Parts<T> {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut http::request::Parts,
        state: &S,
    ) -> Result<Self, ApiError> {
        let path = Path::<T>::from_request_parts(parts, state).await;
        path.map(|Path(parts)| Self(parts))
            .map_err(|_| ApiError::not_found())
    }
}

/// The row number of a path. What is no number names no row.
pub(super) fn key(text: &str) -> Result<i64, ApiError> {
    text.parse()
        .ok()
        .filter(|key| *key > 0)
        .ok_or_else(ApiError::not_found)
}
