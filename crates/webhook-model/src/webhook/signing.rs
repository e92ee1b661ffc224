//! Secrets that sign deliveries (Standard Webhooks).

use std::ops::RangeInclusive;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use gatepost_ids::trim_pasted;

use crate::error::{Field, Invalid};
use crate::secret::Secret;

/// The maximum number of active secrets: more than a rotation needs.
const MAX_SECRETS: usize = 5;

/// Padding is optional, as in the public libraries.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// A signing secret in its text form: `whsec_` and 24 to 64 bytes in base64 (HMAC-SHA-256, `v1`),
/// or `whsk_` and 64 bytes (ed25519, `v1a`). Only the form is checked here; `delivery` signs with
/// it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SigningSecret(Secret);

impl SigningSecret {
    /// Parses the text form.
    ///
    /// # Errors
    /// A wrong prefix, base64 or length. The text is never repeated.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        Self::read(text, 24..=64, "must hold 24 to 64 bytes")
    }

    /// Parses the secret of another system, which may be shorter or longer: `whsec_` and 16 to 256
    /// bytes. Signatures stay the same. For imports, and for stored imports; a new secret must be
    /// parsed by [`parse`](Self::parse).
    ///
    /// # Errors
    /// The errors of [`parse`](Self::parse), with the wider limits.
    pub fn imported(text: &str) -> Result<Self, Invalid> {
        Self::read(text, 16..=256, "must hold 16 to 256 bytes")
    }

    fn read(
        text: &str,
        shared: RangeInclusive<usize>,
        length: &'static str,
    ) -> Result<Self, Invalid> {
        let refuse = |rule: &'static str| Err(Invalid::new(Field::SigningSecrets, rule));
        let text = trim_pasted(text);
        let (encoded, symmetric) = match (text.strip_prefix("whsec_"), text.strip_prefix("whsk_")) {
            (Some(encoded), _) => (encoded, true),
            (_, Some(encoded)) => (encoded, false),
            _ => return refuse("must begin with whsec_ or whsk_"),
        };
        match LENIENT
            .decode(encoded)
            .map(|bytes| zeroize::Zeroizing::new(bytes).len())
        {
            Err(_) => refuse("must be base64 behind its prefix"),
            Ok(bytes) if symmetric && shared.contains(&bytes) => Ok(Self(Secret::new(text))),
            Ok(64) if !symmetric => Ok(Self(Secret::new(text))),
            Ok(_) if symmetric => refuse(length),
            Ok(_) => refuse("must hold 64 bytes: an ed25519 key and its public half"),
        }
    }

    /// Creates a `whsec_` secret from these random bytes.
    #[must_use]
    pub fn from_random(bytes: [u8; 32]) -> Self {
        let bytes = zeroize::Zeroizing::new(bytes);
        Self(Secret::new(format!("whsec_{}", STANDARD.encode(*bytes))))
    }

    /// Returns the public key that a receiver verifies with: the public half of a `whsk_` key, as
    /// `whpk_` and base64. Returns `None` for a `whsec_` secret, which both sides share.
    #[must_use]
    pub fn public_key(&self) -> Option<String> {
        let pair = self.expose().strip_prefix("whsk_")?;
        let pair = zeroize::Zeroizing::new(LENIENT.decode(pair).ok()?);
        Some(format!("whpk_{}", STANDARD.encode(pair.get(32..)?)))
    }

    /// Returns the text form.
    #[must_use]
    pub fn expose(&self) -> &str {
        self.0.expose()
    }
}

/// The active secrets of a webhook, newest first. During a rotation each delivery is signed with
/// all of them.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct SigningSecrets(Vec<SigningSecret>);

impl SigningSecrets {
    /// Creates an empty list: deliveries are not signed.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Creates it from these secrets, newest first.
    ///
    /// # Errors
    /// More than 5.
    pub fn new(secrets: Vec<SigningSecret>) -> Result<Self, Invalid> {
        if secrets.len() > MAX_SECRETS {
            return Err(Invalid::new(Field::SigningSecrets, "must be 5 or fewer"));
        }
        Ok(Self(secrets))
    }

    /// Adds a new secret as the first one, and keeps at most `keep` of the others for the overlap.
    #[must_use]
    pub fn rotated(&self, new: SigningSecret, keep: usize) -> Self {
        Self(
            std::iter::once(new)
                .chain(self.0.iter().take(keep.min(MAX_SECRETS - 1)).cloned())
                .collect(),
        )
    }

    /// Returns the secrets, newest first.
    pub fn iter(&self) -> impl Iterator<Item = &SigningSecret> {
        self.0.iter()
    }

    /// Returns whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
