//! TLS to the server through rustls.

use std::sync::Arc;

use gatepost_storage::{ErrorKind, StoreError};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::config::PostgresConfig;

/// Written by some editors at the beginning of a file.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Returns a connector that trusts Mozilla's roots and the platform's, and always verifies the
/// certificate and its name.
pub(crate) fn connector(config: &PostgresConfig) -> Result<MakeRustlsConnect, StoreError> {
    let mut roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    let pem = &config.extra_roots_pem;
    let text = pem.strip_prefix(BYTE_ORDER_MARK).unwrap_or(pem);
    let public = roots.len();
    for certificate in CertificateDer::pem_slice_iter(text) {
        let certificate = certificate.map_err(|e| {
            StoreError::new(ErrorKind::Invalid, "the extra roots are not in PEM form")
                .with_source(e)
        })?;
        roots.add(certificate).map_err(|e| {
            StoreError::new(ErrorKind::Invalid, "an extra root is not a certificate").with_source(e)
        })?;
    }
    if roots.len() == public && !text.trim_ascii().is_empty() {
        let words = "the extra roots hold no certificate in PEM form";
        return Err(StoreError::new(ErrorKind::Invalid, words));
    }
    // The provider is passed, not installed: the rest of the process is not affected.
    let tls =
        ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|e| StoreError::new(ErrorKind::Unsupported, "TLS").with_source(e))?
            .with_root_certificates(roots)
            .with_no_client_auth();
    Ok(MakeRustlsConnect::new(tls))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(pem: &[u8]) -> Option<String> {
        let config = PostgresConfig::url("postgres://localhost").with_extra_roots_pem(pem);
        connector(&config).err().map(|error| error.to_string())
    }

    #[test]
    fn extra_roots_without_certificate_are_refused() {
        let signed = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = signed.signing_key.serialize_pem();
        for wrong in ["not a certificate", &key] {
            let said = refusal(wrong.as_bytes()).unwrap();
            assert!(said.contains("hold no certificate in PEM form"), "{said}");
        }
        assert_eq!(refusal(b""), None);
        // The mark by itself hides the line behind it from a PEM parser.
        let marked = format!("\u{feff}{}", signed.cert.pem());
        assert_eq!(refusal(marked.as_bytes()), None);
    }
}
