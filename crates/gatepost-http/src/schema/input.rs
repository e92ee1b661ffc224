//! The body of a request, checked against the declaration of its table.

use std::collections::BTreeMap;
use std::str::FromStr;

use gatepost_ids::{ObjectId, OwnerId};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};
use webhook_model::{compact_json, parse_json, trim_pasted};

use super::column::{Access, Column, Kind};
use super::row_map::RowMap;
use super::spec_words::on_the_wire;
use super::table::{KEY, Table};
use super::values::{MOST_VALUES, values};
use crate::error::{ApiError, Result};

/// The columns that a client sent, each of its declared type and within its limits.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    columns: Map<String, Value>,
    /// The JSON of numbers, and of values that may contain some, with the digits that were sent.
    texts: BTreeMap<String, String>,
}

impl Input {
    /// Parses the body of a `POST`: every required column is present, no column is unknown or
    /// read-only.
    pub(crate) fn create(table: &Table, body: &Value) -> Result<Self> {
        let input = Self::read(table.columns, body, |column, _| column.access.at_creation())?;
        input.require(table.columns)?;
        Ok(input)
    }

    /// Parses the body of a `PUT`, which contains only the changes. A column that cannot be changed
    /// may be sent with its current value, as by clients that send a whole row back with its
    /// `$key`. In that case a column that changes without an edit may have an older value.
    pub(crate) fn update(table: &Table, current: &RowMap, body: &Value) -> Result<Self> {
        let is_sent_back = body.get(KEY).is_some_and(|key| same(current.get(KEY), key));
        let writable = |column: &Column, value: &Value| match column.access {
            Access::ReadWrite | Access::WriteOnly => true,
            Access::Recorded if is_sent_back => true,
            Access::ReadOnly | Access::Recorded | Access::CreateOnly => {
                same(current.get(column.name), value)
            }
        };
        let mut input = Self::read(table.columns, body, writable)?;
        let fixed = |name: &str| {
            let mut columns = table.columns.iter();
            columns.any(|c| c.name == name && !c.access.by_edit())
        };
        input.columns.retain(|name, _| !fixed(name));
        Ok(input)
    }

    /// Parses the parameters of an action.
    pub(crate) fn params(columns: &[Column], params: &Value) -> Result<Self> {
        let input = Self::read(columns, params, |_, _| true)?;
        input.require(columns)?;
        Ok(input)
    }

    /// Accepts parameters of any name, as they were sent.
    pub(crate) fn any(params: Value) -> Result<Self> {
        let Value::Object(mut columns) = params else {
            return Err(ApiError::malformed("The body must be a JSON object"));
        };
        columns.remove(KEY);
        Ok(columns.into())
    }

    fn read(
        declared: &[Column],
        body: &Value,
        may_write: impl Fn(&Column, &Value) -> bool,
    ) -> Result<Self> {
        let Value::Object(body) = body else {
            return Err(ApiError::malformed("The body must be a JSON object"));
        };
        let mut columns = Map::new();
        for (name, value) in body {
            if name == KEY {
                continue;
            }
            let column = declared
                .iter()
                .find(|c| c.name == name)
                .ok_or_else(|| ApiError::field(&shown(name), "is not a column of this table"))?;
            let value = coerce(column, value)?;
            if !may_write(column, &value) {
                return Err(ApiError::field(name, "cannot be written"));
            }
            columns.insert(name.clone(), value);
        }
        Ok(columns.into())
    }

    /// Takes the digits of numbers from the texts of the input; of two with one name the last
    /// counts.
    pub(crate) fn with_texts(mut self, texts: Vec<(String, &str)>) -> Self {
        for (name, text) in texts {
            let value = self.columns.get(&name);
            match compact(text) {
                Some(json) if value.is_some_and(|value| !value.is_string()) => {
                    self.texts.insert(name, json);
                }
                _ => drop(self.texts.remove(&name)),
            }
        }
        self
    }

    fn require(&self, declared: &[Column]) -> Result<()> {
        let missing = declared
            .iter()
            .find(|c| c.required && self.columns.get(c.name).is_none_or(Value::is_null));
        missing.map_or(Ok(()), |column| {
            Err(ApiError::field(column.name, "is required"))
        })
    }

