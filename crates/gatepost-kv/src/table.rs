//! Tables, their keys, and limits of length.

use crate::key_range::KeyRange;

/// The maximum length of a key, in bytes. LMDB takes 511 by default: a bound of a range, which may
/// have a byte more than a key, fits with the longest [prefix](Table::prefixed_key) of a table.
pub const MAX_KEY: usize = 480;
/// The maximum length of a value, in bytes: one rendered message and its columns.
pub const MAX_VALUE: usize = 8 * 1024 * 1024;
/// The maximum number of bytes that one change writes: its keys and values together.
pub const MAX_CHANGE: usize = 16 * 1024 * 1024;
const MAX_NAME: usize = 29;
const SEPARATOR: u8 = 0;
const AFTER_SEPARATOR: u8 = 1;

/// A table: an ordered set of keys, each with a value.
///
/// Two tables never share keys. A database without tables puts the name in front of each key:
/// [`prefixed_key`](Self::prefixed_key), [`prefixed_bounds`](Self::prefixed_bounds) and
/// [`unprefixed`](Self::unprefixed) do that.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct Table {
    /// The name: 1 to 29 of `a` to `z` and `_`.
    pub name: &'static str,
    /// The kind of the table's keys.
    pub keys: Keys,
}

/// The kind of a table's keys.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[allow(clippy::exhaustive_enums, reason = "an adapter must support each kind")]
pub enum Keys {
    /// A key is a number from 0 to 2⁶³ − 1, as 8 bytes, the highest first ([`number_key`]). A
    /// database whose rows are found faster by a number may keep it as one; any other need not
    /// distinguish.
    Numbers,
    /// A key is 1 to [`MAX_KEY`] bytes.
    Bytes,
}

impl Table {
    /// Creates a table whose keys are bytes.
    ///
    /// # Panics
    /// If the name is not 1 to 29 of `a` to `z` and `_`; in a constant, at compile time.
    #[must_use]
    pub const fn bytes(name: &'static str) -> Self {
        Self::new(name, Keys::Bytes)
    }

    /// Creates a table whose keys are numbers.
    ///
    /// # Panics
    /// If the name is not 1 to 29 of `a` to `z` and `_`; in a constant, at compile time.
    #[must_use]
    pub const fn numbers(name: &'static str) -> Self {
        Self::new(name, Keys::Numbers)
    }

    const fn new(name: &'static str, keys: Keys) -> Self {
        let text = name.as_bytes();
        assert!(
            !text.is_empty() && text.len() <= MAX_NAME,
            "a name has 1 to 29 characters"
        );
        let mut at = 0;
        while at < text.len() {
            assert!(
                text[at] == b'_' || text[at].is_ascii_lowercase(),
                "a name is of a-z and _"
            );
            at += 1;
        }
        Self { name, keys }
    }

    /// Returns a key for a database that has one order for all tables: the name, a zero byte, the
    /// key. It has at most 510 bytes.
    #[must_use]
    pub fn prefixed_key(self, key: &[u8]) -> Vec<u8> {
        let mut prefixed = Vec::with_capacity(self.name.len() + 1 + key.len());
        prefixed.extend_from_slice(self.name.as_bytes());
        prefixed.push(SEPARATOR);
        prefixed.extend_from_slice(key);
        prefixed
    }

    /// Returns the bounds of a range for a database that has one order for all tables: the first
    /// key included, the last one excluded. The second is never below the first.
    #[must_use]
    pub fn prefixed_bounds(self, range: &KeyRange) -> (Vec<u8>, Vec<u8>) {
        let from = self.prefixed_key(&range.from);
        let to = range.to.as_ref().map_or_else(
            || [self.name.as_bytes(), &[AFTER_SEPARATOR]].concat(),
            |to| self.prefixed_key(to),
        );
        let to = to.max(from.clone());
        (from, to)
    }

    /// Returns the table's key in a [prefixed key](Self::prefixed_key) of this table.
    #[must_use]
    pub fn unprefixed(self, prefixed: &[u8]) -> &[u8] {
        prefixed.get(self.name.len() + 1..).unwrap_or_default()
    }
}

/// Returns the key of a number, which must be below 2⁶³.
#[must_use]
pub const fn number_key(number: u64) -> [u8; 8] {
    number.to_be_bytes()
}
