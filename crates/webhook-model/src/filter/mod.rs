//! Filters: conditions on the data of occurrences.
//!
//! A filter is a JSON object of paths and conditions, all of which must hold:
//!
//! | condition | holds if the value at the path |
//! |---|---|
//! | `"critical"`, `7`, `true`, `null` | equals it; the same as `{"$eq": …}` |
//! | `{"$ne": …}` | exists and differs |
//! | `{"$in": […]}`, `{"$nin": […]}` | equals one of these; exists and equals none of these |
//! | `{"$gt": …}`, `$gte`, `$lt`, `$lte` | is greater or less: numbers compare with numbers, texts with texts, byte by byte |
//! | `{"$exists": true}` | exists, or does not exist for `false` |
//! | `{"$or": [{…}, {…}]}` | satisfies one of these filters; also allowed at the top |
//!
//! Values are never converted: a text is not a number, and a missing value satisfies only
//! `{"$exists": false}`. Numbers are compared as integers if both are, and otherwise as
//! floating-point numbers of 64 bits.

mod condition;
mod number;
mod parse;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde_json::{Map, Value};

use self::condition::{Term, all_hold};
use crate::data::Data;
use crate::error::{Field, Invalid};

/// The maximum size of a [`Filter`] in bytes, as text without blanks.
pub const MAX_FILTER: usize = 4 * 1024;
/// The maximum size of a filter from versions that stored filters without evaluating them.
const MAX_STORED: usize = 64 * 1024;

/// A filter for occurrences. Its cost is bounded: at most [`MAX_FILTER`] bytes as text, 100 values
/// to compare with, 8 nested objects and 32 parts of a path. Clones share it. The default has no
/// condition and matches all occurrences.
///
/// ```
/// use webhook_model::{Data, Filter};
/// let filter: Filter = r#"{"severity": {"$in": ["high", "critical"]}, "disk.free": {"$lt": 10}}"#.parse()?;
/// let data: Data = r#"{"severity": "high", "disk": {"free": 7.5}}"#.parse()?;
/// assert!(filter.matches(Some(&data)));
/// assert!(!filter.matches(None));
///
/// let unknown = r#"{"disk.free": {"$near": 10}}"#.parse::<Filter>().unwrap_err();
/// assert!(unknown.rule().starts_with("at disk.free: $near is not known"));
/// # Ok::<(), webhook_model::Invalid>(())
/// ```
#[derive(Clone, Default)]
pub struct Filter(Option<Arc<Parsed>>);

struct Parsed {
    text: Box<str>,
    /// The conditions, or the reason why the filter is invalid.
    terms: Result<Box<[Term]>, Invalid>,
}

impl Filter {
    /// Parses an object.
    ///
    /// # Errors
    /// The path, and the rule that the filter breaks there: an unknown operator, a value that it
    /// does not accept, or an exceeded limit.
    pub fn new(members: &Map<String, Value>) -> Result<Self, Invalid> {
        Self::read(members, MAX_FILTER)?.understood()
    }

    /// Parses a stored filter, also one from versions that did not evaluate filters. If such a
    /// filter is [invalid](Self::problem), it matches nothing.
    ///
    /// # Errors
    /// A text that is not a JSON object, or has more than 64 KiB.
    pub fn stored(text: &str) -> Result<Self, Invalid> {
        Self::read(&object(text, MAX_STORED)?, MAX_STORED)
    }

    /// Returns why it is invalid: it was stored by a version that did not evaluate filters. It
    /// matches nothing until it is changed.
    #[must_use]
    pub fn problem(&self) -> Option<&Invalid> {
        self.0.as_ref()?.terms.as_ref().err()
    }

    /// Returns whether it has no condition, so that it matches everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns its members, none if it has no condition. It parses the text.
    #[must_use]
    pub fn to_map(&self) -> Map<String, Value> {
        serde_json::from_str(self.as_str()).unwrap_or_default()
    }

    /// Returns the JSON text without blanks; `{}` if it has no condition.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_ref().map_or("{}", |parsed| &parsed.text)
    }

    /// Returns whether it matches an occurrence with these data. The cost is about that of looking
    /// up its paths.
    #[must_use]
    pub fn matches(&self, data: Option<&Data>) -> bool {
        let Some(parsed) = &self.0 else {
            return true;
        };
        let terms = parsed.terms.as_ref();
        terms.is_ok_and(|terms| all_hold(terms, data.map(Data::top)))
    }

    fn read(members: &Map<String, Value>, most: usize) -> Result<Self, Invalid> {
        if members.is_empty() {
            return Ok(Self::default());
        }
        let terms = parse::terms(members);
        let text = serde_json::to_string(members)
            .map_err(|_| Invalid::new(Field::Filter, "must be a JSON object"))?;
        if text.len() > most {
            return Err(too_long(most));
        }
        let terms = match terms {
            Ok(_) if text.len() > MAX_FILTER => Err(too_long(MAX_FILTER)),
            terms => terms.map(Into::into),
        };
        Ok(Self(Some(Arc::new(Parsed {
            text: text.into(),
            terms,
        }))))
    }

    fn understood(self) -> Result<Self, Invalid> {
        match self.problem() {
            Some(problem) => Err(problem.clone()),
            None => Ok(self),
        }
    }
}

impl FromStr for Filter {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        Self::new(&object(text, MAX_FILTER)?)
    }
}

fn object(text: &str, most: usize) -> Result<Map<String, Value>, Invalid> {
    if text.len() > most {
        return Err(too_long(most));
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(members)) => Ok(members),
        _ => Err(Invalid::new(Field::Filter, "must be a JSON object")),
    }
}

fn too_long(most: usize) -> Invalid {
    Invalid::new(Field::Filter, format!("must be at most {most} bytes"))
}

/// Equal if they have the same members in any order.
impl PartialEq for Filter {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str() || self.to_map() == other.to_map()
    }
}

impl Eq for Filter {}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Filter({self})")
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
