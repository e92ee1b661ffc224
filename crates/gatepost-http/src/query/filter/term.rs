//! A parsed filter, and its evaluation.

use std::cmp::Ordering;
use std::pin::Pin;

use serde_json::Value;
use webhook_model::ObjectId;

use super::pace::Pace;
use super::pattern::Pattern;
use super::text::{Texts, contains};
use crate::error::Result;
use crate::query::sort::compare;
use crate::schema::RowMap;

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
    /// The folded text.
    Contains(String),
    Matches(Pattern),
}

/// The right side of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
    /// An id in a reference, whatever its table is.
    InAnyTable(ObjectId),
}

impl Filter {
    /// Returns whether a row passes.
    ///
    /// # Errors
    /// It takes too long.
    pub(crate) async fn passes(&self, row: &RowMap, pace: &mut impl Pace) -> Result<bool> {
        self.chain(&mut Texts::of(row), pace).await
    }

    async fn chain<P: Pace>(&self, row: &mut Texts<'_>, pace: &mut P) -> Result<bool> {
        let mut so_far = self.first.passes(row, pace).await?;
        for (joiner, term) in &self.rest {
            so_far = match joiner {
                Joiner::And => so_far && term.passes(row, pace).await?,
                Joiner::Or => so_far || term.passes(row, pace).await?,
            };
        }
        Ok(so_far)
    }

    /// Evaluates a filter within another.
    fn group<'a, P: Pace>(
        &'a self,
        row: &'a mut Texts<'_>,
        pace: &'a mut P,
    ) -> Pin<Box<dyn Future<Output = Result<bool>> + Send + 'a>> {
        Box::pin(self.chain(row, pace))
    }

    /// Returns the fields that it names.
    pub(crate) fn fields(&self) -> Vec<&str> {
        let terms = std::iter::once(&self.first).chain(self.rest.iter().map(|(_, term)| term));
        terms
            .flat_map(|term| match term {
                Term::Compare { field, .. } => vec![field.as_str()],
                Term::Group(group) => group.fields(),
            })
            .collect()
    }

    /// Returns the value that `field` must equal for any row to pass, as far as the filter shows: a
    /// store can then read from an index. Only a chain of `and` has such values.
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
    async fn passes<P: Pace>(&self, row: &mut Texts<'_>, pace: &mut P) -> Result<bool> {
        match self {
            Self::Compare { field, test } => test.passes(field, row, pace).await,
            Self::Group(group) => group.group(row, pace).await,
        }
    }
}

impl Test {
    async fn passes<P: Pace>(
        &self,
        field: &str,
        row: &mut Texts<'_>,
        pace: &mut P,
    ) -> Result<bool> {
        let value = row.value(field);
        let text = || row.text(field);
        Ok(match self {
            Self::Equal(literal) => literal.equals(value),
            Self::NotEqual(literal) => !literal.equals(value),
            Self::Greater(literal) => literal.order_of(value) == Some(Ordering::Greater),
            Self::GreaterOrEqual(literal) => literal.order_of(value).is_some_and(Ordering::is_ge),
            Self::Less(literal) => literal.order_of(value) == Some(Ordering::Less),
            Self::LessOrEqual(literal) => literal.order_of(value).is_some_and(Ordering::is_le),
            Self::BeginsWith(start) => text().is_some_and(|t| t.starts_with(start)),
            Self::EndsWith(end) => text().is_some_and(|t| t.ends_with(end)),
            Self::ContainsExactly(part) => match text() {
                Some(text) => contains(&text, part, pace).await?,
                None => false,
            },
            Self::Contains(part) => match row.folded(field, pace).await? {
                Some(text) => contains(text, part, pace).await?,
                None => false,
            },
            Self::Matches(pattern) => match text() {
                Some(text) => pattern.matches(text, pace).await?,
                None => false,
            },
        })
    }
}

impl Literal {
    fn equals(&self, value: &Value) -> bool {
        match self {
            Self::Null => value.is_null(),
            Self::InAnyTable(key) => {
                let behind = value.as_str().and_then(|text| text.split_once('/'));
                behind.is_some_and(|(_, id)| id.parse() == Ok(*key))
            }
            _ => self.order_of(value) == Some(Ordering::Equal),
        }
    }

    /// Compares `value` with this literal; `None` if the two cannot be compared. References and
    /// numbers may be written as text, booleans as 0 and 1, as existing clients do.
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

    /// Returns the literal as a row number: `7` or `'7'`.
    pub(crate) fn as_key(&self) -> Option<i64> {
        match self {
            Self::Int(n) => Some(*n),
            Self::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Returns the literal as an id without a table: `7`, `'7'` or a UUID.
    pub(crate) fn as_id(&self) -> Option<ObjectId> {
        match self {
            Self::Int(number) => Some(ObjectId::from_number(*number)),
            Self::Text(text) if !text.contains('/') => text.parse().ok(),
            _ => None,
        }
    }

    /// Whether it is `true`.
    pub(crate) fn is_true(&self) -> bool {
        *self == Self::Bool(true)
    }

    /// Returns the literal as text.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}
