//! Roots, client certificates and versions.

use std::fmt;
use std::sync::Arc;

use rustls::SupportedProtocolVersion;
use rustls::crypto::CryptoProvider;
use rustls::version::{TLS12, TLS13};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use zeroize::Zeroizing;

use crate::setup_error::SetupError;

/// The prefix that some editors write at the beginning of a file.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

static BOTH: &[&SupportedProtocolVersion] = &[&TLS13, &TLS12];

static NEWEST: &[&SupportedProtocolVersion] = &[&TLS13];

/// The trusted certificate authorities, in addition to the extra ones of a platform.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Roots {
    /// None: only the extra roots are trusted.
    ExtraOnly,
    /// The roots of the operating system.
    Platform,
    /// Mozilla's roots, as compiled in.
    #[default]
    WebPki,
}

/// The minimum TLS version.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum MinTls {
    /// TLS 1.2 and 1.3.
    #[default]
    V1_2,
    /// TLS 1.3 only.
    V1_3,
}

impl MinTls {
    pub(super) fn versions(self) -> &'static [&'static SupportedProtocolVersion] {
        match self {
            Self::V1_2 => BOTH,
            Self::V1_3 => NEWEST,
        }
    }
}

/// A platform's TLS settings, unparsed.
pub(crate) struct TlsSettings {
    pub(crate) provider: Arc<CryptoProvider>,
    pub(crate) roots: Roots,
    pub(crate) extra: Vec<Vec<u8>>,
    pub(crate) identity: Option<(Vec<u8>, Zeroizing<Vec<u8>>)>,
    pub(crate) min: MinTls,
}

impl Default for TlsSettings {
    fn default() -> Self {
        Self {
            provider: Arc::new(rustls::crypto::ring::default_provider()),
            roots: Roots::default(),
            extra: Vec::new(),
            identity: None,
            min: MinTls::default(),
        }
    }
}

impl TlsSettings {
    pub(super) fn extra_roots(&self) -> Result<Vec<CertificateDer<'static>>, SetupError> {
        let mut roots = Vec::new();
        for bytes in &self.extra {
            roots.extend(certificates(bytes, SetupError::Root)?);
        }
        Ok(roots)
    }

    pub(super) fn identity(
        &self,
    ) -> Result<Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)>, SetupError> {
        let Some((chain, key)) = &self.identity else {
            return Ok(None);
        };
        let chain = certificates(chain, SetupError::ClientCertificate)?;
        let key = if is_pem(key) {
            PrivateKeyDer::from_pem_slice(without_mark(key))
                .map_err(|_| SetupError::ClientCertificate)?
        } else {
            PrivateKeyDer::try_from(key.to_vec()).map_err(|_| SetupError::ClientCertificate)?
        };
        Ok(Some((chain, key)))
    }
}

impl fmt::Debug for TlsSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsSettings")
            .field("roots", &self.roots)
            .field("extra", &self.extra.len())
            .field("identity", &self.identity.is_some())
            .field("min", &self.min)
            .finish()
    }
}

/// All certificates of a PEM text, or the one of a DER blob. PEM may begin with a byte order mark.
fn certificates(
    bytes: &[u8],
    fault: SetupError,
) -> Result<Vec<CertificateDer<'static>>, SetupError> {
    if !is_pem(bytes) {
        return Ok(vec![CertificateDer::from(bytes.to_vec())]);
    }
    let bytes = without_mark(bytes);
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(bytes).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => Err(fault),
    }
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

fn is_pem(bytes: &[u8]) -> bool {
    bytes.windows(11).any(|window| window == b"-----BEGIN ")
}
