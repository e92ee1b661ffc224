//! Which occurrences of its kind an event is for, by what they bring along.
//!
//! A filter is a JSON object of paths and conditions, all of which must hold:
//!
//! | condition | holds where the value at the path |
//! |---|---|
//! | `"critical"`, `7`, `true`, `null` | is that; so is `{"$eq": …}` |
//! | `{"$ne": …}` | is there and is anything else |
//! | `{"$in": […]}`, `{"$nin": […]}` | is one of these; is there and is none of these |
//! | `{"$gt": …}`, `$gte`, `$lt`, `$lte` | is more or less: a number than a number, a text than a text, byte by byte |
//! | `{"$exists": true}` | is there, or is not there for `false` |
//! | `{"$or": [{…}, {…}]}` | keeps one of these, each a filter of its own; also at the top |
//!
//! Nothing is taken for what it is not: a text is no number, and what is not there keeps no
//! condition but `{"$exists": false}`. Numbers are compared as integers where both are, else as
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

/// The most bytes of a [`Filter`], as text without blanks.
pub const MAX_FILTER: usize = 4 * 1024;
/// The most bytes of a filter that was stored when filters were kept for clients and not obeyed.
const MAX_STORED: usize = 64 * 1024;

/// Which occurrences of its kind an event is for. At most [`MAX_FILTER`] bytes as text, 100 values
/// to compare with, 8 objects in each other and 32 parts of a path: so its cost is bounded. Clones
/// share it; the default asks for nothing and is for all of them.
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
    /// What must hold, or why that is not understood.
    terms: Result<Box<[Term]>, Invalid>,
}

impl Filter {
    /// Parses an object.
    ///
    /// # Errors
    /// The path, and the rule that the filter breaks there: an operator that is not known, a value
    /// that it does not take, or more than a filter may have.
    pub fn new(members: &Map<String, Value>) -> Result<Self, Invalid> {
        Self::read(members, MAX_FILTER)?.understood()
    }

    /// Reads back what a store holds: also what was accepted when filters were not obeyed yet. Of
    /// that, what is [not understood](Self::problem) matches nothing.
    ///
    /// # Errors
    /// A text that is not a JSON object, or of more than 64 KiB.
    pub fn stored(text: &str) -> Result<Self, Invalid> {
        Self::read(&object(text, MAX_STORED)?, MAX_STORED)
    }

    /// Why it is not understood: it was stored when filters were not obeyed yet. It matches nothing
    /// until it is changed.
    #[must_use]
    pub fn problem(&self) -> Option<&Invalid> {
        self.0.as_ref()?.terms.as_ref().err()
    }

    /// Whether it asks for nothing, so that all is matched.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Its members; none where it asks for nothing. Costs reading its text.
    #[must_use]
    pub fn to_map(&self) -> Map<String, Value> {
        serde_json::from_str(self.as_str()).unwrap_or_default()
    }

    /// As JSON text without blanks; `{}` where it asks for nothing.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_ref().map_or("{}", |parsed| &parsed.text)
    }

    /// Whether an occurrence that brings this along is one of those. It costs about what looking up
    /// its paths costs.
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

/// Two with the same members, in whatever order.
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
