//! A self-signed certificate for `localhost` and `127.0.0.1`.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::private;

type Failure = Box<dyn Error + Send + Sync>;

/// A certificate and what a TLS server needs to show it.
#[derive(Clone, Debug)]
pub struct SelfSigned {
    /// The certificate in PEM, for clients to trust.
    pub pem: String,
    /// The certificate in DER.
    pub der: Vec<u8>,
    /// The server's configuration: TLS 1.2 and 1.3, HTTP/2 and HTTP/1.1.
    pub server: Arc<ServerConfig>,
}

/// Makes a certificate and its key.
///
/// # Errors
/// When the key cannot be made or the certificate is refused by the TLS library.
pub fn self_signed() -> Result<SelfSigned, Failure> {
    let (pem, key) = made()?;
    SelfSigned::of(pem, &key)
}

impl SelfSigned {
    /// The certificate in `cert.pem` and its key in `cert.key` of a folder; made there, for their
    /// owner's eyes only, if one of them is missing. Clients that trust it go on doing so.
    ///
    /// # Errors
    /// When they cannot be read, written or used.
    pub fn kept(folder: &Path) -> Result<Self, Failure> {
        let (certificate, key) = (folder.join("cert.pem"), folder.join("cert.key"));
        if let (Some(pem), Some(key)) = (private::read(&certificate)?, private::read(&key)?) {
            return Self::of(pem, &key);
        }
        let (pem, text) = made()?;
        private::write(&key, &text)?;
        private::write(&certificate, &pem)?;
        Self::of(pem, &text)
    }

    fn of(pem: String, key: &str) -> Result<Self, Failure> {
        let der = CertificateDer::from_pem_slice(pem.as_bytes())
            .map_err(|error| format!("not a certificate in PEM form: {error}"))?;
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes())
            .map_err(|error| format!("not a private key in PEM form: {error}"))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut server = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![der.clone()], key)?;
        server.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self {
            pem,
            der: der.to_vec(),
            server: Arc::new(server),
        })
    }
}

/// A certificate and its key, in PEM.
fn made() -> Result<(String, String), Failure> {
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let made = rcgen::generate_simple_self_signed(names)?;
    Ok((made.cert.pem(), made.signing_key.serialize_pem()))
}
