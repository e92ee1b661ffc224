//! A self-signed certificate for `localhost` and `127.0.0.1`.

use std::error::Error;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

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
pub fn self_signed() -> Result<SelfSigned, Box<dyn Error + Send + Sync>> {
    let made =
        rcgen::generate_simple_self_signed(vec!["localhost".to_owned(), "127.0.0.1".to_owned()])?;
    let der: CertificateDer<'static> = made.cert.der().clone();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der())?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut server = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(vec![der.clone()], key)?;
    server.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(SelfSigned {
        pem: made.cert.pem(),
        der: der.to_vec(),
        server: Arc::new(server),
    })
}
