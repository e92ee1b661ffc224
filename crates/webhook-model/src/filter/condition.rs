//! The compiled form of a filter.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::number::compare;
use crate::data::Spot;

/// A condition on a position in the data. Each part of a path is stored once, however many
/// conditions are below it: a filter takes memory in proportion to its text.
pub(super) enum Term {
    /// All of these terms, for the position at the end of this path.
    Below(Box<[Box<str>]>, Box<[Self]>),
    Here(Test),
    /// All terms of one of these.
    Or(Box<[Box<[Self]>]>),
}

/// A condition on the value at a path.
pub(super) enum Test {
    Exists(bool),
    /// The value equals one of these.
    In(Box<[Scalar]>),
    /// The value exists and equals none of these.
    NotIn(Box<[Scalar]>),
    Ordered(Order, Bound),
}

/// A value for equality.
pub(super) enum Scalar {
    Null,
    Bool(bool),
    Number(Number),
    Text(Box<str>),
}

/// A value for ordering.
pub(super) enum Bound {
    Number(Number),
    Text(Box<str>),
}

#[derive(Clone, Copy)]
pub(super) enum Order {
    More,
    MoreOrEqual,
    Less,
    LessOrEqual,
}

impl Term {
    /// Returns whether it holds at this position, or for a missing value.
    pub(super) fn holds(&self, here: Option<Spot<'_>>) -> bool {
        match self {
            Self::Below(path, terms) => {
                let parts = path.iter().map(|part| &**part);
                all_hold(terms, here.and_then(|here| here.along(parts)))
            }
            Self::Here(test) => test.holds(here.and_then(Spot::value)),
            Self::Or(choices) => choices.iter().any(|terms| all_hold(terms, here)),
        }
    }
}

pub(super) fn all_hold(terms: &[Term], here: Option<Spot<'_>>) -> bool {
    terms.iter().all(|term| term.holds(here))
}

impl Test {
    fn holds(&self, value: Option<&Value>) -> bool {
        let Some(value) = value else {
            return matches!(self, Self::Exists(false));
        };
        match self {
            Self::Exists(wanted) => *wanted,
            Self::In(some) => some.iter().any(|one| one.is(value)),
            Self::NotIn(some) => !some.iter().any(|one| one.is(value)),
            Self::Ordered(order, bound) => bound.order(value).is_some_and(|is| order.has(is)),
        }
    }
}

impl Scalar {
    fn is(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Null, Value::Null) => true,
            (Self::Bool(a), Value::Bool(b)) => a == b,
            (Self::Number(a), Value::Number(b)) => compare(a, b) == Some(Ordering::Equal),
            (Self::Text(a), Value::String(b)) => **a == **b,
            _ => false,
        }
    }
}

impl Bound {
    /// Compares a value with it, if they are of one kind.
    fn order(&self, value: &Value) -> Option<Ordering> {
        match (value, self) {
            (Value::Number(value), Self::Number(bound)) => compare(value, bound),
            (Value::String(value), Self::Text(bound)) => Some((**value).cmp(bound)),
            _ => None,
        }
    }
}

impl Order {
    fn has(self, is: Ordering) -> bool {
        match self {
            Self::More => is.is_gt(),
            Self::MoreOrEqual => is.is_ge(),
            Self::Less => is.is_lt(),
            Self::LessOrEqual => is.is_le(),
        }
    }
}
