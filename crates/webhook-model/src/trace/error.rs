//! Errors of trace contexts.

/// The error for a text that is not a trace context.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidTrace {
    /// Not a `traceparent` of version 00.
    #[error("a traceparent is 00-TRACE-SPAN-FLAGS in lower-case hexadecimal digits")]
    Parent,
    /// Not a `tracestate`.
    #[error("a tracestate is a list of at most 32 different key=value, joined by commas")]
    State,
}
