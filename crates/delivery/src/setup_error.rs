//! Errors of the sender's settings.

/// The reason why a sender cannot be built.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum SetupError {
    /// The client certificate or its key cannot be read, or they do not belong together.
    #[error("client certificate: the chain or the key cannot be used")]
    ClientCertificate,
    /// A header name is not a token.
    #[error("header names: not a valid header name, or one that the sender needs itself")]
    HeaderName,
    /// No certificate authority is trusted.
    #[error("roots: extra roots only, but there are none")]
    NoRoots,
    /// The operating system's roots cannot be loaded.
    #[error("roots: the operating system's cannot be loaded")]
    PlatformRoots,
    /// An extra root is not a certificate.
    #[error("extra root: is not a certificate in DER or PEM")]
    Root,
    /// The TLS library does not speak the versions asked for.
    #[error("tls: no version is supported")]
    TlsVersions,
    /// The `User-Agent` is not a valid header value.
    #[error("user agent: holds a character that a header must not hold")]
    UserAgent,
}
