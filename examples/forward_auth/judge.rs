//! Judges the requests that a proxy asks about.

use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::{Extension, Router};
use gatepost_keys::{AccessLevel, AuthLayer, Principal, Via};

const NONE: HeaderValue = HeaderValue::from_static("");

/// Whatever the method and the path: 204 with who the caller is, or what the guard says. A proxy
/// asks with those of the client's request (Envoy), or with `GET` and a path of its own (nginx,
/// Traefik).
pub(crate) fn router(guard: AuthLayer) -> Router {
    Router::new().fallback(let_in).layer(guard)
}

/// All four headers, so that a proxy that sets them as the response has them leaves none of the
/// client's own.
async fn let_in(Extension(caller): Extension<Principal>) -> (StatusCode, HeaderMap) {
    let key = match caller.via {
        Via::Key(key) => key.0.into(),
        _ => NONE,
    };
    let headers = [
        ("cache-control", HeaderValue::from_static("no-store")),
        ("x-auth-user", caller.owner.0.into()),
        ("x-auth-access", HeaderValue::from_static(access(&caller))),
        (
            "x-auth-tenant",
            caller.tenant.map_or(NONE, |tenant| tenant.0.into()),
        ),
        ("x-auth-key", key),
    ];
    let headers = headers.map(|(name, value)| (HeaderName::from_static(name), value));
    (StatusCode::NO_CONTENT, headers.into_iter().collect())
}

fn access(caller: &Principal) -> &'static str {
    match caller.access {
        AccessLevel::SystemAdministrator => "system-administrator",
        AccessLevel::TenantAdministrator => "tenant-administrator",
        // A level that is added one day has the least powers to a service that does not know it.
        _ => "user",
    }
}
