//! Small sets of names.

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use gatepost_ids::trim_pasted;

use super::name::{GrantNameError, ScopeName, TableName};

/// The maximum number of tables, and of scopes, that a key names.
pub const MAX_GRANTED: usize = 32;

/// Tables that a key names.
pub type TableNames = Names<TableName>;
/// Scopes that a key names.
pub type ScopeNames = Names<ScopeName>;

/// At most [`MAX_GRANTED`] names, without duplicates and in order. Backends store the text form,
/// which joins them by commas; white space only means no names.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Names<N>(BTreeSet<N>);

/// The reason why names are not [`Names`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NamesError {
    /// One of them is not a valid name. A blank entry is not valid either: it does not mean "no
    /// name".
    #[error(transparent)]
    Name(#[from] GrantNameError),
    /// There are more than [`MAX_GRANTED`].
    #[error("must not be more than {MAX_GRANTED}")]
    TooMany,
}

impl<N: Ord> Names<N> {
    /// Creates it from names.
    ///
    /// # Errors
    /// [`NamesError::TooMany`].
    pub fn new(names: impl IntoIterator<Item = N>) -> Result<Self, NamesError> {
        let mut taken = BTreeSet::new();
        for name in names {
            taken.insert(name);
            if taken.len() > MAX_GRANTED {
                return Err(NamesError::TooMany);
            }
        }
        Ok(Self(taken))
    }

    /// Creates an empty set.
    #[must_use]
    pub const fn none() -> Self {
        Self(BTreeSet::new())
    }

    /// Returns whether there is no name.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether it contains this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool
    where
        N: Borrow<str>,
    {
        self.0.contains(name)
    }

    /// Returns whether `others` contains each name.
    #[must_use]
    pub fn are_among(&self, others: &Self) -> bool {
        self.0.is_subset(&others.0)
    }

    /// Returns the names, in order.
    pub fn iter(&self) -> impl Iterator<Item = &N> {
        self.0.iter()
    }
}

impl<N: Ord> Default for Names<N> {
    fn default() -> Self {
        Self::none()
    }
}

impl<N: FromStr<Err = GrantNameError> + Ord> FromStr for Names<N> {
    type Err = NamesError;

    fn from_str(text: &str) -> Result<Self, NamesError> {
        if trim_pasted(text).is_empty() {
            return Ok(Self::none());
        }
        let mut taken = Self::none();
        for name in text.split(',') {
            taken.0.insert(trim_pasted(name).parse()?);
            if taken.0.len() > MAX_GRANTED {
                return Err(NamesError::TooMany);
            }
        }
        Ok(taken)
    }
}

impl<N: fmt::Display> fmt::Display for Names<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, name) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(",")?;
            }
            name.fmt(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_names_parse_sorted_deduplicated_and_round_trip() {
        let names: TableNames = " vms ,tasks,vms".parse().unwrap();
        assert_eq!(names.to_string(), "tasks,vms");
        assert_eq!(names.to_string().parse(), Ok(names));
        for none in ["", " ", "\t\n"] {
            assert_eq!(none.parse(), Ok(TableNames::none()));
        }
    }

    /// None would be everything.
    #[test]
    fn table_names_with_blank_entry_are_rejected() {
        for bad in [",", "a,", ",a", "a,,b", ", ,"] {
            let refused = NamesError::Name(GrantNameError::Table);
            assert_eq!(bad.parse::<TableNames>(), Err(refused), "{bad:?}");
        }
    }

    #[test]
    fn there_are_few() {
        let many = |count: usize| {
            let names: Vec<String> = (0..count).map(|n| format!("t{n}")).collect();
            names.join(",").parse::<ScopeNames>()
        };
        assert_eq!(many(MAX_GRANTED).unwrap().iter().count(), MAX_GRANTED);
        assert_eq!(many(MAX_GRANTED + 1), Err(NamesError::TooMany));
        assert_eq!(many(1_000_000), Err(NamesError::TooMany));
        let same = vec!["a"; 1_000].join(",");
        assert_eq!(same.parse::<TableNames>().unwrap().to_string(), "a");
    }
}
