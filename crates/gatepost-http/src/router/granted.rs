//! Grants of narrowed keys, checked for each route before anything is read.

use apikey_core::{Access, Grant, NotGranted};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use gatepost_manage::Principal;

use crate::error::ApiError;

/// Checks routes of this table.
pub(super) async fn of_table(
    State(table): State<&'static str>,
    request: Request,
    next: Next,
) -> Response {
    judged(request, next, |grant, touch| {
        grant.allows_table(table, touch)
    })
    .await
}

/// Checks routes that change rows of this table by any method.
pub(super) async fn to_change(
    State(table): State<&'static str>,
    request: Request,
    next: Next,
) -> Response {
    judged(request, next, |grant, _| {
        grant.allows_table(table, Access::Write)
    })
    .await
}

/// Checks routes without a table, for keys that name no tables and scopes.
pub(super) async fn elsewhere(request: Request, next: Next) -> Response {
    judged(request, next, Grant::allows_elsewhere).await
}

async fn judged(
    request: Request,
    next: Next,
    judge: impl FnOnce(&Grant, Access) -> Result<(), NotGranted>,
) -> Response {
    let Some(principal) = request.extensions().get::<Principal>() else {
        return ApiError::internal().into_response();
    };
    let touch = if request.method().is_safe() {
        Access::Read
    } else {
        Access::Write
    };
    match judge(&principal.grant, touch) {
        Ok(()) => next.run(request).await,
        Err(why) => ApiError::refused(why.to_string()).into_response(),
    }
}
