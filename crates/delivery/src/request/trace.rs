//! The headers of a trace.

use http::{HeaderName, HeaderValue};

use super::error::RequestError;
use super::headers::Headers;

/// The header name in lower case, over HTTP/1.1 too, as W3C Trace Context §3.2.1 and §3.3.1
/// recommend.
const PARENT_TEXT: &str = "traceparent";
const STATE_TEXT: &str = "tracestate";
const PARENT: HeaderName = HeaderName::from_static(PARENT_TEXT);
const STATE: HeaderName = HeaderName::from_static(STATE_TEXT);

/// The headers `traceparent` and `tracestate`.
#[derive(Clone)]
pub(crate) struct Trace {
    parent: HeaderValue,
    state: Option<HeaderValue>,
}

impl Trace {
    pub(super) fn new(parent: &str, state: Option<&str>) -> Result<Self, RequestError> {
        let value = |name: HeaderName, text: &str| {
            HeaderValue::from_str(text).map_err(|_| RequestError::HeaderValue(name.to_string()))
        };
        Ok(Self {
            parent: value(PARENT, parent)?,
            state: state.map(|state| value(STATE, state)).transpose()?,
        })
    }

    /// Returns its headers, each with its name as HTTP/1.1 writes it, unless the request's own
    /// headers contain one of them: parts of two traces must not be mixed.
    pub(super) fn beside(
        &self,
        own: &Headers,
    ) -> impl Iterator<Item = (HeaderName, &'static str, &HeaderValue)> {
        let alone = !own.contains(&PARENT) && !own.contains(&STATE);
        let parent = alone.then_some((PARENT, PARENT_TEXT, &self.parent));
        let state = self.state.as_ref().filter(|_| alone);
        let state = state.map(|state| (STATE, STATE_TEXT, state));
        parent.into_iter().chain(state)
    }
}
