//! The row number in a path.

use axum::extract::{FromRequestParts, Path};
use http::request::Parts;

use crate::failure::Failure;

/// The row number in a path. What is not a number names no row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowId(pub i64);

impl<S: Send + Sync> FromRequestParts<S> for RowId {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let id = Path::<i64>::from_request_parts(parts, state).await;
        id.map(|id| Self(id.0)).map_err(|_| Failure::NotFound)
    }
}
