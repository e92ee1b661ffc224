//! A client certificate with its private key (mutual TLS).

use std::fmt;

use gatepost_ids::trim_pasted;

use crate::error::{Field, Invalid};
use crate::secret::Secret;

/// The maximum size of certificates and key together, in bytes.
const MAX_BYTES: usize = 64 * 1024;

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";

/// A client certificate with its issuers, and its private key. A target that requests a certificate
/// identifies the sender by it. It is used in addition to the authorization, which is sent within
/// the connection.
///
/// Only the form is checked here, as for signing secrets: `delivery` checks whether certificate and
/// key are usable and belong together. `Debug` shows nothing of either.
#[derive(Clone, Eq, PartialEq)]
pub struct ClientIdentity {
    certificate: String,
    key: Secret,
}

impl ClientIdentity {
    /// Creates it from certificates in PEM, the client's own first, and its private key in PEM; at
    /// most 64 KiB in all. Text outside of the PEM blocks is dropped.
    ///
    /// # Errors
    /// Names `client_certificate` or `client_key`: a text without such a block or with one of
    /// another kind, in particular a key among the certificates, or texts that are too long.
    pub fn new(certificate: &str, key: &str) -> Result<Self, Invalid> {
        if certificate.len().saturating_add(key.len()) > MAX_BYTES {
            let rule = "must be at most 64 KiB, the key included";
            return Err(Invalid::new(Field::ClientCertificate, rule));
        }
        Ok(Self {
            certificate: certificates(certificate)?,
            key: private_key(key)?,
        })
    }

    /// Parses the output of [`to_text`](Self::to_text).
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn stored(text: &str) -> Result<Self, Invalid> {
        let (certificates, key): (Vec<_>, Vec<_>) =
            blocks(text).into_iter().partition(Block::is_certificate);
        Self::new(joined(&certificates).expose(), joined(&key).expose())
    }

    /// Returns both as one text, which a backend seals.
    #[must_use]
    pub fn to_text(&self) -> Secret {
        Secret::new(format!("{}{}", self.certificate, self.key.expose()))
    }

    /// Returns the certificates in PEM, which are not secret.
    #[must_use]
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// Returns the private key in PEM.
    #[must_use]
    pub fn key(&self) -> &Secret {
        &self.key
    }
}

impl fmt::Debug for ClientIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientIdentity(…)")
    }
}

fn certificates(text: &str) -> Result<String, Invalid> {
    let refuse = |rule: &'static str| Err(Invalid::new(Field::ClientCertificate, rule));
    let blocks = blocks(text);
    if blocks.iter().any(Block::is_private_key) {
        return refuse("must hold certificates only: the private key belongs in client_key");
    }
    if blocks.is_empty() || !blocks.iter().all(Block::is_certificate) {
        return refuse("must be one or more certificates in PEM (-----BEGIN CERTIFICATE-----)");
    }
    Ok(joined(&blocks).expose().to_owned())
}

/// Returns the key only: files often contain certificates as well.
fn private_key(text: &str) -> Result<Secret, Invalid> {
    let mut blocks = blocks(text);
    blocks.retain(|block| !block.is_certificate());
    if !blocks.iter().any(Block::is_private_key) {
        let rule = "must be a private key in PEM (-----BEGIN PRIVATE KEY-----)";
        return Err(Invalid::new(Field::ClientKey, rule));
    }
    Ok(joined(&blocks))
}

/// The lines from the beginning of a PEM block (RFC 7468) to its end.
struct Block<'a> {
    label: &'a str,
    lines: Vec<&'a str>,
}

impl Block<'_> {
    fn is_certificate(&self) -> bool {
        self.label == "CERTIFICATE"
    }

    fn is_private_key(&self) -> bool {
        self.label.ends_with("PRIVATE KEY")
    }
}

/// Returns the complete blocks of a text with any line ends.
fn blocks(text: &str) -> Vec<Block<'_>> {
    let (mut found, mut open) = (Vec::new(), None::<Block<'_>>);
    for line in text.lines().map(trim_pasted) {
        let label = line.strip_prefix(BEGIN);
        if let Some(label) = label.and_then(|label| label.strip_suffix(DASHES)) {
            let lines = Vec::new();
            open = Some(Block { label, lines });
        }
        if let Some(block) = &mut open {
            block.lines.push(line);
        }
        if line.starts_with(END) {
            found.extend(open.take());
        }
    }
    found
}

fn joined(blocks: &[Block<'_>]) -> Secret {
    let lines = || blocks.iter().flat_map(|block| &block.lines);
    // Growing it in steps would leave copies of the secret in memory.
    let mut text = String::with_capacity(lines().map(|line| line.len() + 1).sum());
    for line in lines() {
        text.push_str(line);
        text.push('\n');
    }
    Secret::new(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
    const KEY: &str = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n";

    #[test]
    fn client_identity_keeps_only_pem_blocks() {
        let typed = format!(
            "Bag Attributes\r\n  friendlyName: x\r\n{}subject=CN = x\r\n{CERTIFICATE}",
            CERTIFICATE.replace('\n', "\r\n")
        );
        let key = format!("{CERTIFICATE}  {}", KEY.replace('\n', " \r\n  "));
        let read = ClientIdentity::new(&typed, &key).unwrap();
        assert_eq!(read.certificate(), CERTIFICATE.repeat(2));
        assert_eq!(read.key().expose(), KEY);
        assert_eq!(ClientIdentity::stored(read.to_text().expose()), Ok(read));
    }

    #[test]
    fn client_identity_error_names_field_without_key() {
        let parameters = "-----BEGIN EC PARAMETERS-----\nAA\n-----END EC PARAMETERS-----\n";
        let both = format!("{KEY}{CERTIFICATE}");
        let long = format!("{KEY}{}", "x".repeat(MAX_BYTES));
        for (certificate, key, field, words) in [
            ("", KEY, Field::ClientCertificate, "in PEM"),
            ("MIIB", KEY, Field::ClientCertificate, "in PEM"),
            (parameters, KEY, Field::ClientCertificate, "in PEM"),
            (
                KEY,
                CERTIFICATE,
                Field::ClientCertificate,
                "belongs in client_key",
            ),
            (
                &both,
                KEY,
                Field::ClientCertificate,
                "belongs in client_key",
            ),
            (CERTIFICATE, &long, Field::ClientCertificate, "64 KiB"),
            (CERTIFICATE, "", Field::ClientKey, "private key in PEM"),
            (
                CERTIFICATE,
                CERTIFICATE,
                Field::ClientKey,
                "private key in PEM",
            ),
            (
                CERTIFICATE,
                parameters,
                Field::ClientKey,
                "private key in PEM",
            ),
            (
                CERTIFICATE,
                &KEY[..40],
                Field::ClientKey,
                "private key in PEM",
            ),
        ] {
            let refused = ClientIdentity::new(certificate, key).unwrap_err();
            assert_eq!(refused.field(), field, "{refused}");
            assert!(refused.rule().contains(words), "{refused}");
            assert!(!refused.to_string().contains("c2VjcmV0"), "{refused}");
        }
        let good = ClientIdentity::new(CERTIFICATE, &format!("{parameters}{KEY}")).unwrap();
        assert_eq!(good.key().expose(), format!("{parameters}{KEY}"));
        assert_eq!(format!("{good:?}"), "ClientIdentity(…)");
    }
}
