//! One certificate, which both sides trust.

use std::path::Path;
use std::sync::Arc;

use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tempfile::TempDir;
use tokio_rustls::TlsAcceptor;

use crate::receiver::Speaks;

const CERTIFICATE: &str = "certificate.pem";
const KEY: &str = "key.pem";

/// The receiver's certificate, in a folder with its key.
pub struct Certificate {
    der: CertificateDer<'static>,
    folder: TempDir,
}

impl Certificate {
    pub fn of_this_machine() -> Self {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(CERTIFICATE), cert.pem()).unwrap();
        std::fs::write(folder.path().join(KEY), signing_key.serialize_pem()).unwrap();
        Self {
            der: cert.der().clone(),
            folder,
        }
    }

    pub fn folder(&self) -> &str {
        self.folder.path().to_str().unwrap()
    }

    pub fn der(&self) -> Vec<u8> {
        self.der.to_vec()
    }

    /// Returns hyper-rustls' connector as its documentation shows it, which trusts this
    /// certificate.
    pub fn connector(&self, speaks: Speaks) -> HttpsConnector<HttpConnector> {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let builder = HttpsConnectorBuilder::new()
            .with_tls_config(config)
            .https_only();
        match speaks {
            Speaks::Http2OverTls => builder.enable_http2().build(),
            Speaks::Http1 | Speaks::Http1OverTls => builder.enable_http1().build(),
        }
    }
}

/// Returns the TLS acceptor of the receiver.
pub fn acceptor(folder: &str, speaks: Speaks) -> TlsAcceptor {
    let of = |file| Path::new(folder).join(file);
    let chain = CertificateDer::from_pem_file(of(CERTIFICATE)).unwrap();
    let key = PrivateKeyDer::from_pem_file(of(KEY)).unwrap();
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![chain], key)
        .unwrap();
    config.alpn_protocols = vec![match speaks {
        Speaks::Http2OverTls => b"h2".to_vec(),
        Speaks::Http1 | Speaks::Http1OverTls => b"http/1.1".to_vec(),
    }];
    TlsAcceptor::from(Arc::new(config))
}
