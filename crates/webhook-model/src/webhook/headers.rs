//! Custom headers: ordered, with duplicates, written as pairs or as full lines (SPEC 2.2).

use std::fmt;

use gatepost_ids::trim_pasted;
use zeroize::Zeroize as _;

use crate::error::{Field, Invalid};

/// The maximum number of headers of a webhook: more than any receiver accepts.
pub const MAX_HEADERS: usize = 100;
/// The maximum length of a name: longer than any header in use.
const MAX_NAME: usize = 128;
/// The maximum length of a value: longer than any credential in use.
const MAX_VALUE: usize = 8 * 1024;
/// The maximum size of all lines together.
const MAX_BYTES: usize = 32 * 1024;
/// The placeholder for the API key.
const API_KEY: &str = "${APIKEY}";

/// Headers that only the sender sets: framing, hop-by-hop (RFC 9110 §7.6.1), and the delivery's
/// own.
const RESERVED: [&str; 13] = [
    "host",
    "expect",
    "http2-settings",
    "content-length",
    "transfer-encoding",
    "connection",
    "te",
    "trailer",
    "upgrade",
    "keep-alive",
    "webhook-id",
    "webhook-timestamp",
    "webhook-signature",
];

/// Parts of header names whose values are usually credentials.
const SENSITIVE_PARTS: [&str; 7] = [
    "apikey",
    "cookie",
    "credential",
    "passw",
    "secret",
    "session",
    "token",
];
/// The same, as whole words between `-` and `_`: `X-Author` does not match.
const SENSITIVE_WORDS: [&str; 4] = ["auth", "authorization", "authentication", "key"];
/// Headers that may occur once: a second line makes a receiver refuse the request, or guess (RFC
/// 9110 §5.3, RFC 6265 §5.4; the others by their own definitions).
const SINGLE: [&str; 19] = [
    "authorization",
    "content-encoding",
    "content-location",
    "content-md5",
    "content-range",
    "content-type",
    "cookie",
    "date",
    "from",
    "idempotency-key",
    "if-modified-since",
    "if-range",
    "if-unmodified-since",
    "max-forwards",
    "origin",
    "range",
    "referer",
    "traceparent",
    "user-agent",
];
/// Words that mark a key that is not a credential, as in `Idempotency-Key`.
const ORDINARY_KEYS: [&str; 3] = ["idempotency", "partition", "routing"];

/// One header.
#[derive(Clone, Eq, PartialEq)]
pub struct Header {
    name: Box<str>,
    value: Box<str>,
}

impl Header {
    /// Creates a header from a name and a value. Spaces and tabs around the value are dropped (RFC
    /// 9110 §5.5).
    ///
    /// # Errors
    /// A name that is not a token (RFC 9110 §5.6.2) or is reserved for the sender; a value with
    /// control characters or beyond ASCII. The text names the rule, never the value.
    pub fn new(name: &str, value: &str) -> Result<Self, Invalid> {
        Self::checked(name, value).map_err(|rule| Invalid::new(Field::Headers, rule))
    }

    /// Creates a header from a full line `Name: value`.
    ///
    /// # Errors
    /// A line without a colon, and the errors of [`new`](Self::new).
    pub fn from_line(line: &str) -> Result<Self, Invalid> {
        Self::checked_line(line).map_err(|rule| Invalid::new(Field::Headers, rule))
    }

    /// Returns the name, as it was written.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the value.
    #[must_use]
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Returns whether the header's name indicates that the value is a credential.
    #[must_use]
    pub fn is_sensitive(&self) -> bool {
        let name = self.name.to_ascii_lowercase();
        let words = || name.split(['-', '_']);
        SENSITIVE_PARTS.iter().any(|part| name.contains(part))
            || (words().any(|word| SENSITIVE_WORDS.contains(&word))
                && !words().any(|word| ORDINARY_KEYS.contains(&word)))
    }

    /// Returns whether this is a line `Name: ${APIKEY}`.
    pub(super) fn holds_api_key(&self) -> bool {
        &*self.value == API_KEY
    }

    /// Returns whether `${APIKEY}` is only a part of the value, in which it would not be replaced.
    pub(super) fn mentions_api_key(&self) -> bool {
        !self.holds_api_key() && self.value.contains(API_KEY)
    }

    fn checked_line(line: &str) -> Result<Self, &'static str> {
        let (name, value) = line.split_once(':').ok_or("must be 'Name: value'")?;
        Self::checked(name, value)
    }

    fn checked(name: &str, value: &str) -> Result<Self, &'static str> {
        let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
        if name.is_empty() || !name.bytes().all(token) {
            return Err("has a name with characters that are not allowed in one");
        }
        if name.len() > MAX_NAME {
            return Err("has a name longer than 128 characters");
        }
        let lower = name.to_ascii_lowercase();
        if RESERVED.contains(&lower.as_str()) || lower.starts_with("proxy-") {
            return Err("sets a header that only the sender may set");
        }
        let value = value.trim_matches([' ', '\t']);
        if value.len() > MAX_VALUE {
            return Err("has a value longer than 8192 bytes");
        }
        if !value
            .bytes()
            .all(|b| b == b'\t' || (b' '..=b'~').contains(&b))
        {
            return Err(
                "has a value with line breaks, control characters or characters beyond ASCII",
            );
        }
        Ok(Self {
            name: name.into(),
            value: value.into(),
        })
    }
}

