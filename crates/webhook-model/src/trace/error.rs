//! Why a text is no trace context.

/// A text that is no trace context.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidTrace {
    /// No `traceparent` of version 00.
    #[error("a traceparent is 00-TRACE-SPAN-FLAGS in lower-case hexadecimal digits")]
    Parent,
    /// No `tracestate`.
    #[error("a tracestate is a list of at most 32 different key=value, joined by commas")]
    State,
}
