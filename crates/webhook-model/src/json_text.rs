//! A JSON object with its text, in which numbers keep their digits.
//!
//! `serde_json` reads `1.10` as 1.1, and 18446744073709551616 as 1.8446744073709552e19. Its
//! features `arbitrary_precision` and `raw_value` would change how the whole application reads a
//! `serde_json::Value`: each gives objects with a reserved name another meaning. An object with
//! such numbers is therefore parsed a second time, with each number as a marked text.

use serde::de::IgnoredAny;
use serde_json::{Error, Map, Value};

/// The prefix of a number's text; a text with this prefix gets it twice. JSON text contains it only
/// as an escape, so it does not occur by accident.
const MARK: char = '\u{1}';
const ESCAPED: &str = "\\u0001";

/// Integers of at most this many digits fit into 64 bits.
const PLAIN_DIGITS: usize = 18;
/// The largest numbers of 64 bits: [`f64::MAX`] and [`f64::MIN`].
const LARGEST: &str = "1.7976931348623157e308";
const SMALLEST: &str = "-1.7976931348623157e308";

/// A JSON object, and its text without blanks.
pub(crate) struct JsonText {
    text: Box<str>,
    members: Map<String, Value>,
    /// The same with numbers as marked texts, if `members` do not have all their digits.
    exact: Option<Map<String, Value>>,
}

impl JsonText {
    /// Parses the members of an object; `members` are their values.
    pub(crate) fn read(text: &str, members: Map<String, Value>) -> Result<Self, Error> {
        let plain = Self::of(members)?;
        let Some(marked) = marked(text) else {
            return Ok(plain);
        };
        let exact: Map<String, Value> = serde_json::from_str(&marked)?;
        let mut exact_text = String::new();
        write_members(&exact, &mut exact_text);
        if *plain.text == *exact_text {
            return Ok(plain);
        }
        Ok(Self {
            text: exact_text.into(),
            members: plain.members,
            exact: Some(exact),
        })
    }

    /// Creates it from members that have no text yet.
    pub(crate) fn of(members: Map<String, Value>) -> Result<Self, Error> {
        Ok(Self {
            text: serde_json::to_string(&members)?.into(),
            members,
            exact: None,
        })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn members(&self) -> &Map<String, Value> {
        &self.members
    }

    /// Returns the members in which [`write`] finds the digits, if they differ from
    /// [`members`](Self::members).
    pub(crate) fn exact(&self) -> Option<&Map<String, Value>> {
        self.exact.as_ref()
    }
}

/// Creates an object without members.
impl Default for JsonText {
    fn default() -> Self {
        Self {
            text: "{}".into(),
            members: Map::new(),
            exact: None,
        }
    }
}

/// Parses JSON text. `serde_json` refuses numbers beyond 64 bits, such as `1e400`; here they become
/// the largest ones.
///
/// # Errors
/// A text that is not JSON; line and column are those in `text`.
pub fn parse_json(text: &str) -> Result<Value, Error> {
    let read = serde_json::from_str(text);
    // `IgnoredAny` takes numbers of any size.
    if read.is_ok() || serde_json::from_str::<IgnoredAny>(text).is_err() {
        return read;
    }
    let in_range: String = tokens(text).map(within_range).collect();
    serde_json::from_str(&in_range).or(read)
}

/// Returns JSON text as `serde_json` writes it, except that numbers keep their digits: without
/// blanks, and with only the last of several members with one name.
///
/// # Errors
/// A text that is not JSON.
pub fn compact_json(text: &str) -> Result<String, Error> {
    let value = parse_json(text)?;
    let Some(marked) = marked(text) else {
        return Ok(value.to_string());
    };
    let mut exact_text = String::new();
    write(&serde_json::from_str(&marked)?, &mut exact_text);
    Ok(exact_text)
}

/// Returns the text with each number as a marked text; `None` if all are integers that `serde_json`
/// writes unchanged. It runs in linear time; a text that is not JSON stays invalid.
fn marked(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len() * 2);
    let mut differs = false;
    for token in tokens(text) {
        match token.strip_prefix('"') {
            Some(content) if content.starts_with(ESCAPED) => {
                out.extend(["\"", ESCAPED, content]);
            }
            None if is_number(token) => {
                differs |= !is_plain(token);
                out.extend(["\"", ESCAPED, token, "\""]);
            }
            _ => out.push_str(token),
        }
    }
    differs.then_some(out)
}

/// Returns the texts with their quotes, the numbers, and each character outside of them.
fn tokens(json: &str) -> impl Iterator<Item = &str> {
    let mut rest = json;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let length = match first {
            '"' => text_length(rest),
            '-' | '0'..='9' => rest
                .find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E'))
                .unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        Some(token)
    })
}

fn is_number(token: &str) -> bool {
    token.starts_with(|c: char| c == '-' || c.is_ascii_digit())
}

/// Returns a token; for a number beyond 64 bits the largest number with its sign.
fn within_range(token: &str) -> &str {
    match token.parse::<f64>() {
        Ok(number) if is_number(token) && number.is_infinite() => match token.starts_with('-') {
            true => SMALLEST,
            false => LARGEST,
        },
        _ => token,
    }
}

/// Returns whether `serde_json` writes this number unchanged: a small integer other than `-0`.
fn is_plain(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    let is_integer = digits.bytes().all(|digit| digit.is_ascii_digit());
    is_integer && digits.len() <= PLAIN_DIGITS && number != "-0"
}

/// Returns the length of the text, with its quotes, at the beginning of `rest`.
fn text_length(rest: &str) -> usize {
    let mut escaped = true;
    for (at, c) in rest.char_indices() {
        match c {
            '"' if !escaped => return at + 1,
            '\\' if !escaped => escaped = true,
            _ => escaped = false,
        }
    }
    rest.len()
}

/// Writes a value of an exact object as JSON text.
pub(crate) fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => write_members(members, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                write(item, out);
            }
            out.push(']');
        }
        Value::String(text) => match text.strip_prefix(MARK) {
            Some(number) if !number.starts_with(MARK) => out.push_str(number),
            unmarked => write_text(unmarked.unwrap_or(text), out),
        },
        other => out.push_str(&other.to_string()),
    }
}

fn write_members(members: &Map<String, Value>, out: &mut String) {
    out.push('{');
    for (at, (name, value)) in members.iter().enumerate() {
        out.push_str(if at > 0 { "," } else { "" });
        write_text(name.strip_prefix(MARK).unwrap_or(name), out);
        out.push(':');
        write(value, out);
    }
    out.push('}');
}

fn write_text(text: &str, out: &mut String) {
    out.push_str(&Value::from(text).to_string());
}
