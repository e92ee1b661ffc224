//! Columns: types, write access, and limits.

use serde_json::Value;

/// 9999-12-31T23:59:59Z: clients cannot parse later times.
pub(crate) const LAST_SECOND: i64 = 253_402_300_799;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A whole number from a minimum to a maximum; a string of digits is accepted too.
    Int(i64, i64),
    /// `true` or `false`; 0 and 1 are accepted too.
    Bool,
    /// Text with a minimum and a maximum number of characters.
    Text(usize, usize),
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
        Self::new(name, Kind::Text(0, usize::MAX), example)
            .read_only()
            .doc(doc)
    }

    /// Declares a column of whole numbers.
    #[must_use]
    pub const fn int(name: &'static str, example: &'static str, doc: &'static str) -> Self {
        Self::new(name, Kind::Int(i64::MIN, i64::MAX), example)
            .read_only()
            .doc(doc)
    }

    /// Declares a column of `true` or `false`.
    #[must_use]
    pub const fn bool(name: &'static str, example: &'static str, doc: &'static str) -> Self {
        Self::new(name, Kind::Bool, example).read_only().doc(doc)
    }

    /// Declares a column of times: epoch seconds, 0 for never.
    #[must_use]
    pub const fn time(name: &'static str, example: &'static str, doc: &'static str) -> Self {
        Self::new(name, Kind::Time, example).read_only().doc(doc)
    }

    /// Adds it to lists without `fields`.
    #[must_use]
    pub const fn short(mut self) -> Self {
        self.short = true;
        self
    }

    /// Declares a column that the client may write.
    pub(crate) const fn new(name: &'static str, kind: Kind, example: &'static str) -> Self {
        Self {
            name,
            kind,
            access: Access::ReadWrite,
            required: false,
            short: false,
            rises: false,
            example,
            doc: "",
        }
    }

    /// Sets its description.
    pub(crate) const fn doc(mut self, doc: &'static str) -> Self {
        self.doc = doc;
        self
    }

    /// Marks it as required at creation.
    pub(crate) const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// Marks it as rising with `$key`: a list sorted by it is returned in read order.
    pub(crate) const fn rising(mut self) -> Self {
        self.rises = true;
        self
    }

    /// Marks it as written only by the service.
    pub(crate) const fn read_only(self) -> Self {
        self.access(Access::ReadOnly)
    }

    /// Sets who may write it.
    pub(crate) const fn access(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    /// Returns the table that a row refers to by this value.
    pub(crate) fn referred<'v>(&self, value: &'v Value) -> Option<&'v str> {
        match self.kind {
            Kind::Key(table) | Kind::Reference(Some(table)) => Some(table),
            Kind::User => Some("users"),
            Kind::Reference(None) => Some(value.as_str()?.split_once('/')?.0),
            _ => None,
        }
    }
}
