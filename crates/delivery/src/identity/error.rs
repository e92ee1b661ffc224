//! Errors of client certificates and keys.

/// The reason why a client certificate or its key cannot be used. Texts repeat nothing of either.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum ClientIdentityError {
    /// The key is encrypted.
    #[error("the private key is encrypted: decrypt it first, for example with openssl pkey")]
    EncryptedKey,
    /// There is no certificate.
    #[error("there is no certificate in PEM (-----BEGIN CERTIFICATE-----)")]
    NoCertificate,
    /// There is no key.
    #[error("there is no private key in PEM (-----BEGIN PRIVATE KEY-----)")]
    NoKey,
    /// Something else is among the certificates, such as a key.
    #[error("the chain must hold certificates only: a private key belongs in its own field")]
    NotOnlyCertificates,
    /// There is more than one key.
    #[error("there must be one private key, not several")]
    SeveralKeys,
    /// Certificate and key are longer than 64 KiB in all.
    #[error("certificates and private key must be at most 64 KiB in all")]
    TooLong,
    /// There are more than 10 certificates.
    #[error("there must be at most 10 certificates")]
    TooManyCertificates,
    /// The certificate at this position of the chain, from 1, is damaged, or is not X.509 version
    /// 3.
    #[error("certificate {0} cannot be read: it is damaged or not X.509 version 3")]
    UnreadableCertificate(usize),
    /// The key is damaged or of a kind that is not supported.
    #[error(
        "the private key cannot be used: it must be RSA of 2,048 to 4,096 bits, \
         ECDSA P-256 or P-384, or Ed25519"
    )]
    UnusableKey,
    /// The URL is not `https`.
    #[error("only an https URL can ask for a client certificate")]
    WithoutTls,
    /// The key is not that of the first certificate.
    #[error(
        "the private key does not belong to the first certificate: \
         the client's own certificate comes first, then those that issued it"
    )]
    WrongKey,
}

impl ClientIdentityError {
    /// Returns whether the key is wrong, and not the certificates.
    #[must_use]
    pub fn is_about_key(self) -> bool {
        matches!(
            self,
            Self::EncryptedKey
                | Self::NoKey
                | Self::SeveralKeys
                | Self::UnusableKey
                | Self::WrongKey
        )
    }
}
