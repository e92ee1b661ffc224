//! The data of an occurrence, for filters and messages.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::error::{Field, Invalid};
use crate::json_text::{self, JsonText, parse_json};

/// The maximum size of [`Data`] in bytes, as text without blanks.
pub const MAX_DATA: usize = 64 * 1024;
/// The maximum size of sealed data in a store, in bytes.
const MAX_STORED: usize = 128 * 1024;
/// The maximum depth of objects and arrays, and the maximum number of parts of a path.
pub(crate) const MAX_DEPTH: usize = 32;

/// The data of an occurrence: a JSON object of at most [`MAX_DATA`] bytes as text and at most 32
/// levels. Clones share it. Numbers keep the digits of the original text.
/// [`Filter`](crate::Filter)s read it, and `${data}` and `${data.path}` in messages show it.
///
/// A path names members from the outside in, separated by dots: `disk.free`. A number selects an
/// item of an array, counted from 0: `disks.0.free`.
///
/// ```
/// use webhook_model::Data;
/// let data: Data = r#"{"disks": [{"free": 7}], "severity": "critical"}"#.parse()?;
/// assert_eq!(data.as_str(), r#"{"disks":[{"free":7}],"severity":"critical"}"#);
/// # Ok::<(), webhook_model::Invalid>(())
/// ```
#[derive(Clone)]
pub struct Data(Arc<JsonText>);

impl Data {
    /// Creates data from the members of an object.
    ///
    /// # Errors
    /// More than [`MAX_DATA`] bytes as text, or more than 32 levels.
    pub fn new(members: Map<String, Value>) -> Result<Self, Invalid> {
        check_depth(&members)?;
        bounded(JsonText::of(members), MAX_DATA)
    }

    /// Parses stored data. Sealed data may be longer than the limit.
    ///
    /// # Errors
    /// A text that is not a JSON object, or has more than 128 KiB.
    pub fn stored(text: &str) -> Result<Self, Invalid> {
        Self::read(text, MAX_STORED)
    }

    fn read(text: &str, most: usize) -> Result<Self, Invalid> {
        let members = object(text, most)?;
        check_depth(&members)?;
        bounded(JsonText::read(text, members), most)
    }

    /// Creates data whose limits were checked before.
    pub(crate) fn whole(parsed: Arc<JsonText>) -> Self {
        Self(parsed)
    }

    /// Returns the members.
    #[must_use]
    pub fn as_map(&self) -> &Map<String, Value> {
        self.0.members()
    }

    /// Returns the JSON text without blanks.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.text()
    }

    /// Returns the value at a path.
    pub(crate) fn at<'p>(&self, path: impl IntoIterator<Item = &'p str>) -> Option<&Value> {
        self.top().along(path)?.value()
    }

    /// Returns the JSON text at a path; `value` is its value.
    pub(crate) fn text_at<'p>(
        &self,
        path: impl IntoIterator<Item = &'p str>,
        value: &Value,
    ) -> String {
        let exact = self.0.exact().map(Spot::Top);
        match exact.and_then(|top| top.along(path)?.value()) {
            Some(exact) => {
                let mut text = String::new();
                json_text::write(exact, &mut text);
                text
            }
            None => value.to_string(),
        }
    }

    /// Returns the root, from which all paths begin.
    pub(crate) fn top(&self) -> Spot<'_> {
        Spot::Top(self.0.members())
    }
}

/// A position in data: the root, or a value inside.
#[derive(Clone, Copy)]
pub(crate) enum Spot<'a> {
    Top(&'a Map<String, Value>),
    Within(&'a Value),
}

impl<'a> Spot<'a> {
    /// Returns the position at the end of a path from here.
    pub(crate) fn along<'p>(self, path: impl IntoIterator<Item = &'p str>) -> Option<Self> {
        path.into_iter().try_fold(self, Self::below)
    }

    /// Returns the value at this position.
    pub(crate) fn value(self) -> Option<&'a Value> {
        match self {
            Self::Top(_) => None,
            Self::Within(value) => Some(value),
        }
    }

    fn below(self, part: &str) -> Option<Self> {
        let value = match self {
            Self::Top(members) | Self::Within(Value::Object(members)) => members.get(part),
            Self::Within(Value::Array(items)) => items.get(index(part)?),
            Self::Within(_) => None,
        };
        value.map(Self::Within)
    }
}

