//! The header `traceparent`.

use std::fmt;
use std::str::FromStr;

use super::error::InvalidTrace;

/// The only defined version.
const VERSION: &str = "00";
/// The only flag of version 00: the sender may have recorded the span.
const SAMPLED: u8 = 1;

/// A trace and one of its spans, the parent of what follows: the header `traceparent` of version 00
/// (W3C Trace Context, level 1, §3.2).
///
/// As a text: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. Only the flag *sampled* is
/// kept; the others are undefined in this version and are not propagated.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct TraceParent {
    trace: u128,
    span: u64,
    sampled: bool,
}

impl TraceParent {
    /// Creates it; `None` if either id is zero, which means that there is none.
    #[must_use]
    pub fn new(trace: u128, span: u64, sampled: bool) -> Option<Self> {
        (trace != 0 && span != 0).then_some(Self {
            trace,
            span,
            sampled,
        })
    }

    /// Returns the same trace with another span; `None` if that is zero.
    #[must_use]
    pub fn with_span(self, span: u64) -> Option<Self> {
        Self::new(self.trace, span, self.sampled)
    }

    /// Returns the trace; never zero.
    #[must_use]
    pub fn trace_id(self) -> u128 {
        self.trace
    }

    /// Returns the span; never zero.
    #[must_use]
    pub fn span_id(self) -> u64 {
        self.span
    }

    /// Returns whether the sender may have recorded it.
    #[must_use]
    pub fn is_sampled(self) -> bool {
        self.sampled
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (trace, span, flags) = (self.trace, self.span, u8::from(self.sampled));
        write!(f, "{VERSION}-{trace:032x}-{span:016x}-{flags:02x}")
    }
}

impl FromStr for TraceParent {
    type Err = InvalidTrace;

    fn from_str(text: &str) -> Result<Self, InvalidTrace> {
        let mut parts = text.split('-');
        let mut part = |digits| parts.next().filter(|part| is_hex(part, digits));
        let fields = (part(2), part(32), part(16), part(2));
        let (Some(VERSION), Some(trace), Some(span), Some(flags)) = fields else {
            return Err(InvalidTrace::Parent);
        };
        let trace = u128::from_str_radix(trace, 16).map_err(|_| InvalidTrace::Parent)?;
        let span = u64::from_str_radix(span, 16).map_err(|_| InvalidTrace::Parent)?;
        let flags = u8::from_str_radix(flags, 16).map_err(|_| InvalidTrace::Parent)?;
        let parent = Self::new(trace, span, flags & SAMPLED == SAMPLED);
        parent
            .filter(|_| parts.next().is_none())
            .ok_or(InvalidTrace::Parent)
    }
}

fn is_hex(text: &str, digits: usize) -> bool {
    let hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == digits && text.bytes().all(hex)
}
