//! Id, time and signature of a delivery, checked together.

use std::time::Duration;

use chrono::{DateTime, Utc};

use super::key::VerifyKey;

/// The maximum length of a signature header, and the maximum number of signatures in it.
const MAX_HEADER: usize = 8 * 1024;
const MAX_SIGNATURES: usize = 32;

/// Verifies that a delivery comes from a sender that knows a secret, and that it is fresh.
///
/// A receiver that must not process a delivery twice must remember ids for as long as the
/// tolerance: the sender repeats deliveries that it could not confirm, with the same id.
///
/// ```
/// use delivery::Verifier;
///
/// let verifier = Verifier::new(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse()?]);
/// let now = chrono::DateTime::from_timestamp(1_614_265_333, 0).unwrap();
/// let verified = verifier.verify(
///     "msg_p5jXN8AQM9LWM0D4loKWxJek",
///     "1614265330",
///     "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
///     br#"{"test": 2432232314}"#,
///     now,
/// )?;
/// assert_eq!(verified.id, "msg_p5jXN8AQM9LWM0D4loKWxJek");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Verifier {
    keys: Vec<VerifyKey>,
    tolerance: Duration,
}

/// A delivery with a valid signature and time.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Verified {
    /// The id by which a repeated delivery is recognised.
    pub id: String,
    /// The time of the signature.
    pub at: DateTime<Utc>,
}

impl Verifier {
    /// Creates a verifier that accepts signatures by any of the keys, of which there are several
    /// while secrets are rotated. Without a key it accepts nothing. The tolerance is 5 minutes.
    #[must_use]
    pub fn new(keys: impl IntoIterator<Item = VerifyKey>) -> Self {
        Self {
            keys: keys.into_iter().collect(),
            tolerance: Duration::from_secs(300),
        }
    }

    /// Sets the maximum difference between the signed time and `now`, in both directions.
    #[must_use]
    pub fn tolerance(mut self, tolerance: Duration) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Verifies a delivery: the values of its three headers, and its body byte for byte as
    /// received.
    ///
    /// Whole signatures are compared in constant time: a truncated one is invalid. Signatures of
    /// unknown versions are ignored.
    ///
    /// # Errors
    ///
    /// [`VerifyError`]. Respond with 400 or 401 for all of them, without the reason.
    pub fn verify(
        &self,
        id: &str,
        timestamp: &str,
        signatures: &str,
        body: &[u8],
        now: DateTime<Utc>,
    ) -> Result<Verified, VerifyError> {
        if id.is_empty() || id.len() > 256 {
            return Err(VerifyError::Id);
        }
        let at = seconds(timestamp).ok_or(VerifyError::Timestamp)?;
        let apart = (now - at).abs().to_std().unwrap_or(Duration::MAX);
        if apart > self.tolerance {
            return Err(VerifyError::Stale);
        }
        if signatures.len() > MAX_HEADER {
            return Err(VerifyError::Signature);
        }
        let message = [id.as_bytes(), b".", timestamp.as_bytes(), b".", body].concat();
        let known = signatures
            .split(' ')
            .filter(|one| one.starts_with("v1,") || one.starts_with("v1a,"))
            .take(MAX_SIGNATURES)
            .any(|one| self.keys.iter().any(|key| key.accepts(one, &message)));
        if known {
            Ok(Verified {
                id: id.to_owned(),
                at,
            })
        } else {
            Err(VerifyError::Signature)
        }
    }
}

/// Parses digits only, and a valid time.
fn seconds(text: &str) -> Option<DateTime<Utc>> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    DateTime::from_timestamp(text.parse().ok()?, 0)
}

/// The reason why a delivery is not accepted.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum VerifyError {
    /// The id is missing or too long.
    #[error("webhook-id: missing or longer than 256 bytes")]
    Id,
    /// No signature by a known key.
    #[error("webhook-signature: none by a known key")]
    Signature,
    /// The difference between the time and `now` exceeds the tolerance.
    #[error("webhook-timestamp: too old or too far ahead")]
    Stale,
    /// The time is not a number of seconds.
    #[error("webhook-timestamp: must be whole seconds of the epoch")]
    Timestamp,
}
