//! The segments of a message.

/// A segment of the text: bytes `start..end`.
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
    /// Any other variable; its name is the text between its brackets.
    Other,
}

/// The position of a variable, if the message is JSON.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Place {
    InString,
    Bare,
}
