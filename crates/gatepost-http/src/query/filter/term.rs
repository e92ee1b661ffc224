//! A parsed filter, and which rows pass it.

use std::cmp::Ordering;

use regex::Regex;
use serde_json::Value;

use crate::query::sort::compare;

/// A longer text matches no pattern; only messages and responses in the delivery log are ever
/// longer.
const MATCHED_BYTES: usize = 16 * 1024;

/// A parsed filter: a chain of terms, evaluated from left to right without precedence.
#[derive(Debug)]
pub(crate) struct Filter {
    pub(super) first: Term,
    pub(super) rest: Vec<(Joiner, Term)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Joiner {
    And,
    Or,
}

#[derive(Debug)]
pub(super) enum Term {
    Compare { field: String, test: Test },
    Group(Box<Filter>),
}

#[derive(Debug)]
pub(super) enum Test {
    Equal(Literal),
    NotEqual(Literal),
    Greater(Literal),
    GreaterOrEqual(Literal),
    Less(Literal),
    LessOrEqual(Literal),
    BeginsWith(String),
    EndsWith(String),
    ContainsExactly(String),
    /// The text in lower case.
    Contains(String),
    Matches(Regex),
}

/// The right side of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
}

impl Filter {
    /// Whether a row passes, of which `column` reads the columns.
    pub(crate) fn passes<'a>(&self, column: &dyn Fn(&str) -> Option<&'a Value>) -> bool {
        self.rest.iter().fold(
            self.first.passes(column),
            |so_far, (joiner, term)| match joiner {
                Joiner::And => so_far && term.passes(column),
                Joiner::Or => so_far || term.passes(column),
            },
        )
    }

    /// The fields that it names.
    pub(crate) fn fields(&self) -> Vec<&str> {
        let terms = std::iter::once(&self.first).chain(self.rest.iter().map(|(_, term)| term));
        terms
            .flat_map(|term| match term {
                Term::Compare { field, .. } => vec![field.as_str()],
                Term::Group(group) => group.fields(),
            })
            .collect()
    }

    /// What `field` must equal for any row to pass, as far as the filter alone shows: lets a store
    /// read from an index. Only a chain of `and` says so.
    pub(crate) fn must_equal(&self, field: &str) -> Option<&Literal> {
        if self.rest.iter().any(|(joiner, _)| *joiner == Joiner::Or) {
            return None;
        }
        let terms = std::iter::once(&self.first).chain(self.rest.iter().map(|(_, term)| term));
        terms
            .filter_map(|term| match term {
                Term::Compare {
                    field: f,
                    test: Test::Equal(value),
                } if f == field => Some(value),
                Term::Group(group) => group.must_equal(field),
                Term::Compare { .. } => None,
            })
            .next()
    }
}

impl Term {
    fn passes<'a>(&self, column: &dyn Fn(&str) -> Option<&'a Value>) -> bool {
        match self {
            Self::Compare { field, test } => test.passes(column(field).unwrap_or(&Value::Null)),
            Self::Group(group) => group.passes(column),
        }
    }
}

impl Test {
    fn passes(&self, value: &Value) -> bool {
        let text = || text_of(value);
        match self {
            Self::Equal(literal) => literal.equals(value),
            Self::NotEqual(literal) => !literal.equals(value),
            Self::Greater(literal) => literal.order_of(value) == Some(Ordering::Greater),
            Self::GreaterOrEqual(literal) => literal.order_of(value).is_some_and(Ordering::is_ge),
            Self::Less(literal) => literal.order_of(value) == Some(Ordering::Less),
            Self::LessOrEqual(literal) => literal.order_of(value).is_some_and(Ordering::is_le),
            Self::BeginsWith(start) => text().is_some_and(|t| t.starts_with(start)),
            Self::EndsWith(end) => text().is_some_and(|t| t.ends_with(end)),
            Self::ContainsExactly(part) => text().is_some_and(|t| t.contains(part)),
            Self::Contains(part) => text().is_some_and(|t| t.to_lowercase().contains(part)),
            Self::Matches(regex) => {
                text().is_some_and(|t| t.len() <= MATCHED_BYTES && regex.is_match(&t))
            }
        }
    }
}

impl Literal {
    fn equals(&self, value: &Value) -> bool {
        match self {
            Self::Null => value.is_null(),
            _ => self.order_of(value) == Some(Ordering::Equal),
        }
    }

    /// How `value` compares to this literal; `None` where the two cannot be compared. References
    /// and numbers may be written as text, booleans as 0 and 1, as existing clients do.
    fn order_of(&self, value: &Value) -> Option<Ordering> {
        let literal = match (self, value) {
            (Self::Int(n), Value::Number(_)) => Value::from(*n),
            (Self::Int(n), Value::String(_)) => Value::from(n.to_string()),
            (Self::Int(n @ (0 | 1)), Value::Bool(_)) => Value::from(*n == 1),
            (Self::Bool(b), Value::Bool(_)) => Value::from(*b),
            (Self::Text(t), Value::String(_)) => Value::from(t.as_str()),
            (Self::Text(t), Value::Number(_)) => Value::from(t.parse::<i64>().ok()?),
            _ => return None,
        };
        Some(compare(Some(value), Some(&literal)))
    }

    /// The literal as a row number: `7` or `'7'`.
    pub(crate) fn as_key(&self) -> Option<i64> {
        match self {
            Self::Int(n) => Some(*n),
            Self::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Whether it is `true`.
    pub(crate) fn is_true(&self) -> bool {
        *self == Self::Bool(true)
    }

    /// The literal as text.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// The text that the text operators look at: strings as they are, numbers in digits.
fn text_of(value: &Value) -> Option<std::borrow::Cow<'_, str>> {
    match value {
        Value::String(text) => Some(text.into()),
        Value::Number(number) => Some(number.to_string().into()),
        _ => None,
    }
}
