//! The page with the login form.

use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};

const STYLE: &str = ":root{color-scheme:light dark}body{font:14px/1.5 system-ui,sans-serif;max-width:20rem;margin:15vh auto;padding:0 1rem}label{display:block;margin-bottom:1rem}input,button{font:inherit;display:block;width:100%;box-sizing:border-box;padding:.4rem;margin-top:.25rem}";
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// Returns the page, with the reason of a refusal; the login leads to `back`.
pub(crate) fn page(status: StatusCode, back: &str, wrong: &str) -> Response {
    let back = back
        .replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;");
    let html = format!(
        "<!DOCTYPE html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>Log in</title><style>{STYLE}</style><main><h1>Log in</h1><p role=alert>{wrong}</p><form method=post action=/login><input type=hidden name=back value=\"{back}\"><label>User<input name=user autocomplete=username autofocus></label><label>Password<input type=password name=password autocomplete=current-password></label><button>Log in</button></form></main></html>"
    );
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (status, headers, Html(html)).into_response()
}