/// Parses the index of an item, which has only one spelling.
fn index(part: &str) -> Option<usize> {
    let digits = part.bytes().all(|b| b.is_ascii_digit());
    let plain = digits && (part == "0" || !part.starts_with('0'));
    plain.then(|| part.parse().ok()).flatten()
}

fn fits(value: &Value, levels: usize) -> bool {
    let Some(left) = levels.checked_sub(1) else {
        return !value.is_object() && !value.is_array();
    };
    match value {
        Value::Object(members) => members.values().all(|value| fits(value, left)),
        Value::Array(items) => items.iter().all(|value| fits(value, left)),
        _ => true,
    }
}

fn object(text: &str, most: usize) -> Result<Map<String, Value>, Invalid> {
    if text.len() > most {
        return Err(too_long(most));
    }
    match parse_json(text) {
        Ok(Value::Object(members)) => Ok(members),
        _ => Err(Invalid::new(Field::Data, "must be a JSON object")),
    }
}

fn check_depth(members: &Map<String, Value>) -> Result<(), Invalid> {
    match members.values().all(|value| fits(value, MAX_DEPTH - 1)) {
        true => Ok(()),
        false => Err(Invalid::new(Field::Data, "must be at most 32 levels deep")),
    }
}

fn bounded(parsed: serde_json::Result<JsonText>, most: usize) -> Result<Data, Invalid> {
    let parsed = parsed.map_err(|_| Invalid::new(Field::Data, "must be a JSON object"))?;
    match parsed.text().len() > most {
        true => Err(too_long(most)),
        false => Ok(Data(Arc::new(parsed))),
    }
}

fn too_long(most: usize) -> Invalid {
    Invalid::new(Field::Data, format!("must be at most {most} bytes"))
}

impl FromStr for Data {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        Self::read(text, MAX_DATA)
    }
}

/// Equal if they have the same members in any order; 1.10 equals 1.1.
impl PartialEq for Data {
    fn eq(&self, other: &Self) -> bool {
        self.0.members() == other.0.members()
    }
}

impl Eq for Data {}

/// Shows the length only: the text may be confidential.
impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Data({} bytes)", self.0.text().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_object_is_bounded_in_size_and_depth() {
        let nested = |levels: usize| {
            let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
            format!("{{\"a\":{open}{close}}}").parse::<Data>()
        };
        assert!(nested(2).is_ok() && nested(32).is_ok());
        let deep = nested(33).unwrap_err();
        assert_eq!(
            (deep.field(), deep.rule()),
            (Field::Data, "must be at most 32 levels deep")
        );
        assert!(nested(200).is_err());
        let long = |bytes: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(bytes - 8));
        assert!(long(MAX_DATA).parse::<Data>().is_ok());
        assert!(long(MAX_DATA + 1).parse::<Data>().is_err());
        for no_object in ["", "[]", "1", "null", "{", "{\"a\":1}x"] {
            let refused = no_object.parse::<Data>().unwrap_err();
            assert_eq!(refused.rule(), "must be a JSON object", "{no_object}");
        }
    }

    #[test]
    fn a_path_leads_through_members_and_items() {
        let data: Data = r#"{"a":{"b":[10,{"c":null}]},"0":"zero","x":"text"}"#
            .parse()
            .unwrap();
        let at = |path: &str| data.at(path.split('.')).map(ToString::to_string);
        assert_eq!(at("a.b.0").as_deref(), Some("10"));
        assert_eq!(at("a.b.1.c").as_deref(), Some("null"));
        assert_eq!(at("0").as_deref(), Some("\"zero\""));
        for nowhere in [
            "", "b", "a.b.2", "a.b.00", "a.b.-0", "a.b.+1", "a.b.c", "x.0", "a.",
        ] {
            assert_eq!(at(nowhere), None, "{nowhere}");
        }
    }
}
