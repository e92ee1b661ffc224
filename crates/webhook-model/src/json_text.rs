//! A JSON object with its text, in which numbers keep their digits.
//!
//! `serde_json` reads `1.10` as 1.1, and 18446744073709551616 as 1.8446744073709552e19. Its feature
//! `arbitrary_precision` would change `serde_json::Value` in the whole application.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::value::RawValue;
use serde_json::{Error, Map, Value};

/// The most bytes of a path that a template may ask for.
pub(crate) const MAX_PATH: usize = 256;

/// A JSON object, and its text without blanks.
pub(crate) struct JsonText {
    text: Box<str>,
    members: Map<String, Value>,
    /// The places in the text of values whose digits `members` do not have: numbers, and what
    /// contains them. By path; a path that no template may ask for is not here.
    exact: HashMap<Box<str>, Range<usize>>,
}

impl JsonText {
    /// Reads the members of an object, which are these in `text`.
    pub(crate) fn read(text: &str, members: Map<String, Value>) -> Result<Self, Error> {
        let mut writer = Writer::default();
        let members = Value::Object(members);
        writer.write(serde_json::from_str(text)?, &members, Some(""))?;
        Ok(Self {
            text: writer.out.into(),
            members: match members {
                Value::Object(members) => members,
                _ => Map::new(),
            },
            exact: writer.exact,
        })
    }

    /// Takes over members that have no text yet.
    pub(crate) fn of(members: Map<String, Value>) -> Result<Self, Error> {
        Ok(Self {
            text: serde_json::to_string(&members)?.into(),
            members,
            exact: HashMap::new(),
        })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn members(&self) -> &Map<String, Value> {
        &self.members
    }

    /// The text of the value at a path, if its digits differ from those that the value has.
    pub(crate) fn exact(&self, path: &str) -> Option<&str> {
        self.text.get(self.exact.get(path)?.clone())
    }
}

/// An object without members.
impl Default for JsonText {
    fn default() -> Self {
        Self {
            text: "{}".into(),
            members: Map::new(),
            exact: HashMap::new(),
        }
    }
}

#[derive(Default)]
struct Writer {
    out: String,
    exact: HashMap<Box<str>, Range<usize>>,
}

impl Writer {
    /// Writes the value that `raw` is, as `serde_json` writes it but for the digits of numbers.
    /// Returns whether any differ.
    fn write(&mut self, raw: &RawValue, value: &Value, path: Option<&str>) -> Result<bool, Error> {
        let (start, raw) = (self.out.len(), raw.get());
        let differs = match value {
            Value::Object(members) => self.members(raw, members, path)?,
            Value::Array(items) => self.items(raw, items, path)?,
            Value::Number(number) => {
                self.out.push_str(raw);
                number.to_string() != raw
            }
            other => {
                self.out.push_str(&other.to_string());
                false
            }
        };
        if let Some(path) = path.filter(|path| differs && !path.is_empty()) {
            self.exact.insert(path.into(), start..self.out.len());
        }
        Ok(differs)
    }

    fn members(
        &mut self,
        raw: &str,
        members: &Map<String, Value>,
        path: Option<&str>,
    ) -> Result<bool, Error> {
        let raws: HashMap<String, &RawValue> = serde_json::from_str(raw)?;
        let mut differs = false;
        self.out.push('{');
        for (at, (name, value)) in members.iter().enumerate() {
            let Some(raw) = raws.get(name) else { continue };
            self.out.push_str(if at > 0 { "," } else { "" });
            self.out.push_str(&serde_json::to_string(name)?);
            self.out.push(':');
            differs |= self.write(raw, value, below(path, name).as_deref())?;
        }
        self.out.push('}');
        Ok(differs)
    }

    fn items(&mut self, raw: &str, items: &[Value], path: Option<&str>) -> Result<bool, Error> {
        let raws: Vec<&RawValue> = serde_json::from_str(raw)?;
        let mut differs = false;
        self.out.push('[');
        for (at, (raw, value)) in raws.into_iter().zip(items).enumerate() {
            self.out.push_str(if at > 0 { "," } else { "" });
            differs |= self.write(raw, value, below(path, &at.to_string()).as_deref())?;
        }
        self.out.push(']');
        Ok(differs)
    }
}

/// The path of a part; `None` if no template may ask for it.
fn below(path: Option<&str>, part: &str) -> Option<String> {
    let path = path.filter(|path| path.len() + part.len() < MAX_PATH)?;
    match (path, part) {
        (_, part) if part.is_empty() || part.contains('.') => None,
        ("", part) => Some(part.to_owned()),
        (path, part) => Some(format!("{path}.{part}")),
    }
}
