//! Both headers together.

use std::fmt;
use std::str::FromStr;

use super::error::InvalidTrace;
use super::parent::TraceParent;
use super::state::TraceState;

/// The place of something in a trace: what the headers `traceparent` and `tracestate` say. Baggage
/// is no part of it.
///
/// As a text, which is how backends keep it: the `traceparent`, then a blank and the `tracestate`
/// if there is one; at most 568 bytes.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct TraceContext {
    /// The trace, and the span whose child comes next.
    pub parent: TraceParent,
    /// What others wrote down for themselves.
    pub state: Option<TraceState>,
}

impl TraceContext {
    /// What the two headers say; of several `tracestate` headers the values joined by commas.
    ///
    /// `None` where the `traceparent` is none of version 00: then a new trace begins. A
    /// `tracestate` that cannot be read is left out (W3C Trace Context §4.3).
    #[must_use]
    pub fn from_headers(parent: &str, state: Option<&str>) -> Option<Self> {
        let state = state.and_then(|state| TraceState::parse(state).ok().flatten());
        let parent = parent.parse().ok()?;
        Some(Self { parent, state })
    }

    /// The same place, with what others wrote down for themselves.
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
