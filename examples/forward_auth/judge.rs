//! The service that decides about the requests that a proxy asks about.

use std::fmt::Display;

use apikey_core::{Access, Grant, NotGranted};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Router};
use gatepost_keys::{AccessLevel, AuthLayer, Principal, Via};

const NONE: HeaderValue = HeaderValue::from_static("");

/// Answers any method and path: 204 and the caller in headers, or the guard's refusal. A proxy asks
/// with the client's method and path (Envoy), or with `GET` and a fixed path, and names the
/// client's method in `X-Forwarded-Method` (nginx, Traefik).
pub(crate) fn router(guard: AuthLayer) -> Router {
    Router::new().fallback(let_in).layer(guard.any_grant())
}

/// Sets all five headers, so that a proxy that copies them from the response replaces those that
/// the client sent.
async fn let_in(
    Extension(caller): Extension<Principal>,
    asked: Method,
    headers: HeaderMap,
) -> Response {
    if let Err(refusal) = granted(&caller.grant, touch(&asked, &headers)) {
        return (StatusCode::FORBIDDEN, refusal.to_string()).into_response();
    }
    let key = match caller.via {
        Via::Key(key) => key.0.into(),
        _ => NONE,
    };
    let text = |id: &dyn Display| HeaderValue::try_from(id.to_string()).unwrap_or(NONE);
    let tenant = caller.tenant.map_or(NONE, |tenant| text(&tenant));
    let scopes = HeaderValue::try_from(caller.grant.scopes().to_string());
    let headers = [
        ("cache-control", HeaderValue::from_static("no-store")),
        ("x-auth-user", text(&caller.owner)),
        ("x-auth-access", HeaderValue::from_static(access(&caller))),
        ("x-auth-tenant", tenant),
        ("x-auth-key", key),
        ("x-auth-scopes", scopes.unwrap_or(NONE)),
    ];
    let headers = headers.map(|(name, value)| (HeaderName::from_static(name), value));
    let headers: HeaderMap = headers.into_iter().collect();
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// A key with scopes passes, and its scopes are handed to the service, which decides by them. A key
/// with only tables is for the tables of the API.
fn granted(grant: &Grant, touch: Access) -> Result<(), NotGranted> {
    if grant.scopes().is_empty() {
        grant.allows_elsewhere(touch)
    } else {
        grant.allows_access(touch)
    }
}

/// Returns [`Access::Write`] if any of the named methods changes something or is not known: behind
/// a proxy that asks with the client's method, the client itself may have written the header.
fn touch(asked: &Method, headers: &HeaderMap) -> Access {
    let mut named = headers.get_all("x-forwarded-method").iter();
    let is_safe = |method: &HeaderValue| {
        Method::from_bytes(method.as_bytes()).is_ok_and(|method| method.is_safe())
    };
    match asked.is_safe() && named.all(is_safe) {
        true => Access::Read,
        false => Access::Write,
    }
}

fn access(caller: &Principal) -> &'static str {
    match caller.access {
        AccessLevel::SystemAdministrator => "system-administrator",
        AccessLevel::TenantAdministrator => "tenant-administrator",
        // A level that is added later has the fewest permissions in a service that does not know
        // it.
        _ => "user",
    }
}
