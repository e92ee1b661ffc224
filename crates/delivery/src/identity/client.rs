//! A chain of certificates and the private key of the first.

use std::fmt;

use rustls::crypto::CryptoProvider;
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::{PemObject as _, SectionKind};
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::certificate::ClientCertificate;
use super::error::ClientIdentityError as Error;

/// The maximum size of certificates and key together, in PEM bytes.
pub const MAX_IDENTITY: usize = 64 * 1024;
/// The maximum number of certificates in a chain.
pub const MAX_CERTIFICATES: usize = 10;

/// The beginnings of encrypted keys: of PKCS #8, and of older formats in a separate line.
const ENCRYPTED: [&str; 2] = ["-----BEGIN ENCRYPTED ", "Proc-Type:"];

/// The identity of a client certificate: identities never share connections and TLS sessions.
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
pub(crate) struct Fingerprint([u8; 32]);

/// A client certificate with its chain and its matching private key. A target that requests a
/// certificate identifies the sender by it (mutual TLS).
///
/// `Debug` shows the certificate's subject, and nothing of the key, which is wiped when dropped.
pub struct ClientIdentity {
    chain: Vec<CertificateDer<'static>>,
    key: Zeroizing<Vec<u8>>,
    certificate: ClientCertificate,
    fingerprint: Fingerprint,
}

impl ClientIdentity {
    /// Creates it from a chain in PEM, the client's own certificate first, at most
    /// [`MAX_CERTIFICATES`], and its private key in PEM (PKCS #8, PKCS #1 or SEC 1, not encrypted):
    /// RSA of 2,048 to 4,096 bits, ECDSA P-256 or P-384, Ed25519. At most [`MAX_IDENTITY`] bytes in
    /// all. An expired certificate is accepted: the target decides about it.
    ///
    /// # Errors
    /// The first [`ClientIdentityError`](Error), certificates first.
    pub fn from_pem(chain: &str, key: &str) -> Result<Self, Error> {
        if chain.len().saturating_add(key.len()) > MAX_IDENTITY {
            return Err(Error::TooLong);
        }
        let chain = certificates(chain)?;
        let certificate = match chain.first() {
            Some(first) => {
                ClientCertificate::of_der(first).ok_or(Error::UnreadableCertificate(1))?
            }
            None => return Err(Error::NoCertificate),
        };
        let key = private_key(key)?;
        let fingerprint = fingerprint(&chain, &key);
        let identity = Self {
            chain,
            key,
            certificate,
            fingerprint,
        };
        identity.check_pair()?;
        Ok(identity)
    }

    /// Returns the client's own certificate for display.
    #[must_use]
    pub fn certificate(&self) -> &ClientCertificate {
        &self.certificate
    }

    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Returns the identity for this cryptography provider.
    pub(crate) fn certified(&self, provider: &CryptoProvider) -> Result<CertifiedKey, Error> {
        let key = PrivateKeyDer::try_from(self.key.as_slice()).map_err(|_| Error::UnusableKey)?;
        let key = provider.key_provider.load_private_key(key.clone_key());
        let key = key.map_err(|_| Error::UnusableKey)?;
        Ok(CertifiedKey::new(self.chain.clone(), key))
    }

    fn check_pair(&self) -> Result<(), Error> {
        let certified = self.certified(&rustls::crypto::ring::default_provider())?;
        certified.keys_match().map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => Error::WrongKey,
            _ => Error::UnreadableCertificate(1),
        })
    }
}

impl fmt::Debug for ClientIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientIdentity")
            .field("subject", &self.certificate.subject())
            .finish_non_exhaustive()
    }
}

fn certificates(pem: &str) -> Result<Vec<CertificateDer<'static>>, Error> {
    let mut chain = Vec::new();
    for section in <(SectionKind, Vec<u8>)>::pem_slice_iter(pem.as_bytes()) {
        let place = chain.len() + 1;
        let (kind, der) = section.map_err(|_| Error::UnreadableCertificate(place))?;
        if kind != SectionKind::Certificate {
            drop(Zeroizing::new(der)); // most likely a key
            return Err(Error::NotOnlyCertificates);
        }
        if place > MAX_CERTIFICATES {
            return Err(Error::TooManyCertificates);
        }
        ClientCertificate::of_der(&der).ok_or(Error::UnreadableCertificate(place))?;
        chain.push(CertificateDer::from(der));
    }
    Ok(chain)
}

fn private_key(pem: &str) -> Result<Zeroizing<Vec<u8>>, Error> {
    let is_encrypted = |line: &str| ENCRYPTED.iter().any(|begins| line.starts_with(begins));
    if pem.lines().any(is_encrypted) {
        return Err(Error::EncryptedKey);
    }
    let mut found = None;
    for section in <(SectionKind, Vec<u8>)>::pem_slice_iter(pem.as_bytes()) {
        let (kind, der) = section.map_err(|_| Error::UnusableKey)?;
        let der = Zeroizing::new(der);
        let is_key = matches!(
            kind,
            SectionKind::PrivateKey | SectionKind::RsaPrivateKey | SectionKind::EcPrivateKey
        );
        if is_key && found.replace(der).is_some() {
            return Err(Error::SeveralKeys);
        }
    }
    found.ok_or(Error::NoKey)
}

fn fingerprint(chain: &[CertificateDer<'_>], key: &[u8]) -> Fingerprint {
    let mut hash = Sha256::new();
    for part in chain.iter().map(AsRef::as_ref).chain([key]) {
        hash.update(part.len().to_be_bytes());
        hash.update(part);
    }
    Fingerprint(hash.finalize().into())
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fingerprint")
    }
}
