//! Confirmations such as `?done=saved`, each shown once. The redirection that leads to one brings a
//! cookie, and the page that shows it takes the cookie back: neither a reload nor a link shows it.

use axum::response::Response;
use http::header::{LOCATION, SET_COOKIE};
use http::request::Parts;
use http::uri::PathAndQuery;
use http::{HeaderValue, Uri};

use crate::context::ConsoleState;
use crate::login::cookie;

/// The name of the cookie; its value is the word that is shown.
const COOKIE: &str = "gatepost_done";
const FIELD: &str = "done=";
/// How long a browser may take to follow the redirection, in seconds.
const SECONDS: u32 = 60;
/// The longest word.
const MAX_WORD: usize = 40;

/// Drops a confirmation from the query unless the request has its cookie. Says whether there was
/// one, so that the response can [`forget`] it.
pub(crate) fn admit(parts: &mut Parts) -> bool {
    let Some(word) = parts.uri.query().and_then(word_of) else {
        return false;
    };
    if cookie(&parts.headers, COOKIE) == Some(word) {
        return true;
    }
    if let Some(uri) = without_word(&parts.uri) {
        parts.uri = uri;
    }
    false
}

/// A redirection to a confirmation brings its cookie.
pub(crate) fn remember(console: &ConsoleState, response: &mut Response) {
    let to = response.headers().get(LOCATION);
    let query = to.and_then(|to| to.to_str().ok()?.split_once('?'));
    if let Some(word) = query.and_then(|(_, query)| word_of(query)) {
        let cookie = cookie_of(console, word, SECONDS);
        response
            .headers_mut()
            .extend(cookie.map(|cookie| (SET_COOKIE, cookie)));
    }
}

/// The page that shows a confirmation takes its cookie back.
pub(crate) fn forget(console: &ConsoleState, response: &mut Response) {
    let cookie = cookie_of(console, "", 0);
    response
        .headers_mut()
        .extend(cookie.map(|cookie| (SET_COOKIE, cookie)));
}

fn cookie_of(console: &ConsoleState, word: &str, seconds: u32) -> Option<HeaderValue> {
    let path = console.at("/");
    let cookie =
        format!("{COOKIE}={word}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Strict");
    HeaderValue::try_from(cookie).ok()
}

/// The word of a query; nothing that could be another part of a cookie.
fn word_of(query: &str) -> Option<&str> {
    let word = query
        .split('&')
        .find_map(|field| field.strip_prefix(FIELD))?;
    let is_word = !word.is_empty()
        && word.len() <= MAX_WORD
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    is_word.then_some(word)
}

fn without_word(uri: &Uri) -> Option<Uri> {
    let fields = uri.query().unwrap_or_default().split('&');
    let others: Vec<_> = fields.filter(|field| !field.starts_with(FIELD)).collect();
    let path = format!("{}?{}", uri.path(), others.join("&"));
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(path).ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn asked(uri: &str, cookie: &str) -> (bool, String) {
        let request = Request::builder().uri(uri).header("cookie", cookie);
        let (mut parts, ()) = request.body(()).unwrap().into_parts();
        let shown = admit(&mut parts);
        (shown, parts.uri.to_string())
    }

    #[test]
    fn a_confirmation_counts_with_its_cookie_alone() {
        let with = "session=1; gatepost_done=saved";
        assert_eq!(
            asked("/keys?done=saved", with),
            (true, "/keys?done=saved".into())
        );
        for (uri, cookie, left) in [
            ("/keys?done=saved", "session=1", "/keys?"),
            ("/keys?a=1&done=deleted&b=2", with, "/keys?a=1&b=2"),
            ("/keys?done=", with, "/keys?done="),
            ("/keys", with, "/keys"),
        ] {
            assert_eq!(asked(uri, cookie), (false, left.into()), "{uri}");
        }
        for wrong in ["done=a;Path=/", "done=a%20b", "done=", "undone=a"] {
            assert_eq!(word_of(wrong), None, "{wrong}");
        }
    }
}
