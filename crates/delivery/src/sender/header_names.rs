//! The names of the headers that carry a delivery's id, time and signature.

use http::HeaderName;

use crate::setup_error::SetupError;

/// The names of the headers that carry a delivery's id, time and signature.
///
/// Platforms that come from another system keep that system's names, so that receivers need not
/// change.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct HeaderNames {
    pub(super) id: HeaderName,
    pub(super) timestamp: HeaderName,
    pub(super) signature: HeaderName,
}

impl HeaderNames {
    /// Takes three names, such as `svix-id`, `svix-timestamp`, `svix-signature`.
    ///
    /// # Errors
    ///
    /// [`SetupError::HeaderName`] when one is not a token (RFC 9110 §5.6.2), is one that the
    /// sender writes itself, or is given twice.
    pub fn new(id: &str, timestamp: &str, signature: &str) -> Result<Self, SetupError> {
        let name = |text: &str| {
            let name =
                HeaderName::from_bytes(text.as_bytes()).map_err(|_| SetupError::HeaderName)?;
            let ours = [
                "host",
                "content-length",
                "transfer-encoding",
                "connection",
                "traceparent",
                "tracestate",
                "user-agent",
            ];
            if ours.contains(&name.as_str()) {
                Err(SetupError::HeaderName)
            } else {
                Ok(name)
            }
        };
        let names = Self {
            id: name(id)?,
            timestamp: name(timestamp)?,
            signature: name(signature)?,
        };
        if names.id == names.timestamp
            || names.id == names.signature
            || names.timestamp == names.signature
        {
            return Err(SetupError::HeaderName);
        }
        Ok(names)
    }
}

impl Default for HeaderNames {
    /// `webhook-id`, `webhook-timestamp`, `webhook-signature` (Standard Webhooks).
    fn default() -> Self {
        Self {
            id: HeaderName::from_static("webhook-id"),
            timestamp: HeaderName::from_static("webhook-timestamp"),
            signature: HeaderName::from_static("webhook-signature"),
        }
    }
}
