//! An authority, and the certificates that it issues.

use std::sync::Arc;

use chrono::{DateTime, Datelike as _, Utc};
use examples::certificate::SelfSigned;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

/// Issues certificates to targets on `127.0.0.1` and to clients.
#[derive(Debug)]
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A client's certificate and key, in PEM.
#[derive(Clone, Debug)]
pub struct Client {
    /// The certificate; its subject is `CN=` and the client's name.
    pub certificate: String,
    /// The private key.
    pub key: String,
}

impl Client {
    /// Returns a line of the key's secret part.
    ///
    /// # Panics
    /// If the key has none.
    #[must_use]
    pub fn secret(&self) -> &str {
        self.key.lines().nth(2).unwrap()
    }
}

impl Authority {
    /// Creates a new authority.
    ///
    /// # Panics
    /// If it cannot be made.
    #[must_use]
    pub fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    /// Returns its own certificate in DER, for a sender to trust.
    #[must_use]
    pub fn root(&self) -> Vec<u8> {
        self.0.der().to_vec()
    }

    /// Returns the certificate that it issued to a server on `127.0.0.1`; clients trust the
    /// authority itself.
    ///
    /// # Panics
    /// If it cannot be made.
    #[must_use]
    pub fn shown(&self) -> SelfSigned {
        SelfSigned {
            pem: self.0.pem(),
            der: self.root(),
            server: Arc::new(self.server(false, "http/1.1")),
        }
    }

    /// Returns a client whose certificate is valid for very long.
    ///
    /// # Panics
    /// If it cannot be made.
    #[must_use]
    pub fn client(&self, name: &str) -> Client {
        self.client_until(name, None)
    }

    /// Returns a client whose certificate expires at the beginning of that day.
    ///
    /// # Panics
    /// If it cannot be made.
    #[must_use]
    pub fn client_until(&self, name: &str, until: Option<DateTime<Utc>>) -> Client {
        self.renewed(name, until, &KeyPair::generate().unwrap().serialize_pem())
    }

    /// Returns another certificate for a key.
    ///
    /// # Panics
    /// If it cannot be made.
    #[must_use]
    pub fn renewed(&self, name: &str, until: Option<DateTime<Utc>>, key: &str) -> Client {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        if let Some(until) = until {
            let day = (until.month(), until.day());
            let (month, day) = (u8::try_from(day.0).unwrap(), u8::try_from(day.1).unwrap());
            params.not_after = date_time_ymd(until.year(), month, day);
        }
        let pair = KeyPair::from_pem(key).unwrap();
        let certificate = params.signed_by(&pair, &self.0).unwrap();
        Client {
            certificate: certificate.pem(),
            key: key.to_owned(),
        }
    }

    /// Returns the settings of a target that asks for certificates of this authority; one that
    /// requires them refuses clients without.
    pub(crate) fn server(&self, requires: bool, alpn: &str) -> ServerConfig {
        let mut roots = RootCertStore::empty();
        roots.add(self.0.der().clone()).unwrap();
        let ring = tokio_rustls::rustls::crypto::ring::default_provider();
        let provider = Arc::new(ring);
        let asks = WebPkiClientVerifier::builder_with_provider(roots.into(), provider.clone());
        let asks = if requires {
            asks
        } else {
            asks.allow_unauthenticated()
        };
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        let shown = params.signed_by(&key, &self.0).unwrap();
        let key = PrivatePkcs8KeyDer::from(key.serialize_der());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(asks.build().unwrap())
            .with_single_cert(vec![shown.der().clone()], key.into())
            .unwrap();
        config.alpn_protocols = vec![alpn.as_bytes().to_vec()];
        config
    }
}

impl Default for Authority {
    fn default() -> Self {
        Self::new()
    }
}
