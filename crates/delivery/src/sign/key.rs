//! One signing key.

use std::fmt;
use std::str::FromStr;

use ed25519_dalek::Signer as _;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::text::{alone, decode, encode_into};

/// The minimum and maximum length of an HMAC key in bytes (Standard Webhooks, *Signature scheme*).
const HMAC_KEY_LEN: std::ops::RangeInclusive<usize> = 24..=64;

/// A key that signs deliveries, in the text form of Standard Webhooks: `whsec_` and base64 of 24
/// to 64 bytes (HMAC-SHA-256, `v1`), or `whsk_` and base64 of an Ed25519 key pair (`v1a`).
///
/// `Debug` shows the kind only. The Ed25519 key is wiped when dropped.
#[derive(Clone)]
pub struct SigningKey(Kind);

#[derive(Clone)]
enum Kind {
    /// Keyed once, cloned for each signature: saves two compressions a delivery.
    Hmac(Hmac<Sha256>),
    Ed25519(Box<ed25519_dalek::SigningKey>),
}

impl SigningKey {
    /// Parses a `whsec_` secret of another system with a shorter or longer key: 16 to 256 bytes.
    /// Only for migrations; parse new secrets with [`FromStr`].
    ///
    /// # Errors
    ///
    /// The errors of [`FromStr`], with the wider limits.
    pub fn imported(text: &str) -> Result<Self, SigningKeyError> {
        let text = alone(text)
            .strip_prefix("whsec_")
            .ok_or(SigningKeyError::Prefix)?;
        Self::hmac(text, 16..=256)
    }

    /// Returns the scheme in front of a signature: `v1` or `v1a`.
    #[must_use]
    pub fn scheme(&self) -> &'static str {
        match self.0 {
            Kind::Hmac(_) => "v1",
            Kind::Ed25519(_) => "v1a",
        }
    }

    fn hmac(text: &str, len: std::ops::RangeInclusive<usize>) -> Result<Self, SigningKeyError> {
        let key = decode(text).ok_or(SigningKeyError::Base64)?;
        if !len.contains(&key.len()) {
            return Err(SigningKeyError::Length);
        }
        let keyed = Hmac::new_from_slice(&key).map_err(|_| SigningKeyError::Length)?;
        Ok(Self(Kind::Hmac(keyed)))
    }

    fn ed25519(text: &str) -> Result<Self, SigningKeyError> {
        let pair = decode(text).ok_or(SigningKeyError::Base64)?;
        let pair: &[u8; 64] = pair
            .as_slice()
            .try_into()
            .map_err(|_| SigningKeyError::Length)?;
        let key = ed25519_dalek::SigningKey::from_keypair_bytes(pair)
            .map_err(|_| SigningKeyError::KeyPair)?;
        Ok(Self(Kind::Ed25519(Box::new(key))))
    }

    /// Returns how many bytes [`sign_into`](Self::sign_into) appends.
    pub(super) fn signature_len(&self) -> usize {
        let bytes = match self.0 {
            Kind::Hmac(_) => 32_usize,
            Kind::Ed25519(_) => 64,
        };
        self.scheme().len() + 1 + bytes.div_ceil(3) * 4
    }

    /// Appends `v1,…` or `v1a,…` for the signed parts.
    pub(super) fn sign_into(&self, base: &SignedParts<'_>, out: &mut String) {
        out.push_str(self.scheme());
        out.push(',');
        match &self.0 {
            Kind::Hmac(keyed) => {
                let mut mac = keyed.clone();
                mac.update(base.head.as_bytes());
                mac.update(base.body);
                encode_into(&mac.finalize().into_bytes(), out);
            }
            Kind::Ed25519(key) => {
                let message = [base.head.as_bytes(), base.body].concat();
                encode_into(&key.sign(&message).to_bytes(), out);
            }
        }
    }
}

/// `id.timestamp.` and the body.
pub(super) struct SignedParts<'a> {
    pub(super) head: &'a str,
    pub(super) body: &'a [u8],
}

impl FromStr for SigningKey {
    type Err = SigningKeyError;

    /// # Errors
    ///
    /// [`SigningKeyError`] for another prefix (a public `whpk_` key cannot sign), broken base64,
    /// a length out of bounds, or an Ed25519 pair whose halves do not belong together.
    fn from_str(text: &str) -> Result<Self, SigningKeyError> {
        let text = alone(text);
        if let Some(rest) = text.strip_prefix("whsec_") {
            Self::hmac(rest, HMAC_KEY_LEN)
        } else if let Some(rest) = text.strip_prefix("whsk_") {
            Self::ed25519(rest)
        } else {
            Err(SigningKeyError::Prefix)
        }
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({}, redacted)", self.scheme())
    }
}

/// The reason why a text is not a signing key. It never shows the text.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum SigningKeyError {
    /// The part after the prefix is not base64.
    #[error("signing secret: what follows the prefix is not base64")]
    Base64,
    /// The private and the public half do not belong together.
    #[error("signing secret: the public half does not fit the private half")]
    KeyPair,
    /// The key is too short or too long.
    #[error("signing secret: must be 24 to 64 bytes for whsec_, 64 bytes for whsk_")]
    Length,
    /// The text begins with neither `whsec_` nor `whsk_`.
    #[error("signing secret: must begin with whsec_ or whsk_")]
    Prefix,
}
