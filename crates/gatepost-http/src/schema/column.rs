//! Columns: types, write access, and limits.

/// 9999-12-31T23:59:59Z: clients cannot parse later times.
pub(crate) const LAST_SECOND: i64 = 253_402_300_799;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A whole number within limits; a string of digits is accepted too.
    Int { min: i64, max: i64 },
    /// `true` or `false`; 0 and 1 are accepted too.
    Bool,
    /// Text of `min` to `max` characters.
    Text { min: usize, max: usize },
    /// One of these words.
    Word(&'static [&'static str]),
    /// Epoch seconds, 0 for never.
    Time,
    /// A row number of this table; a string of digits is accepted too.
    Key(&'static str),
    /// A user: a row number, or a text; a string of digits is accepted too.
    User,
    /// `"table/key"` of this table, or of one that the row itself names; may be null.
    Reference(Option<&'static str>),
    /// A JSON object; may be sent as JSON text.
    Object,
}

/// The write access to a column.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Access {
    /// Only the service.
    ReadOnly,
    /// Only the service, and without an edit: the value may have changed since a client read it.
    Recorded,
    /// The client, at creation.
    CreateOnly,
    /// The client.
    ReadWrite,
    /// The client; no response contains it.
    WriteOnly,
}

impl Access {
    /// Returns whether a creation may set it.
    pub(crate) fn at_creation(self) -> bool {
        !matches!(self, Self::ReadOnly | Self::Recorded)
    }

    /// Returns whether an edit may change it.
    pub(crate) fn by_edit(self) -> bool {
        matches!(self, Self::ReadWrite | Self::WriteOnly)
    }
}

/// The declaration of a column.
#[derive(Debug)]
pub struct Column {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) access: Access,
    /// Whether a creation must set it.
    pub(crate) required: bool,
    /// Whether it is in a list without `fields`.
    pub(crate) short: bool,
    /// Whether it rises with `$key`, row by row.
    pub(crate) rises: bool,
    /// An example as JSON text, for the OpenAPI document.
    pub(crate) example: &'static str,
    pub(crate) doc: &'static str,
}

impl Column {
    /// Declares a text column. `example` is JSON text, such as `"\"web-1\""`; both are part of the
    /// OpenAPI document.
    #[must_use]
    pub const fn text(name: &'static str, example: &'static str, doc: &'static str) -> Self {
        let any = Kind::Text {
            min: 0,
            max: usize::MAX,
        };
        Self::new(name, any, example, doc).read_only()
    }

    /// Declares a column of whole numbers.
    #[must_use]
    pub const fn int(name: &'static str, example: &'static str, doc: &'static str) -> Self {
        let any = Kind::Int {
            min: i64::MIN,
            max: i64::MAX,
        };
        Self::new(name, any, example, doc).read_only()
    }

    /// Declares a column of `true` or `false`.
    #[must_use]
    pub const fn bool(name: &'static str, example: &'static str, doc: &'static str) -> Self {
        Self::new(name, Kind::Bool, example, doc).read_only()
    }

    /// Declares a column of times: epoch seconds, 0 for never.
    #[must_use]
    pub const fn time(name: &'static str, example: &'static str, doc: &'static str) -> Self {
        Self::new(name, Kind::Time, example, doc).read_only()
    }

    /// Declares a column that the client may write.
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
            rises: false,
            example,
            doc,
        }
    }

    /// Marks it as required at creation.
    pub(crate) const fn required(self) -> Self {
        Self {
            required: true,
            ..self
        }
    }

    /// Adds it to lists without `fields`.
    #[must_use]
    pub const fn short(self) -> Self {
        Self {
            short: true,
            ..self
        }
    }

    /// Marks it as rising with `$key`: a list sorted by it is returned in read order.
    pub(crate) const fn rising(self) -> Self {
        Self {
            rises: true,
            ..self
        }
    }

    /// Marks it as written only by the service.
    pub(crate) const fn read_only(self) -> Self {
        Self {
            access: Access::ReadOnly,
            ..self
        }
    }

    /// Marks it as written by the service without an edit: a login, a run.
    pub(crate) const fn recorded(self) -> Self {
        Self {
            access: Access::Recorded,
            ..self
        }
    }

    /// Marks it as fixed at creation.
    pub(crate) const fn create_only(self) -> Self {
        Self {
            access: Access::CreateOnly,
            ..self
        }
    }

    /// Removes it from all responses.
    pub(crate) const fn write_only(self) -> Self {
        Self {
            access: Access::WriteOnly,
            ..self
        }
    }
}
