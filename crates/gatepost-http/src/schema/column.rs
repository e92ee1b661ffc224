//! A column: its type, who may write it, and its limits.

/// 9999-12-31T23:59:59Z: beyond it clients cannot read a time back.
pub(crate) const LAST_SECOND: i64 = 253_402_300_799;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A whole number within limits; a string of digits is taken too.
    Int { min: i64, max: i64 },
    /// `true` or `false`; 0 and 1 are taken too.
    Bool,
    /// Text of `min` to `max` characters.
    Text { min: usize, max: usize },
    /// One of these words.
    Word(&'static [&'static str]),
    /// Epoch seconds, 0 for never.
    Time,
    /// A row number of this table; a string of digits is taken too.
    Key(&'static str),
    /// A user: a row number, or a text; a string of digits is taken too.
    User,
    /// `"table/key"` of this table, or of one that the row itself says; may be null.
    Reference(Option<&'static str>),
    /// A JSON object; may come as JSON text.
    Object,
}

/// Who writes a column.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Access {
    /// Only the service.
    ReadOnly,
    /// Only the service, and without an edit: what a client read may differ from it by now.
    Recorded,
    /// The client, at creation.
    CreateOnly,
    /// The client.
    ReadWrite,
    /// The client; it is in no response.
    WriteOnly,
}

impl Access {
    /// Whether a creation may name it.
    pub(crate) fn at_creation(self) -> bool {
        !matches!(self, Self::ReadOnly | Self::Recorded)
    }

    /// Whether an edit changes it.
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
    /// Whether a creation must name it.
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
    /// A column of text. `example` is JSON text, as `"\"web-1\""`; both go into the OpenAPI
    /// document.
    #[must_use]
    pub const fn text(name: &'static str, example: &'static str, doc: &'static str) -> Self {
        let any = Kind::Text {
            min: 0,
            max: usize::MAX,
        };
        Self::new(name, any, example, doc).read_only()
    }

    /// A column of whole numbers.
    #[must_use]
    pub const fn int(name: &'static str, example: &'static str, doc: &'static str) -> Self {
        let any = Kind::Int {
            min: i64::MIN,
            max: i64::MAX,
        };
        Self::new(name, any, example, doc).read_only()
    }

    /// A column that holds `true` or `false`.
    #[must_use]
    pub const fn bool(name: &'static str, example: &'static str, doc: &'static str) -> Self {
        Self::new(name, Kind::Bool, example, doc).read_only()
    }

    /// A column of times: epoch seconds, 0 for never.
    #[must_use]
    pub const fn time(name: &'static str, example: &'static str, doc: &'static str) -> Self {
        Self::new(name, Kind::Time, example, doc).read_only()
    }

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
            rises: false,
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

    /// One that is in a list without `fields`.
    #[must_use]
    pub const fn short(self) -> Self {
        Self {
            short: true,
            ..self
        }
    }

    /// One that is in the order of `$key`: a list that is sorted by it is read as it comes.
    pub(crate) const fn rising(self) -> Self {
        Self {
            rises: true,
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

    /// One that the service writes without an edit: a login, a run.
    pub(crate) const fn recorded(self) -> Self {
        Self {
            access: Access::Recorded,
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

    /// One that is in no response.
    pub(crate) const fn write_only(self) -> Self {
        Self {
            access: Access::WriteOnly,
            ..self
        }
    }
}
