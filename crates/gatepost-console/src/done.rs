//! Confirmations such as `?done=saved`, each shown once. The redirection to one sets a cookie, and
//! the page that shows it deletes the cookie: neither a reload nor a link shows it again.
//!
//! One of them says that the address contained a whole API key, such as one that was typed into a
//! search: the console redirects the browser to the same address with the masked key, before
//! anything repeats or logs the key.

use std::borrow::Cow;

use apikey_core::PresentedKey;
use axum::response::Response;
use http::header::{LOCATION, SET_COOKIE};
use http::request::Parts;
use http::uri::PathAndQuery;
use http::{HeaderValue, Uri};
use url::form_urlencoded::{Serializer, parse};

use crate::context::ConsoleState;
use crate::login::cookie;

/// The name of the cookie; its value is the word that is shown.
const COOKIE: &str = "gatepost_done";
const FIELD: &str = "done=";
/// The time that a browser has to follow the redirection, in seconds.
const SECONDS: u32 = 60;
/// The maximum length of a word.
const MAX_WORD: usize = 40;
/// The confirmation on the page to which [`without_keys`] leads.
const WORD: &str = "key-withheld";
/// The field of a confirmation in the query.
const DONE: &str = "done";

/// Removes a confirmation from the query unless the request has its cookie. Returns whether there
/// was one, so that the response can [`forget`] it.
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

/// Sets the cookie of a redirection to a confirmation.
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

/// Deletes the cookie of a confirmation that the page shows.
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

/// Returns the word of a query, if it cannot be read as another part of a cookie.
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

/// Returns path and query without keys, for a redirection; `None` if they contain none.
pub(crate) fn without_keys(uri: &Uri, path: &str) -> Option<String> {
    let query = uri.query()?;
    let (mut kept, mut found) = (Serializer::new(String::new()), false);
    for (name, value) in parse(query.as_bytes()) {
        let field = [hinted(&name), hinted(&value)];
        found |= field.iter().any(|text| matches!(text, Cow::Owned(_)));
        if name != DONE {
            kept.append_pair(&field[0], &field[1]);
        }
    }
    kept.append_pair(DONE, WORD);
    found.then(|| format!("{path}?{}", kept.finish()))
}

/// Whether this is the page to which [`without_keys`] leads.
pub(crate) fn is_told(uri: &Uri) -> bool {
    uri.query().and_then(word_of) == Some(WORD)
}

/// Returns a text in which keys are replaced by their masked forms, which can be searched for.
fn hinted(text: &str) -> Cow<'_, str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut shown = String::new();
    let (mut rest, mut found) = (text, false);
    while !rest.is_empty() {
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        match PresentedKey::parse(word) {
            Ok(key) => {
                found = true;
                shown.push_str(key.masked().as_str().trim_end_matches('…'));
            }
            Err(_) => shown.push_str(word),
        }
        let next = after.find(is_part).unwrap_or(after.len());
        let (between, after) = after.split_at(next);
        shown.push_str(between);
        rest = after;
    }
    if found { shown.into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use apikey_core::{KeyString, Prefix};
    use http::Request;

    use super::*;

    fn asked(uri: &str, cookie: &str) -> (bool, String) {
        let request = Request::builder().uri(uri).header("cookie", cookie);
        let (mut parts, ()) = request.body(()).unwrap().into_parts();
        let shown = admit(&mut parts);
        (shown, parts.uri.to_string())
    }

    #[test]
    fn confirmation_is_shown_only_with_its_cookie() {
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

    fn led(uri: &str) -> Option<String> {
        without_keys(&uri.parse().unwrap(), "/keys")
    }

    #[test]
    fn key_in_query_is_replaced_by_masked_key() {
        let key = KeyString::generate(&Prefix::default(), &mut rand::rng()).unwrap();
        let hint = key.masked().as_str().trim_end_matches('…').to_owned();
        for (query, kept) in [
            (format!("q={}", key.as_str()), format!("q={hint}")),
            (
                format!("sort=name&q=a+%22{}%22.&owner=3", key.as_str()),
                format!("sort=name&q=a+%22{hint}%22.&owner=3"),
            ),
            (
                format!("done=saved&id=Bearer+{}", key.as_str()),
                format!("id=Bearer+{hint}"),
            ),
        ] {
            let to = led(&format!("/keys?{query}")).unwrap();
            assert_eq!(to, format!("/keys?{kept}&done=key-withheld"));
            assert!(is_told(&to.parse().unwrap()) && led(&to).is_none());
        }
    }

    #[test]
    fn other_addresses_stay_as_they_are() {
        let key = KeyString::generate(&Prefix::default(), &mut rand::rng()).unwrap();
        let cut = &key.as_str()[..key.as_str().len() - 1];
        for query in ["q=", "q=gp_AbCdEfGh", &format!("q={cut}"), "%", "q=%ff"] {
            assert_eq!(led(&format!("/keys?{query}")), None, "{query}");
        }
        assert!(led("/keys").is_none() && !is_told(&"/keys?done=saved".parse().unwrap()));
    }
}
