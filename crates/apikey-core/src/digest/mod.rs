//! What a record stores instead of the key: a digest, and the scheme that made it.
//!
//! A slow password hash would buy nothing against 193 random bits; one block of SHA-256 (two
//! under a pepper) is enough, and is what makes authentication fast.

mod pepper;
mod sha256;

use std::fmt;
use std::hint::black_box;
use std::str::FromStr;

pub use pepper::{DigestMatch, Pepper, PepperError, PepperId, Peppers};
use subtle::ConstantTimeEq;

/// The stored digest of a key. `==` takes constant time; `Debug` prints the scheme alone.
#[derive(Clone, Copy)]
pub struct Digest {
    /// How `bytes` were made.
    pub scheme: DigestScheme,
    /// The digest.
    pub bytes: [u8; 32],
}

/// How a digest is made of a key. The text form (`Display`, `FromStr`) is what backends store.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum DigestScheme {
    /// `hmac-sha256:ID`: HMAC-SHA-256 of `id_secret` under the pepper with that id.
    HmacSha256 {
        /// Which pepper.
        pepper: PepperId,
    },
    /// `imported-…`: made by an older system, in its own way.
    Imported(ImportedScheme),
    /// `sha256`: SHA-256 of `id_secret`, without a pepper.
    Sha256,
}

/// How an older system made the digests that were imported.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ImportedScheme {
    /// `imported-sha256`: SHA-256 of the whole token as the client presents it.
    Sha256,
}

impl Digest {
    /// A digest of `bytes` made by `scheme`.
    #[must_use]
    pub fn new(scheme: DigestScheme, bytes: [u8; 32]) -> Self {
        Self { scheme, bytes }
    }
}

/// Why a text names no [`DigestScheme`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("digest scheme must be sha256, hmac-sha256:ID or imported-sha256")]
#[non_exhaustive]
pub struct SchemeError;

impl fmt::Display for DigestScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HmacSha256 { pepper } => write!(f, "hmac-sha256:{pepper}"),
            Self::Imported(ImportedScheme::Sha256) => f.write_str("imported-sha256"),
            Self::Sha256 => f.write_str("sha256"),
        }
    }
}

impl FromStr for DigestScheme {
    type Err = SchemeError;

    fn from_str(text: &str) -> Result<Self, SchemeError> {
        match text {
            "imported-sha256" => Ok(Self::Imported(ImportedScheme::Sha256)),
            "sha256" => Ok(Self::Sha256),
            _ => {
                let id = text.strip_prefix("hmac-sha256:").ok_or(SchemeError)?;
                let pepper = PepperId(id.parse().map_err(|_| SchemeError)?);
                // One spelling for each scheme: no sign, no leading zeros.
                if pepper.to_string() == id {
                    Ok(Self::HmacSha256 { pepper })
                } else {
                    Err(SchemeError)
                }
            }
        }
    }
}

impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        self.scheme == other.scheme && equal(&self.bytes, &other.bytes)
    }
}

impl Eq for Digest {}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({}, redacted)", self.scheme)
    }
}

/// Compares in constant time: on four words instead of 32 bytes, and with the one value that says
/// whether any bit differs handed to `subtle`, behind a barrier that the optimiser cannot see
/// through. Several times faster than byte by byte.
#[inline]
fn equal(a: &[u8; 32], b: &[u8; 32]) -> bool {
    let (a, _) = a.as_chunks::<8>();
    let (b, _) = b.as_chunks::<8>();
    let mut differing = 0;
    for (x, y) in a.iter().zip(b) {
        differing |= u64::from_ne_bytes(*x) ^ u64::from_ne_bytes(*y);
    }
    black_box(differing).ct_eq(&0).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_survives_its_text_form() {
        for text in [
            "sha256",
            "hmac-sha256:0",
            "hmac-sha256:65535",
            "imported-sha256",
        ] {
            assert_eq!(text.parse::<DigestScheme>().unwrap().to_string(), text);
        }
        for bad in [
            "",
            "SHA256",
            "sha1",
            "hmac-sha256",
            "hmac-sha256:",
            "hmac-sha256:+1",
            "hmac-sha256:01",
            "hmac-sha256:65536",
            "hmac-sha256:-1",
            " sha256",
            "imported-",
        ] {
            assert_eq!(bad.parse::<DigestScheme>(), Err(SchemeError), "{bad:?}");
        }
    }

    #[test]
    fn one_changed_bit_anywhere_is_a_difference() {
        let bytes = [0xa5; 32];
        assert!(equal(&bytes, &bytes));
        for bit in 0..256 {
            let mut other = bytes;
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(!equal(&bytes, &other), "bit {bit}");
        }
    }

    #[test]
    fn the_scheme_is_part_of_a_digest() {
        let bytes = [1; 32];
        let plain = Digest::new(DigestScheme::Sha256, bytes);
        let imported = Digest::new(DigestScheme::Imported(ImportedScheme::Sha256), bytes);
        assert_eq!(plain, plain);
        assert_ne!(plain, imported);
        assert_eq!(format!("{plain:?}"), "Digest(sha256, redacted)");
    }
}
