//! A key that verifies signatures.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::VerifyingKey;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

use crate::sign::{SigningKeyError, alone, decode};

/// A key that verifies signatures: `whsec_` (the shared secret, `v1`) or `whpk_` (the sender's
/// public Ed25519 key, `v1a`). `Debug` shows the kind only.
#[derive(Clone)]
pub struct VerifyKey(Kind);

#[derive(Clone)]
enum Kind {
    Hmac(Hmac<Sha256>),
    Ed25519(Box<VerifyingKey>),
}

impl VerifyKey {
    /// Returns whether one `scheme,base64` of a signature header is this key's signature of the
    /// message.
    pub(super) fn accepts(&self, one: &str, message: &[u8]) -> bool {
        match (&self.0, one.split_once(',')) {
            (Kind::Hmac(keyed), Some(("v1", text))) => {
                // A whole tag or nothing: a prefix of the right tag is a wrong one
                // (CVE-2024-21491).
                let Some(given) = tag::<32>(text) else {
                    return false;
                };
                let mut mac = keyed.clone();
                mac.update(message);
                mac.finalize().into_bytes().ct_eq(&given).into()
            }
            (Kind::Ed25519(key), Some(("v1a", text))) => tag::<64>(text).is_some_and(|given| {
                key.verify_strict(message, &ed25519_dalek::Signature::from_bytes(&given))
                    .is_ok()
            }),
            _ => false,
        }
    }
}

/// Strict base64 with padding, of exactly `N` bytes.
fn tag<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != N.div_ceil(3) * 4 {
        return None;
    }
    STANDARD.decode(text).ok()?.try_into().ok()
}

impl FromStr for VerifyKey {
    type Err = SigningKeyError;

    /// # Errors
    ///
    /// [`SigningKeyError`] for another prefix (a receiver must not have a private `whsk_` key),
    /// invalid base64, a length out of bounds, or an invalid point.
    fn from_str(text: &str) -> Result<Self, SigningKeyError> {
        let text = alone(text);
        if let Some(rest) = text.strip_prefix("whsec_") {
            let key = decode(rest).ok_or(SigningKeyError::Base64)?;
            if !(24..=64).contains(&key.len()) {
                return Err(SigningKeyError::Length);
            }
            let keyed = Hmac::new_from_slice(&key).map_err(|_| SigningKeyError::Length)?;
            Ok(Self(Kind::Hmac(keyed)))
        } else if let Some(rest) = text.strip_prefix("whpk_") {
            let bytes = decode(rest).ok_or(SigningKeyError::Base64)?;
            let bytes: &[u8; 32] = bytes
                .as_slice()
                .try_into()
                .map_err(|_| SigningKeyError::Length)?;
            let key = VerifyingKey::from_bytes(bytes).map_err(|_| SigningKeyError::KeyPair)?;
            Ok(Self(Kind::Ed25519(Box::new(key))))
        } else {
            Err(SigningKeyError::Prefix)
        }
    }
}

impl fmt::Debug for VerifyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Kind::Hmac(_) => "VerifyKey(v1, redacted)",
            Kind::Ed25519(_) => "VerifyKey(v1a)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sign::SigningKey;

    #[test]
    fn pasted_key_is_read_without_its_surroundings() {
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        for around in [" ", "\n", "\r\n", "\u{feff}"] {
            let saved = format!("{around}{secret}{around}");
            assert!(saved.parse::<VerifyKey>().is_ok(), "{around:?}");
            assert!(saved.parse::<SigningKey>().is_ok(), "{around:?}");
            assert!(SigningKey::imported(&saved).is_ok(), "{around:?}");
        }
        assert!(secret.replace('Q', " ").parse::<VerifyKey>().is_err());
    }
}
