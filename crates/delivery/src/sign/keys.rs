//! The keys that sign a delivery.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::key::{SignedParts, SigningKey, SigningKeyError};

/// The keys that sign a delivery, newest first: more than one while secrets are rotated, so that
/// a receiver that knows either accepts it. Cheap to clone.
///
/// ```
/// use delivery::SigningKeys;
///
/// let keys = SigningKeys::parse(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])?;
/// let at = chrono::DateTime::from_timestamp(1_614_265_330, 0).unwrap();
/// assert_eq!(
///     keys.signature("msg_p5jXN8AQM9LWM0D4loKWxJek", at, br#"{"test": 2432232314}"#),
///     "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
/// );
/// # Ok::<(), delivery::SigningKeyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SigningKeys(Arc<[SigningKey]>);

impl SigningKeys {
    /// Creates it from keys, newest first; `None` without any key.
    #[must_use]
    pub fn new(keys: impl IntoIterator<Item = SigningKey>) -> Option<Self> {
        let keys: Arc<[_]> = keys.into_iter().collect();
        (!keys.is_empty()).then_some(Self(keys))
    }

    /// Parses text forms, newest first.
    ///
    /// # Errors
    ///
    /// The [`SigningKeyError`] of the first invalid text; [`SigningKeyError::Length`] without any
    /// text.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, SigningKeyError> {
        let keys: Vec<SigningKey> = texts
            .into_iter()
            .map(str::parse)
            .collect::<Result<_, _>>()?;
        Self::new(keys).ok_or(SigningKeyError::Length)
    }

    /// Returns the value of the signature header: one `scheme,base64` for each key, separated by
    /// spaces.
    #[must_use]
    pub fn signature(&self, id: &str, at: DateTime<Utc>, body: &[u8]) -> String {
        let head = Self::base_head(id, at);
        let parts = SignedParts { head: &head, body };
        // Exact: a header value takes it over without a copy.
        let length: usize = self.0.iter().map(|key| key.signature_len() + 1).sum();
        let mut out = String::with_capacity(length.saturating_sub(1));
        for key in self.0.iter() {
            if !out.is_empty() {
                out.push(' ');
            }
            key.sign_into(&parts, &mut out);
        }
        out
    }

    /// Returns the signed bytes: `id.timestamp.body`, with the time in whole seconds of the epoch.
    #[must_use]
    pub fn base(id: &str, at: DateTime<Utc>, body: &[u8]) -> Vec<u8> {
        let mut base = Self::base_head(id, at).into_bytes();
        base.extend_from_slice(body);
        base
    }

    fn base_head(id: &str, at: DateTime<Utc>) -> String {
        [id, ".", &at.timestamp().to_string(), "."].concat()
    }
}
