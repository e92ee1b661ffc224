//! The names of the headers for a delivery's id, time and signature.

use std::borrow::Cow;

use http::HeaderName;

use crate::setup_error::SetupError;

/// The names of the headers for a delivery's id, time and signature.
///
/// A platform that replaces another system can keep its names, so that receivers need not change.
/// HTTP/1.1 writes them in the given case.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct HeaderNames {
    pub(super) id: WrittenName,
    pub(super) timestamp: WrittenName,
    pub(super) signature: WrittenName,
}

/// A header's name, and how HTTP/1.1 writes it.
#[derive(Clone, Debug)]
pub(super) struct WrittenName {
    pub(super) name: HeaderName,
    pub(super) written: Cow<'static, str>,
}

impl WrittenName {
    /// `name` is `written` in lower case.
    const fn known(name: &'static str, written: &'static str) -> Self {
        Self {
            name: HeaderName::from_static(name),
            written: Cow::Borrowed(written),
        }
    }
}

/// Compares names without regard to case.
impl PartialEq for WrittenName {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for WrittenName {}

impl HeaderNames {
    /// Creates it from three names, such as `svix-id`, `svix-timestamp`, `svix-signature`.
    ///
    /// # Errors
    ///
    /// [`SetupError::HeaderName`] if one is not a token (RFC 9110 §5.6.2), is one that the sender
    /// itself writes, or occurs twice.
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
                let written = Cow::Owned(text.to_owned());
                Ok(WrittenName { name, written })
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
    /// Returns `Webhook-Id`, `Webhook-Timestamp`, `Webhook-Signature` (Standard Webhooks).
    fn default() -> Self {
        Self {
            id: WrittenName::known("webhook-id", "Webhook-Id"),
            timestamp: WrittenName::known("webhook-timestamp", "Webhook-Timestamp"),
            signature: WrittenName::known("webhook-signature", "Webhook-Signature"),
        }
    }
}
