//! Ranges of keys, and how a scan ends.

/// A range of the keys of one table, and the direction in which it is read.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[allow(clippy::exhaustive_structs, reason = "an adapter must obey each field")]
pub struct KeyRange {
    /// The least key, included. Empty: from the first key of the table.
    pub from: Vec<u8>,
    /// The end, excluded. `None`: to the last key of the table. If it is not above `from`, the
    /// range is empty.
    pub to: Option<Vec<u8>>,
    /// Whether the greatest key comes first.
    pub back: bool,
}

/// Whether a scan continues.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[allow(clippy::exhaustive_enums, reason = "complete by nature")]
pub enum Go {
    /// The next row, if there is one.
    On,
    /// No further row.
    Stop,
}

impl KeyRange {
    /// Returns the range of all keys of a table.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Returns the range from `from`, included, to `to`, excluded.
    pub fn between(from: impl Into<Vec<u8>>, to: impl Into<Vec<u8>>) -> Self {
        Self {
            from: from.into(),
            to: Some(to.into()),
            back: false,
        }
    }

    /// Returns the range from `from`, included, to the last key.
    pub fn since(from: impl Into<Vec<u8>>) -> Self {
        Self {
            from: from.into(),
            to: None,
            back: false,
        }
    }

    /// Returns the range of the keys that begin with `prefix`, in a table of
    /// [bytes](crate::Keys::Bytes).
    pub fn prefix(prefix: impl Into<Vec<u8>>) -> Self {
        let from = prefix.into();
        let mut to = from.clone();
        while to.last() == Some(&u8::MAX) {
            to.pop();
        }
        let to = to.pop().map(|last| {
            to.push(last + 1);
            to
        });
        Self {
            from,
            to,
            back: false,
        }
    }

    /// Returns the same range, with the greatest key first.
    #[must_use]
    pub fn backward(mut self) -> Self {
        self.back = true;
        self
    }

    /// Returns the rest of the range after `key`, in its direction: the next page. In a table of
    /// [numbers](crate::Keys::Numbers) the caller continues at the next number instead.
    #[must_use]
    pub fn after(mut self, key: &[u8]) -> Self {
        if self.back {
            self.to = Some(key.to_vec());
        } else {
            self.from = key.to_vec();
            self.from.push(0);
        }
        self
    }

    /// Returns whether no key can be in the range.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.to.as_ref().is_some_and(|to| *to <= self.from)
    }
}
