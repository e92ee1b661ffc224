//! Custom headers: ordered, duplicates kept, written as pairs or as full lines (SPEC 2.2).

use std::fmt;

use gatepost_ids::trim_pasted;
use zeroize::Zeroize as _;

use crate::error::{Field, Invalid};

/// The most headers of a webhook: more than any receiver accepts.
pub const MAX_HEADERS: usize = 100;
/// Longer than any header in use.
const MAX_NAME: usize = 128;
/// Longer than any credential in use.
const MAX_VALUE: usize = 8 * 1024;
/// All lines together.
const MAX_BYTES: usize = 32 * 1024;
/// A value that stands for the API key.
const API_KEY: &str = "${APIKEY}";

/// Headers that the sender alone sets: framing, hop-by-hop (RFC 9110 §7.6.1), and the delivery's
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

/// Parts of the names of headers whose values are credentials as a rule.
const SENSITIVE_PARTS: [&str; 7] = [
    "apikey",
    "cookie",
    "credential",
    "passw",
    "secret",
    "session",
    "token",
];
/// The same, as whole words between `-` and `_`: `X-Author` is none.
const SENSITIVE_WORDS: [&str; 4] = ["auth", "authorization", "authentication", "key"];
/// Headers that may stand once: a second line makes a receiver refuse the request, or guess
/// (RFC 9110 §5.3, RFC 6265 §5.4; the others by their own definitions).
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
/// Words that tell a key that is no credential, as in `Idempotency-Key`.
const ORDINARY_KEYS: [&str; 3] = ["idempotency", "partition", "routing"];

/// One header.
#[derive(Clone, Eq, PartialEq)]
pub struct Header {
    name: Box<str>,
    value: Box<str>,
}

impl Header {
    /// A header of a name and a value. Spaces and tabs around the value are dropped (RFC 9110
    /// §5.5).
    ///
    /// # Errors
    /// A name that is no token (RFC 9110 §5.6.2) or is reserved for the sender; a value with
    /// control characters or beyond ASCII. The text says which rule, never the value.
    pub fn new(name: &str, value: &str) -> Result<Self, Invalid> {
        Self::checked(name, value).map_err(|rule| Invalid::new(Field::Headers, rule))
    }

    /// A header from a full line `Name: value`.
    ///
    /// # Errors
    /// A line without a colon, and as [`new`](Self::new).
    pub fn from_line(line: &str) -> Result<Self, Invalid> {
        Self::checked_line(line).map_err(|rule| Invalid::new(Field::Headers, rule))
    }

    /// The name, as it was written.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Whether the value is a credential by the header's name.
    #[must_use]
    pub fn is_sensitive(&self) -> bool {
        let name = self.name.to_ascii_lowercase();
        let words = || name.split(['-', '_']);
        SENSITIVE_PARTS.iter().any(|part| name.contains(part))
            || (words().any(|word| SENSITIVE_WORDS.contains(&word))
                && !words().any(|word| ORDINARY_KEYS.contains(&word)))
    }

    /// Whether this is a line `Name: ${APIKEY}`.
    pub(super) fn holds_api_key(&self) -> bool {
        &*self.value == API_KEY
    }

    /// Whether `${APIKEY}` is a part of the value, where it would not be replaced.
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

/// Headers in their order.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Headers(Vec<Header>);

impl Headers {
    /// No header at all.
    pub const EMPTY: Self = Self(Vec::new());

    /// These headers.
    ///
    /// # Errors
    /// More than 100, more than 32 KiB in all, or two of one that may stand once, such as
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

    /// Headers from names and values.
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

    /// Headers from text: one `Name: value` a line. Lines end with `\n` or `\r\n`; blank lines and
    /// what surrounds the text are passed over; no text means no headers.
    ///
    /// # Errors
    /// Names the line, counted from 1, and the rule; as [`new`](Self::new).
    pub fn parse_lines(text: &str) -> Result<Self, Invalid> {
        Self::new(lines(text)?)
    }

    /// Reads back what a store holds: also two of one that may stand once, which was accepted once.
    ///
    /// # Errors
    /// What else breaks a rule.
    pub fn stored(text: &str) -> Result<Self, Invalid> {
        Self::within_limits(lines(text)?)
    }

    /// The headers, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Header> {
        self.0.iter()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same headers with the one at `from` moved to `to`, both counted from 0; unchanged if
    /// there is no such line.
    #[must_use]
    pub fn moved(&self, from: usize, to: usize) -> Self {
        let mut headers = self.0.clone();
        if from < headers.len() && to < headers.len() {
            let header = headers.remove(from);
            headers.insert(to, header);
        }
        Self(headers)
    }

    /// Whether the payload is said to be JSON.
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
    /// `Content-Type: application/json` (SPEC 2.2).
    fn default() -> Self {
        Self(vec![Header {
            name: "Content-Type".into(),
            value: "application/json".into(),
        }])
    }
}

/// One `Name:value` a line, each with its line end: the form that backends store and the wire
/// speaks.
impl fmt::Display for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|h| writeln!(f, "{}:{}", h.name, h.value))
    }
}

/// The headers of a text, one a line. Around the whole text nothing counts.
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
