//! Grants of narrowed keys, checked before anything is read. `Caller` checks those of tables.

use apikey_core::Access;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use gatepost_manage::Principal;

use crate::error::ApiError;
use crate::granted::needed_by;

/// The grant that a route needs, for a method that is safe or not.
#[derive(Clone, Copy, Debug)]
pub(super) enum Needs {
    /// That for rows of this table.
    Table(&'static str),
    /// That to change rows of this table, whatever the method is.
    Change(&'static str),
    /// A key that names no tables and scopes.
    Whole,
}

/// Checks the key's grant.
pub(super) async fn checked(State(needs): State<Needs>, request: Request, next: Next) -> Response {
    let Some(principal) = request.extensions().get::<Principal>() else {
        return ApiError::internal().into_response();
    };
    let access = needed_by(request.method());
    let grant = &principal.grant;
    let allowed = match needs {
        Needs::Table(table) => grant.allows_table(table, access),
        Needs::Change(table) => grant.allows_table(table, Access::Write),
        Needs::Whole => grant.allows_elsewhere(access),
    };
    match allowed {
        Ok(()) => next.run(request).await,
        Err(why) => ApiError::refused(why.to_string()).into_response(),
    }
}
