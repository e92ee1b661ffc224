//! A field of a record: a column of its table.

/// A field of a record: a column of its table.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Field {
    /// The name of the column.
    pub name: &'static str,
    /// The purpose that its values are sealed for, such as `webhook.url`; `None` for a column in
    /// plaintext. The values of a sealed column are bytes, with or without a sealing key.
    pub sealed: Option<&'static str>,
    /// Whether its values are bytes. This is also true for a sealed column.
    pub bytes: bool,
    /// Whether an edit changes it.
    pub edited: bool,
    /// The text that replaces it when a list is read without [`Bodies`](crate::Bodies); `None` for
    /// a small column, which is always read.
    pub omitted: Option<&'static str>,
}

impl Field {
    pub(super) const fn new(name: &'static str) -> Self {
        Self {
            name,
            sealed: None,
            bytes: false,
            edited: true,
            omitted: None,
        }
    }
}

#[cfg(feature = "keys")]
impl Field {
    /// Creates a field that no edit changes.
    pub(super) const fn fixed(name: &'static str) -> Self {
        Self {
            edited: false,
            ..Self::new(name)
        }
    }

    pub(super) const fn bytes(name: &'static str) -> Self {
        Self {
            bytes: true,
            ..Self::new(name)
        }
    }
}

#[cfg(feature = "webhooks")]
impl Field {
    pub(super) const fn sealed(name: &'static str, context: &'static str) -> Self {
        Self {
            sealed: Some(context),
            bytes: true,
            ..Self::new(name)
        }
    }

    pub(super) const fn body(name: &'static str, omitted: &'static str) -> Self {
        Self {
            omitted: Some(omitted),
            ..Self::new(name)
        }
    }
}
