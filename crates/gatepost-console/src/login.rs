//! The platform's login, as the console asks for it, and what a platform needs for its own: a
//! cookie of a request, and where a login may lead back to.

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
    /// The user. Its permissions are asked of `Accounts` at each
    /// request, as for a key.
    pub owner: OwnerId,
    /// The user's name, shown at the top of the page.
    pub name: String,
    /// What identifies this session, such as the value of its cookie: tokens against forged
    /// requests are bound to it. It is never shown.
    pub session: String,
}

impl LoggedIn {
    /// The user, the name to show, and what identifies the session.
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

/// The form by which a user logs out: where it is posted, and hidden fields that show the platform
/// that it came from a page of this session. `Debug` shows no value.
#[derive(Clone, Eq, PartialEq)]
pub struct LogoutForm {
    pub(crate) url: String,
    pub(crate) fields: Vec<(String, String)>,
}

impl LogoutForm {
    /// A form that is posted to this address, without fields.
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

/// The platform's login, handed to the console.
///
/// A session kept in a cookie should be `HttpOnly`, `SameSite=Lax` or `Strict`, and `Secure` behind
/// TLS; [`cookie`](fn@crate::cookie) finds it. It ends on the server at a logout, at a new login in
/// the same browser, after inactivity, and some time after the login in any case. Passwords are
/// checked within the limits of `gatepost_keys::guesses`.
#[async_trait]
pub trait ConsoleLogin: fmt::Debug + Send + Sync + 'static {
    /// Who is logged in, judging by the head of the request; `None` for nobody. If it panics or
    /// takes longer than five seconds, the request fails with 503.
    ///
    /// A page that is open asks every few seconds for what is new. That is a [`Visit::Poll`], and
    /// must not prolong a session that ends after inactivity (SPEC 5.1 rule 3): nobody may be
    /// there.
    async fn who(&self, request: &Parts, visit: Visit) -> Option<LoggedIn>;

    /// The address from which the user came, for a log of changes; not known by default. Behind a
    /// proxy it is the proxy's word, if that is trusted: `TrustedProxies::client` says.
    fn address(&self, _request: &Parts) -> Option<IpAddr> {
        None
    }

    /// The address of the login page. `back` is the path and query to return to: one for which
    /// [`local_path`](fn@crate::local_path) says yes. What the login page receives may be
    /// anybody's, so ask that function there, too.
    fn login_url(&self, back: &str) -> String;

    /// The form that logs this user out; `None`, the default, shows no button. The platform takes
    /// it by `POST` alone, and only with its fields.
    fn logout(&self, _user: &LoggedIn) -> Option<LogoutForm> {
        None
    }
}

/// The value of a cookie; of several with this name the first. All `Cookie` headers are read:
/// HTTP/2 may send each cookie in one of its own (RFC 9113 §8.2.3), so a login that reads the first
/// header alone fails as soon as there is a second cookie.
#[must_use]
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(header::COOKIE).iter();
    let mut pairs = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    pairs.find_map(|(known, value)| (known == name).then_some(value))
}

/// The path and query to return to after a login, if it leads to a page of the same site for
/// certain; `None` for everything else, and a login leads to a page of its own choice then.
///
/// It begins with a slash that no other follows, holds visible ASCII alone and no backslash, and
/// has none of what is refused in an encoded form either: browsers drop line ends and tabs, and
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

/// The bytes, with each `%41` as what it stands for.
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
