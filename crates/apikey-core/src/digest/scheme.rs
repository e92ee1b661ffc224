//! The named schemes of digests.

use std::fmt;
use std::str::FromStr;

use super::pepper_id::PepperId;

/// The scheme of a key's digest. Backends store its text form (`Display`, `FromStr`).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum DigestScheme {
    /// `hmac-sha256:ID`: HMAC-SHA-256 of `id_secret` under the pepper with that id.
    HmacSha256 {
        /// The id of the pepper.
        pepper: PepperId,
    },
    /// `imported-…`: the scheme of an older system.
    Imported(ImportedScheme),
    /// `sha256`: SHA-256 of `id_secret`, without a pepper.
    Sha256,
}

/// The scheme of imported digests of an older system.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ImportedScheme {
    /// `imported-sha256`: SHA-256 of the whole token as the client presents it.
    Sha256,
}

/// The reason why a text is not a [`DigestScheme`].
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
}
