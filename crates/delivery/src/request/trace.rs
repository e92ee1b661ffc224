//! The headers of a trace.

use http::{HeaderName, HeaderValue};

use super::error::RequestError;
use super::headers::Headers;

const PARENT: HeaderName = HeaderName::from_static("traceparent");
const STATE: HeaderName = HeaderName::from_static("tracestate");

/// What `traceparent` and `tracestate` say.
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

    /// Its headers, beside these of a request's own. If one of them is there, none: half of one
    /// trace and half of another would be neither.
    pub(super) fn beside(&self, own: &Headers) -> impl Iterator<Item = (HeaderName, &HeaderValue)> {
        let alone = !own.contains(&PARENT) && !own.contains(&STATE);
        let parent = alone.then_some((PARENT, &self.parent));
        let state = self.state.as_ref().filter(|_| alone);
        parent.into_iter().chain(state.map(|state| (STATE, state)))
    }
}
