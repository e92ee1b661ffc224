//! The pieces of a message.

/// A piece of the text: bytes `start..end`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Segment {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Kind {
    Literal,
    Variable(Variable, Place),
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Variable {
    Date,
    Timestamp,
    Random,
    Name,
    /// `data`, or a path into it.
    Data,
    /// `context`, or a path into it.
    Context,
    /// Any other; its name is what the text has between its brackets.
    Other,
}

/// Where a variable stands, if the message is JSON.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Place {
    InString,
    Bare,
}
