//! The id in a path.

use axum::extract::{FromRequestParts, Path};
use http::request::Parts;
use webhook_model::OwnerId;

use crate::failure::Failure;

/// The row number in a path. A text that is not a number names no row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowId(pub i64);

impl<S: Send + Sync> FromRequestParts<S> for RowId {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let id = Path::<i64>::from_request_parts(parts, state).await;
        id.map(|id| Self(id.0)).map_err(|_| Failure::NotFound)
    }
}

/// The user in a path. A text that is not an id names no user.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UserId(pub OwnerId);

impl<S: Send + Sync> FromRequestParts<S> for UserId {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let id = Path::<String>::from_request_parts(parts, state).await;
        let id = id.ok().and_then(|id| id.parse().ok());
        id.map(Self).ok_or(Failure::NotFound)
    }
}
