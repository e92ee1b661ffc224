//! `sort=`: the sort columns.

use std::cmp::Ordering;

use serde_json::Value;

use crate::error::{ApiError, Result};
use crate::schema::KEY;

/// The maximum number of sort keys.
const MOST: usize = 16;

/// The order of a list; empty means the order of row numbers.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Sort(pub Vec<By>);

/// One sort key.
#[derive(Debug, PartialEq)]
pub(crate) struct By {
    pub column: String,
    pub descending: bool,
}

impl Sort {
    /// Parses `+name,-created`. A `+` that was not percent-encoded arrives as a space.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let keys = text
            .split(',')
            .map(str::trim)
            .filter(|key| !key.is_empty())
            .map(|key| {
                let (column, descending) = match (key.strip_prefix('-'), key.strip_prefix('+')) {
                    (Some(column), _) => (column, true),
                    (None, Some(column)) => (column, false),
                    (None, None) => (key, false),
                };
                By {
                    column: column.trim().to_owned(),
                    descending,
                }
            });
        let keys: Vec<By> = keys.collect();
        if keys.len() > MOST || keys.iter().any(|by| by.column.is_empty()) {
            return Err(ApiError::field(
                "sort",
                "must be a short list of columns such as '+name,-created'",
            ));
        }
        Ok(Self(keys))
    }

    /// Orders rows of one second by their numbers, in the direction of `created`.
    pub(crate) fn settle(&mut self) {
        if let [by] = &self.0[..]
            && by.column == "created"
        {
            let descending = by.descending;
            let column = KEY.to_owned();
            self.0.push(By { column, descending });
        }
    }
}

/// Compares values: null before booleans before numbers before text; text by its code points.
pub(crate) fn compare(a: Option<&Value>, b: Option<&Value>) -> Ordering {
    let null = Value::Null;
    match (a.unwrap_or(&null), b.unwrap_or(&null)) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => a
                .as_f64()
                .unwrap_or(0.0)
                .total_cmp(&b.as_f64().unwrap_or(0.0)),
        },
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (a, b) => rank(a).cmp(&rank(b)),
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) | Value::Object(_) => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plus_minus_bare_and_a_decoded_plus() {
        let by = |column: &str, descending| By {
            column: column.into(),
            descending,
        };
        let sort = Sort::parse("+a,-b,c, d").unwrap();
        assert_eq!(
            sort,
            Sort(vec![
                by("a", false),
                by("b", true),
                by("c", false),
                by("d", false)
            ])
        );
        assert!(Sort::parse("-").is_err());
    }

    proptest::proptest! {
        /// No client input, such as `sort=é`, may end the connection.
        #[test]
        fn never_panics(text in "[-+, a-zé€]{0,20}", any in ".{0,50}") {
            let _ = (Sort::parse(&text), Sort::parse(&any));
        }
    }
}
