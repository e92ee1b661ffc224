//! The trace context: both headers together.

use std::fmt;
use std::str::FromStr;

use super::error::InvalidTrace;
use super::parent::TraceParent;
use super::state::TraceState;

/// A position in a trace: the content of the headers `traceparent` and `tracestate`, without
/// baggage.
///
/// Backends store it as a text: the `traceparent`, then a blank and the `tracestate` if there is
/// one; at most 568 bytes.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct TraceContext {
    /// The trace, and the parent span of what follows.
    pub parent: TraceParent,
    /// The vendors' own entries.
    pub state: Option<TraceState>,
}

impl TraceContext {
    /// Parses the two headers. The values of several `tracestate` headers must be joined by commas.
    ///
    /// Returns `None` if the `traceparent` is not of version 00: then a new trace begins. An
    /// invalid `tracestate` is dropped (W3C Trace Context §4.3).
    #[must_use]
    pub fn from_headers(parent: &str, state: Option<&str>) -> Option<Self> {
        let state = state.and_then(|state| TraceState::parse(state).ok().flatten());
        let parent = parent.parse().ok()?;
        Some(Self { parent, state })
    }

    /// Sets the vendors' own entries.
    #[must_use]
    pub fn with_state(self, state: Option<TraceState>) -> Self {
        Self { state, ..self }
    }
}

impl From<TraceParent> for TraceContext {
    fn from(parent: TraceParent) -> Self {
        let state = None;
        Self { parent, state }
    }
}

impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parent.fmt(f)?;
        match &self.state {
            Some(state) => write!(f, " {state}"),
            None => Ok(()),
        }
    }
}

impl FromStr for TraceContext {
    type Err = InvalidTrace;

    fn from_str(text: &str) -> Result<Self, InvalidTrace> {
        let (parent, state) = match text.split_once(' ') {
            Some((parent, state)) => (parent, Some(state.parse()?)),
            None => (text, None),
        };
        let parent = parent.parse()?;
        Ok(Self { parent, state })
    }
}
