//! The id by which a receiver recognises a repeated delivery.

use http::HeaderValue;

use super::error::RequestError;

/// The longest id, in bytes.
const MAX_LEN: usize = 256;

/// Visible ASCII without a dot: checked when it is made.
#[derive(Clone)]
pub(crate) struct DeliveryId(HeaderValue);

impl DeliveryId {
    pub(super) fn parse(text: String) -> Result<Self, RequestError> {
        let fits = (1..=MAX_LEN).contains(&text.len());
        // A dot separates the signed parts: an id with a dot could be read as another id and time.
        if !fits || !text.bytes().all(|b| b.is_ascii_graphic() && b != b'.') {
            return Err(RequestError::DeliveryId);
        }
        let value = HeaderValue::try_from(text).map_err(|_| RequestError::DeliveryId)?;
        Ok(Self(value))
    }

    pub(crate) fn text(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    pub(crate) fn value(&self) -> &HeaderValue {
        &self.0
    }
}
