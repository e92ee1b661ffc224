//! TLS to the server through rustls.

use std::sync::Arc;

use gatepost_storage::{ErrorKind, StoreError};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::config::PostgresConfig;

/// Trusts Mozilla's roots and the platform's; always verifies the certificate and its name.
pub(crate) fn connector(config: &PostgresConfig) -> Result<MakeRustlsConnect, StoreError> {
    let mut roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    for certificate in CertificateDer::pem_slice_iter(&config.extra_roots_pem) {
        let certificate = certificate.map_err(|e| {
            StoreError::new(ErrorKind::Invalid, "the extra roots are not in PEM form")
                .with_source(e)
        })?;
        roots.add(certificate).map_err(|e| {
            StoreError::new(ErrorKind::Invalid, "an extra root is not a certificate").with_source(e)
        })?;
    }
    // The provider is passed, not installed: what the process uses elsewhere is not changed.
    let tls =
        ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|e| StoreError::new(ErrorKind::Unsupported, "TLS").with_source(e))?
            .with_root_certificates(roots)
            .with_no_client_auth();
    Ok(MakeRustlsConnect::new(tls))
}
