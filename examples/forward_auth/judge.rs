//! Judges the requests that a proxy asks about.

use std::fmt::Display;

use apikey_core::{Access, Grant, NotGranted};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Router};
use gatepost_keys::{AccessLevel, AuthLayer, Principal, Via};

const NONE: HeaderValue = HeaderValue::from_static("");

/// Whatever the method and the path: 204 with who the caller is, or what the guard says. A proxy
/// asks with those of the client's request (Envoy), or with `GET` and a path of its own, and names
/// the client's method in `X-Forwarded-Method` (nginx, Traefik).
pub(crate) fn router(guard: AuthLayer) -> Router {
    Router::new().fallback(let_in).layer(guard.any_grant())
}

/// All five headers, so that a proxy that sets them as the response has them leaves none of the
/// client's own.
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

/// A key that names scopes passes with their names, which the service judges. One that names tables
/// alone is for the tables of the API.
fn granted(grant: &Grant, touch: Access) -> Result<(), NotGranted> {
    if grant.scopes().is_empty() {
        grant.allows_elsewhere(touch)
    } else {
        grant.allows_touch(touch)
    }
}

/// Of all methods that are named the worst, and so of one that is not known: behind a proxy that
/// asks with the client's method, the header may be the client's own.
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
        // A level that is added one day has the least powers to a service that does not know it.
        _ => "user",
    }
}
