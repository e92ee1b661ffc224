//! The platform's login as the console calls it, and functions for it: reading a cookie of a
//! request, and checking the path to which a login may return.

use std::fmt;
use std::net::IpAddr;

use async_trait::async_trait;
use gatepost_manage::Visit;
use http::request::Parts;
use http::{HeaderMap, header};
use webhook_model::OwnerId;

/// A user that the platform has logged in.
#[derive(Clone)]
#[non_exhaustive]
pub struct LoggedIn {
    /// The user. The console reads the user's permissions from `Accounts` at each request, as for a
    /// key.
    pub owner: OwnerId,
    /// The user's name, shown at the top of the page.
    pub name: String,
    /// The identifier of this session, such as the value of its cookie: tokens against forged
    /// requests are bound to it. It is never shown.
    pub session: String,
}

impl LoggedIn {
    /// Creates a user from the owner, the name to show, and the identifier of the session.
    #[must_use]
    pub fn new(owner: OwnerId, name: impl Into<String>, session: impl Into<String>) -> Self {
        Self {
            owner,
            name: name.into(),
            session: session.into(),
        }
    }
}

impl fmt::Debug for LoggedIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoggedIn")
            .field("owner", &self.owner)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The form with which a user logs out: the address to which it is posted, and hidden fields that
/// prove to the platform that it came from a page of this session. `Debug` shows no value.
#[derive(Clone, Eq, PartialEq)]
pub struct LogoutForm {
    pub(crate) url: String,
    pub(crate) fields: Vec<(String, String)>,
}

impl LogoutForm {
    /// Creates a form that is posted to this address, without fields.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            fields: Vec::new(),
        }
    }

    /// Adds a hidden field: the platform's token against forged requests, bound to the session.
    #[must_use]
    pub fn with_field(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.fields.push((name.into(), value.into()));
        self
    }
}

impl fmt::Debug for LogoutForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogoutForm")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// The platform's login, passed to the console.
///
/// A session kept in a cookie should be `HttpOnly`, `SameSite=Lax` or `Strict`, and `Secure` behind
/// TLS; [`cookie`](fn@crate::cookie) finds it. The server must end it at a logout, at a new login
/// in the same browser, after inactivity, and some time after the login in any case. Passwords must
/// be checked within the limits of `gatepost_keys::guesses`.
#[async_trait]
pub trait ConsoleLogin: fmt::Debug + Send + Sync + 'static {
    /// Returns the user who is logged in, according to the head of the request; `None` for nobody.
    /// If it panics or takes longer than five seconds, the request fails with 503.
    ///
    /// An open page polls every few seconds. Such a request is a [`Visit::Poll`], and must not
    /// extend a session that ends after inactivity (SPEC 5.1 rule 3): the user may have left.
    async fn who(&self, request: &Parts, visit: Visit) -> Option<LoggedIn>;

    /// Returns the address from which the user came, for an audit log; `None` by default. Behind a
    /// proxy it is the address that the proxy reports, if the proxy is trusted:
    /// `TrustedProxies::client` returns it.
    fn address(&self, _request: &Parts) -> Option<IpAddr> {
        None
    }

    /// Returns the address of the login page. `back` is the path and query to return to, which
    /// [`local_path`](fn@crate::local_path) has accepted. Anybody can change it on its way to the
    /// login page, so that page must call the function again.
    fn login_url(&self, back: &str) -> String;

    /// Returns the form that logs this user out; `None`, the default, shows no button. The platform
    /// must accept it only by `POST`, and only with its fields.
    fn logout(&self, _user: &LoggedIn) -> Option<LogoutForm> {
        None
    }
}

/// Returns the value of a cookie; of several with this name the first. It reads all `Cookie`
/// headers: HTTP/2 may send each cookie in its own (RFC 9113 §8.2.3), so a login that reads only
/// the first header fails as soon as there is a second cookie.
#[must_use]
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(header::COOKIE).iter();
    let mut pairs = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    pairs.find_map(|(known, value)| (known == name).then_some(value))
}

/// Returns the path and query to return to after a login, if it certainly leads to a page of the
/// same site; `None` otherwise, and the login must then choose its own page.
///
/// The path must begin with exactly one slash, contain only visible ASCII and no backslash, and
/// contain none of the refused characters in an encoded form: browsers drop line ends and tabs, and
/// read a backslash as a slash, so that `/\t/elsewhere.example` is another site.
#[must_use]
pub fn local_path(back: &str) -> Option<&str> {
    let decoded = decode(back);
    let is_plain = back.bytes().all(|byte| byte.is_ascii_graphic());
    let hides = decoded
        .iter()
        .any(|byte| byte.is_ascii_control() || *byte == b'\\');
    (is_plain && !hides && is_path(back.as_bytes()) && is_path(&decoded)).then_some(back)
}

fn is_path(text: &[u8]) -> bool {
    match text {
        [b'/'] => true,
        [b'/', next, ..] => next.is_ascii_alphanumeric() || b"?-_~".contains(next),
        _ => false,
    }
}

/// Decodes each sequence such as `%41` into its byte.
fn decode(text: &str) -> Vec<u8> {
    let digit = |byte: &u8| {
        char::from(*byte)
            .to_digit(16)
            .and_then(|n| u8::try_from(n).ok())
    };
    let (mut rest, mut decoded) = (text.as_bytes(), Vec::with_capacity(text.len()));
    while let [first, after @ ..] = rest {
        let encoded = match (first, after) {
            (b'%', [high, low, ..]) => digit(high).zip(digit(low)),
            _ => None,
        };
        match encoded {
            Some((high, low)) => {
                decoded.push(high * 16 + low);
                rest = &after[2..];
            }
            None => {
                decoded.push(*first);
                rest = after;
            }
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_headers_are_read() {
        let mut headers = HeaderMap::new();
        for line in [
            "a=1; sessions=no",
            "session=yes;b=2",
            "session=later",
            "flag",
        ] {
            headers.append(header::COOKIE, line.parse().unwrap());
        }
        assert_eq!(cookie(&headers, "session"), Some("yes"));
        assert_eq!(cookie(&headers, "a"), Some("1"));
        assert_eq!(cookie(&headers, "b"), Some("2"));
        assert_eq!(cookie(&headers, "flag"), None);
        assert_eq!(cookie(&HeaderMap::new(), "a"), None);
    }

    #[test]
    fn only_a_path_of_this_site_leads_back() {
        for good in [
            "/",
            "/console/",
            "/console/keys?name=a%20b&url=https%3A%2F%2Fx.example%2F#top",
            "/?page=2",
            "/caf%C3%A9",
        ] {
            assert_eq!(local_path(good), Some(good));
        }
        for bad in [
            "",
            "console",
            "//x.example",
            "/\\x.example",
            "\\/x.example",
            "https://x.example/",
            "javascript:alert(1)",
            "/\t/x.example",
            "/\n/x.example",
            "/a\r\nset-cookie: a=b",
            "/a\0",
            "/a\u{7f}",
            "/a b",
            "/%2fx.example",
            "/%2Fx.example",
            "/%5cx.example",
            "/a%5Cb",
            "/%09/x.example",
            "/a%0d%0aset-cookie:%20a=b",
            "/a%00",
            "%2f%2fx.example",
            "/\u{ff0f}x.example",
            "/\u{202e}moc",
            "/%EF%BC%8Fx.example",
            "/./x",
            "/.//x.example",
            "/@x.example",
            "/;//x.example",
        ] {
            assert_eq!(local_path(bad), None, "{bad:?}");
        }
    }
}
