//! A column: its type, who may write it, and its limits.

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// A whole number within limits; a string of digits is taken too.
    Int { min: i64, max: i64 },
    /// `true` or `false`; 0 and 1 are taken too.
    Bool,
    /// Text of so many characters.
    Text { min: usize, max: usize },
    /// One of these words.
    Word(&'static [&'static str]),
    /// Epoch seconds, 0 for never.
    Time,
    /// A row number of this table; a string of digits is taken too.
    Key(&'static str),
    /// `"table/key"` of this table, or of one that the row itself says; may be null.
    Reference(Option<&'static str>),
    /// A JSON object; may come as JSON text.
    Object,
}

/// Who writes a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Only the service.
    ReadOnly,
    /// The client, at creation.
    CreateOnly,
    /// The client.
    ReadWrite,
    /// The client; never answered.
    WriteOnly,
}

/// The declaration of a column.
#[derive(Debug)]
pub(crate) struct Column {
    pub name: &'static str,
    pub kind: Kind,
    pub access: Access,
    /// Whether a creation must name it.
    pub required: bool,
    /// Whether it stands in a list without `fields`.
    pub short: bool,
    /// An example as JSON text, for the OpenAPI document.
    pub example: &'static str,
    pub doc: &'static str,
}

impl Column {
    /// A column that the client may write.
    pub(crate) const fn new(
        name: &'static str,
        kind: Kind,
        example: &'static str,
        doc: &'static str,
    ) -> Self {
        Self {
            name,
            kind,
            access: Access::ReadWrite,
            required: false,
            short: false,
            example,
            doc,
        }
    }

    /// One that a creation must name.
    pub(crate) const fn required(self) -> Self {
        Self {
            required: true,
            ..self
        }
    }

    /// One that stands in a list without `fields`.
    pub(crate) const fn short(self) -> Self {
        Self {
            short: true,
            ..self
        }
    }

    /// One that the service alone writes.
    pub(crate) const fn read_only(self) -> Self {
        Self {
            access: Access::ReadOnly,
            ..self
        }
    }

    /// One that is fixed at creation.
    pub(crate) const fn create_only(self) -> Self {
        Self {
            access: Access::CreateOnly,
            ..self
        }
    }

    /// One that is never answered.
    pub(crate) const fn write_only(self) -> Self {
        Self {
            access: Access::WriteOnly,
            ..self
        }
    }
}