/// A value may be a credential, so it is wiped.
impl Drop for Header {
    fn drop(&mut self) {
        self.value.zeroize();
    }
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_sensitive() {
            write!(f, "{}: …", self.name)
        } else {
            write!(f, "{}: {}", self.name, self.value)
        }
    }
}

/// The custom headers of a webhook, in order.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Headers(Vec<Header>);

impl Headers {
    /// No headers.
    pub const EMPTY: Self = Self(Vec::new());

    /// Creates it from these headers.
    ///
    /// # Errors
    /// More than 100, more than 32 KiB in all, or two of one that may occur once, such as
    /// `Content-Type`.
    pub fn new(headers: Vec<Header>) -> Result<Self, Invalid> {
        let headers = Self::within_limits(headers)?;
        let twice = SINGLE.iter().find(|single| {
            let lines = headers.0.iter();
            let lines = lines.filter(|header| header.name.eq_ignore_ascii_case(single));
            lines.count() > 1
        });
        if let Some(single) = twice {
            let rule = format!("must not set {single} twice");
            return Err(Invalid::new(Field::Headers, rule));
        }
        Ok(headers)
    }

    fn within_limits(headers: Vec<Header>) -> Result<Self, Invalid> {
        let bytes: usize = headers
            .iter()
            .map(|h| h.name.len() + h.value.len() + 4)
            .sum();
        if headers.len() > MAX_HEADERS || bytes > MAX_BYTES {
            return Err(Invalid::new(
                Field::Headers,
                "must be at most 100 lines and 32768 bytes",
            ));
        }
        Ok(Self(headers))
    }

    /// Creates it from names and values.
    ///
    /// # Errors
    /// Names the line, counted from 1, and the rule.
    pub fn from_pairs<'a>(
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, Invalid> {
        let headers = pairs.into_iter().enumerate().map(|(at, (name, value))| {
            Header::checked(name, value).map_err(|rule| on_line(at, rule))
        });
        Self::new(headers.collect::<Result<_, _>>()?)
    }

    /// Parses text with one `Name: value` a line. Lines end with `\n` or `\r\n`; blank lines and
    /// white space around the text are ignored; an empty text means no headers.
    ///
    /// # Errors
    /// Names the line, counted from 1, and the rule; the errors of [`new`](Self::new).
    pub fn parse_lines(text: &str) -> Result<Self, Invalid> {
        Self::new(lines(text)?)
    }

    /// Parses stored headers. Duplicates of a header that may occur once are allowed, since earlier
    /// versions accepted them.
    ///
    /// # Errors
    /// Any other broken rule.
    pub fn stored(text: &str) -> Result<Self, Invalid> {
        Self::within_limits(lines(text)?)
    }

    /// Returns the headers, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Header> {
        self.0.iter()
    }

    /// Returns whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the same headers with the one at `from` moved to `to`, both counted from 0;
    /// unchanged if there is no such line.
    #[must_use]
    pub fn moved(&self, from: usize, to: usize) -> Self {
        let mut headers = self.0.clone();
        if from < headers.len() && to < headers.len() {
            let header = headers.remove(from);
            headers.insert(to, header);
        }
        Self(headers)
    }

    /// Returns whether the content type of the payload is JSON.
    #[must_use]
    pub fn is_json(&self) -> bool {
        let content_type = self
            .0
            .iter()
            .find(|h| h.name.eq_ignore_ascii_case("content-type"));
        content_type.is_some_and(|h| h.value.to_ascii_lowercase().contains("json"))
    }
}

impl Default for Headers {
    /// Creates `Content-Type: application/json` (SPEC 2.2).
    fn default() -> Self {
        Self(vec![Header {
            name: "Content-Type".into(),
            value: "application/json".into(),
        }])
    }
}

/// Writes one `Name:value` a line, each with its line end: the form that backends store and the
/// wire uses.
impl fmt::Display for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|h| writeln!(f, "{}:{}", h.name, h.value))
    }
}

/// Parses the headers of a text, one a line. White space around the whole text is ignored.
fn lines(text: &str) -> Result<Vec<Header>, Invalid> {
    if text.len() > 2 * MAX_BYTES {
        return Err(Invalid::new(
            Field::Headers,
            "must be at most 100 lines and 32768 bytes",
        ));
    }
    let trimmed = trim_pasted(text);
    let above = text.find(trimmed).and_then(|at| text.get(..at));
    let above = above.unwrap_or_default().matches('\n').count();
    let lines = trimmed
        .split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .enumerate();
    let headers = lines
        .filter(|(_, line)| !line.is_empty())
        .map(|(at, line)| Header::checked_line(line).map_err(|rule| on_line(above + at, rule)));
    headers.collect()
}

fn on_line(at: usize, rule: &str) -> Invalid {
    Invalid::new(Field::Headers, format!("line {}: {rule}", at + 1))
}