    /// Returns whether the client sent this column, even as null.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.columns.contains_key(name)
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.columns.get(name).and_then(Value::as_str)
    }

    /// Parses a column of text, if the client sent it.
    pub(crate) fn parsed<T: FromStr>(&self, name: &str) -> Result<Option<T>, T::Err> {
        self.text(name).map(str::parse).transpose()
    }

    /// Replaces a value by the one that the client sent as text, if it did.
    pub(crate) fn set<T: FromStr>(&self, name: &str, value: &mut T) -> Result<(), T::Err> {
        if let Some(new) = self.parsed(name)? {
            *value = new;
        }
        Ok(())
    }

    pub(crate) fn int(&self, name: &str) -> Option<i64> {
        self.columns.get(name).and_then(Value::as_i64)
    }

    pub(crate) fn bool(&self, name: &str) -> Option<bool> {
        self.columns.get(name).and_then(Value::as_bool)
    }

    /// Replaces a value by the one that the client sent, if it did.
    pub(crate) fn switch(&self, name: &str, value: &mut bool) {
        *value = self.bool(name).unwrap_or(*value);
    }

    pub(crate) fn object(&self, name: &str) -> Option<&Map<String, Value>> {
        self.columns.get(name).and_then(Value::as_object)
    }

    /// Returns a column as JSON text without blanks, in which numbers have the digits that were
    /// sent.
    pub(crate) fn json(&self, name: &str) -> Option<String> {
        let value = self.columns.get(name)?;
        let sent = self.texts.get(name).cloned();
        Some(sent.unwrap_or_else(|| value.to_string()))
    }

    /// Returns the names of the columns that were sent.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.keys().map(String::as_str)
    }

    /// Returns a column that names a user.
    pub(crate) fn user(&self, name: &str) -> Option<OwnerId> {
        OwnerId::deserialize(self.columns.get(name)?).ok()
    }

    /// Returns a column that is an id without its table.
    pub(crate) fn id(&self, name: &str) -> Option<ObjectId> {
        self.columns.get(name).and_then(id)
    }

    /// Splits `"table/key"`; returns nothing for a bare id.
    pub(crate) fn reference(&self, name: &str) -> Option<(&str, ObjectId)> {
        let (table, key) = self.text(name)?.split_once('/')?;
        Some((table, key.parse().ok()?))
    }
}

impl From<Map<String, Value>> for Input {
    fn from(columns: Map<String, Value>) -> Self {
        Self {
            columns,
            texts: BTreeMap::new(),
        }
    }
}

/// Returns the JSON that was sent, possibly as a text; `null` may replace another value.
fn compact(sent: &str) -> Option<String> {
    match sent.chars().next()? {
        '"' => {
            let text: String = serde_json::from_str(sent).ok()?;
            compact_json(trim_pasted(&text)).ok()
        }
        'n' => None,
        _ => compact_json(sent).ok(),
    }
}

