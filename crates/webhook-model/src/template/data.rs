//! The value of a path into the data.

use std::borrow::Cow;

use serde_json::Value;

use super::escape::Text;
use super::parse::CONTEXT;
use super::segment::Place;
use super::values::Values;

const NULL: &str = "null";

/// The value for a variable that refers to data.
pub(super) enum Found<'a> {
    /// The value is missing or `null`.
    Nothing,
    /// A text.
    Text(&'a str),
    /// Any other value, as JSON.
    Json(Cow<'a, str>),
}

impl<'a> Found<'a> {
    /// Returns the value of `data` or `data.path`, and of `context` likewise. A variable of the
    /// platform with that name is used if there are no data.
    pub(super) fn of(values: &Values<'a>, name: &str, variable: Option<&'a str>) -> Self {
        let mut parts = name.split('.');
        let root = match parts.next() {
            Some(CONTEXT) => values.context,
            _ => values.data,
        };
        let mut parts = parts.peekable();
        let Some(data) = root else {
            let whole = parts.peek().is_none();
            let variable = variable.filter(|_| whole);
            return variable.map_or(Self::Nothing, Self::Text);
        };
        if parts.peek().is_none() {
            return Self::Json(data.as_str().into());
        }
        match data.at(parts.clone()) {
            None | Some(Value::Null) => Self::Nothing,
            Some(Value::String(text)) => Self::Text(text),
            Some(value) => Self::Json(data.text_at(parts, value).into()),
        }
    }

    /// Returns its length in bytes, with quotes.
    pub(super) fn len(&self, json: bool, place: Place) -> usize {
        let bare = json && place == Place::Bare;
        match self {
            Self::Nothing if bare => NULL.len(),
            Self::Nothing => 0,
            Self::Text(text) => Text::new(text, json).len() + if bare { 2 } else { 0 },
            Self::Json(text) => Text::new(text, json && !bare).len(),
        }
    }

    pub(super) fn push(&self, out: &mut String, json: bool, place: Place) {
        let bare = json && place == Place::Bare;
        match self {
            Self::Nothing if bare => out.push_str(NULL),
            Self::Nothing => {}
            Self::Text(text) => Text::new(text, json).push(out, json, place),
            Self::Json(text) => {
                let json = json && !bare;
                Text::new(text, json).push(out, json, Place::InString);
            }
        }
    }
}
