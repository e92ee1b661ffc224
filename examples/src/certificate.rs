//! A self-signed certificate for the names of this machine.

use std::error::Error;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::private;

/// The names that every certificate has.
const OWN: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
/// The tags of a name and an address among the alternative names of a certificate (RFC 5280
/// §4.2.1.6).
const NAME: u8 = 0x82;
const ADDRESS: u8 = 0x87;

type Failure = Box<dyn Error + Send + Sync>;

/// A certificate and the configuration of a TLS server that shows it.
#[derive(Clone, Debug)]
pub struct SelfSigned {
    /// The certificate in PEM, for clients to trust.
    pub pem: String,
    /// The certificate in DER.
    pub der: Vec<u8>,
    /// The server's configuration: TLS 1.2 and 1.3, HTTP/2 and HTTP/1.1.
    pub server: Arc<ServerConfig>,
}

/// Makes a certificate and its key, for `localhost`, `127.0.0.1` and `::1`.
///
/// # Errors
/// When the key cannot be made or the certificate is refused by the TLS library.
pub fn self_signed() -> Result<SelfSigned, Failure> {
    let (pem, key) = made(None)?;
    SelfSigned::of(pem, &key)
}

impl SelfSigned {
    /// Reads the certificate from `cert.pem` and its key from `cert.key` of a folder. If one of
    /// them is missing, both are made there, readable only by their owner, and also for `name`, a
    /// host's name or address. Clients that trust an existing certificate continue to do so; if it
    /// is not for `name`, that is logged as a warning.
    ///
    /// # Errors
    /// If they cannot be read, written or used.
    pub fn kept(folder: &Path, name: Option<&str>) -> Result<Self, Failure> {
        let (certificate, key) = (folder.join("cert.pem"), folder.join("cert.key"));
        if let (Some(pem), Some(key)) = (private::read(&certificate)?, private::read(&key)?) {
            let kept = Self::of(pem, &key)?;
            if let Some(name) = name.filter(|name| !kept.is_for(name)) {
                let file = certificate.display();
                tracing::warn!(
                    "{file} is not for {name}: without it and its key, new ones are made"
                );
            }
            return Ok(kept);
        }
        let (pem, text) = made(name)?;
        private::write(&key, &text)?;
        private::write(&certificate, &pem)?;
        Self::of(pem, &text)
    }

    /// Returns whether a client that trusts it may call the platform by this name or address.
    fn is_for(&self, name: &str) -> bool {
        let alternative = match name.parse::<IpAddr>() {
            Ok(IpAddr::V4(address)) => (ADDRESS, address.octets().to_vec()),
            Ok(IpAddr::V6(address)) => (ADDRESS, address.octets().to_vec()),
            Err(_) => (NAME, name.as_bytes().to_vec()),
        };
        let (kind, value) = alternative;
        let length = u8::try_from(value.len()).unwrap_or(u8::MAX);
        let encoded = [&[kind, length][..], &value].concat();
        self.der.windows(encoded.len()).any(|part| part == encoded)
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
        // A client that offers none of these is turned away.
        server.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec(), b"http/1.0".to_vec()];
        Ok(Self {
            pem,
            der: der.to_vec(),
            server: Arc::new(server),
        })
    }
}

/// Makes a certificate and its key, in PEM.
fn made(name: Option<&str>) -> Result<(String, String), Failure> {
    let mut names: Vec<_> = OWN.map(str::to_owned).into();
    names.extend(name.filter(|name| !OWN.contains(name)).map(str::to_owned));
    let made = rcgen::generate_simple_self_signed(names)?;
    Ok((made.cert.pem(), made.signing_key.serialize_pem()))
}

#[cfg(test)]
mod tests {
    use rustls::pki_types::ServerName;
    use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConnection};

    use super::*;

    /// Whether a client that trusts it and offers this protocol only is served.
    fn serves(shown: &SelfSigned, name: &str, protocol: &str) -> bool {
        let mut roots = RootCertStore::empty();
        roots.add(shown.der.clone().into()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let client = ClientConfig::builder_with_provider(provider);
        let client = client.with_safe_default_protocol_versions().unwrap();
        let mut client = client.with_root_certificates(roots).with_no_client_auth();
        client.alpn_protocols = vec![protocol.into()];
        let name = ServerName::try_from(name.to_owned()).unwrap();
        let mut client = ClientConnection::new(Arc::new(client), name).unwrap();
        let mut server = ServerConnection::new(shown.server.clone()).unwrap();
        while client.is_handshaking() || server.is_handshaking() {
            let (mut there, mut back) = (Vec::new(), Vec::new());
            client.write_tls(&mut there).unwrap();
            server.read_tls(&mut &*there).unwrap();
            if server.process_new_packets().is_err() {
                return false;
            }
            server.write_tls(&mut back).unwrap();
            client.read_tls(&mut &*back).unwrap();
            if client.process_new_packets().is_err() {
                return false;
            }
        }
        true
    }

    #[test]
    fn certificate_names_where_it_listens() {
        for name in ["192.0.2.7", "2001:db8::7", "acme.example"] {
            let folder = tempfile::tempdir().unwrap();
            let kept = SelfSigned::kept(folder.path(), Some(name)).unwrap();
            for own in ["localhost", "127.0.0.1", "::1", name] {
                assert!(serves(&kept, own, "h2") && kept.is_for(own), "{own}");
            }
            let other = SelfSigned::kept(folder.path(), Some("other.example")).unwrap();
            assert_eq!(other.der, kept.der, "clients trust it");
            assert!(!other.is_for("other.example") && !serves(&other, "other.example", "h2"));
        }
    }

    #[test]
    fn server_serves_each_version_of_http() {
        let made = self_signed().unwrap();
        for protocol in ["h2", "http/1.1", "http/1.0"] {
            assert!(serves(&made, "localhost", protocol), "{protocol}");
        }
    }
}