/// Converts a value to the type of its column, or returns why that is impossible. White space and
/// marks around a text are ignored ([`trim_pasted`]); the field's own type decides whether they are
/// dropped.
fn coerce(column: &Column, value: &Value) -> Result<Value> {
    let text = value.as_str().map(trim_pasted);
    let rule = match (column.kind, value) {
        (Kind::Int(min, max), value) => match int(value) {
            Some(n) if n < min => format!("must be {min} or greater"),
            Some(n) if n > max => format!("must be {max} or less"),
            Some(n) => return Ok(n.into()),
            None => "must be a whole number".into(),
        },
        (Kind::Time, value) => match int(value) {
            Some(n) if n >= 0 => return Ok(n.into()),
            _ => "must be epoch seconds, or 0 for never".into(),
        },
        (Kind::Key(_), value) => match int(value) {
            Some(n) if n > 0 => return Ok(n.into()),
            _ => "must be a row number".into(),
        },
        (Kind::User, value) => match id(value).and_then(|user| user.as_str().parse().ok()) {
            Some::<OwnerId>(user) => return Ok(json!(user)),
            None => "must be a row number or a UUID".into(),
        },
        (Kind::Bool, value) => match (value, int(value), text) {
            (Value::Bool(_), ..) => return Ok(value.clone()),
            (_, Some(n @ (0 | 1)), _) => return Ok((n == 1).into()),
            (_, _, Some(word @ ("true" | "false"))) => return Ok((word == "true").into()),
            _ => "must be true or false".into(),
        },
        (Kind::Text(min, max), Value::String(sent)) => match trim_pasted(sent).chars().count() {
            0 if min > 0 => "is required".into(),
            n if n < min || n > max => format!("must be {min} to {max} characters"),
            _ => return Ok(value.clone()),
        },
        (Kind::Text(0, _), Value::Null) => return Ok("".into()),
        (Kind::Text(..), _) => "must be text".into(),
        (Kind::Word(words), _) => match text.and_then(|word| on_the_wire(word, words)) {
            Some(word) => return Ok(word.into()),
            None => format!("must be one of {}", words.join(", ")),
        },
        (Kind::Reference(_), Value::Null) => return Ok(Value::Null),
        (Kind::Reference(expected), value) => match reference(expected, value) {
            Some(reference) => return Ok(reference),
            None => {
                let table = expected.unwrap_or("table");
                format!("must be a reference such as '{table}/1'")
            }
        },
        (Kind::Object, Value::Object(_)) => return Ok(value.clone()),
        (Kind::Object, Value::Null) => return Ok(Value::Object(Map::new())),
        (Kind::Object, Value::String(text)) if values(text.as_bytes()) > MOST_VALUES => {
            return Err(ApiError::too_large());
        }
        (Kind::Object, _) => match text.map(parse_json) {
            Some(Ok(object @ Value::Object(_))) => return Ok(object),
            _ => "must be a JSON object".into(),
        },
    };
    Err(ApiError::field(column.name, rule))
}

/// Parses an integer, also one written `5.0`, or digits as text.
fn int(value: &Value) -> Option<i64> {
    match value {
        Value::Number(n) => n.as_i64().or_else(|| whole(n.as_f64()?)),
        Value::String(text) => trim_pasted(text).parse().ok(),
        _ => None,
    }
}

/// Parses an id, as a number or as a text; 0 means none.
pub(crate) fn id(value: &Value) -> Option<ObjectId> {
    match (int(value), value) {
        (Some(number), _) => Some(ObjectId::from_number(number)).filter(|_| number > 0),
        (None, Value::String(text)) => trim_pasted(text).parse().ok(),
        (None, _) => None,
    }
}

/// Converts the row number in a path: an invalid one names no row of Gatepost's tables.
pub(crate) fn number(key: ObjectId) -> Result<i64> {
    let number = key.as_number().filter(|number| *number > 0);
    number.ok_or_else(ApiError::not_found)
}

/// JSON does not distinguish 5.0 from 5. Above 2^53 a float does not represent one exact number.
#[allow(
    clippy::cast_possible_truncation,
    reason = "whole and small, as is checked"
)]
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0).then_some(number as i64)
}

/// Parses `"table/key"`. A bare id is accepted too: if no table is declared, it stays one. Keys of
/// Gatepost's tables, which are the declared ones except for users, are row numbers.
fn reference(expected: Option<&str>, value: &Value) -> Option<Value> {
    let whole = value.as_str().map(trim_pasted);
    let (table, key) = match whole.and_then(|text| text.split_once('/')) {
        Some((table, key)) => (Some(table), id(&key.into())?),
        None => (None, id(value)?),
    };
    let is_ours = expected.is_some_and(|table| table != "users");
    if is_ours && key.as_number().is_none() {
        return None;
    }
    match (table, expected) {
        (Some(table), expected) => {
            let fits = expected.is_none_or(|expected| expected == table);
            let whole = || format!("{table}/{key}").into();
            (fits && !table.is_empty() && table.len() <= 64).then(whole)
        }
        (None, Some(table)) => Some(format!("{table}/{key}").into()),
        (None, None) => Some(json!(key)),
    }
}

/// Returns whether a client sent back the value that it had read.
fn same(current: Option<&Value>, sent: &Value) -> bool {
    current.unwrap_or(&Value::Null) == sent
}

/// Shortens client input for an error text.
fn shown(name: &str) -> String {
    name.chars().take(64).collect()
}
