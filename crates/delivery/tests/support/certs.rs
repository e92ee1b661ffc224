//! Certificates made during the test, and names that resolve to this machine.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use delivery::{Resolve, ResolveFuture, Roots, SenderBuilder};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ServerConfig, SupportedProtocolVersion};

use super::request::local_builder;

/// A resolver that resolves every name to this machine.
#[derive(Debug)]
pub(crate) struct Here;

impl Resolve for Here {
    fn resolve<'a>(&'a self, _: &'a str) -> ResolveFuture<'a> {
        Box::pin(async { Ok(vec![IpAddr::V4(Ipv4Addr::LOCALHOST)]) })
    }
}

pub(crate) type Ca = CertifiedIssuer<'static, KeyPair>;

pub(crate) fn ca() -> Ca {
    ca_of(CertificateParams::new(Vec::new()).unwrap())
}

pub(crate) fn ca_of(mut params: CertificateParams) -> Ca {
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params
        .distinguished_name
        .push(rcgen::DnType::CommonName, "Test Root");
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A sender that trusts one root and resolves every name to this machine.
pub(crate) fn trusting(ca: &Ca) -> SenderBuilder {
    local_builder()
        .resolver(Arc::new(Here))
        .roots(Roots::ExtraOnly)
        .extra_root(ca.der().to_vec())
}

pub(crate) fn params(names: &[&str]) -> CertificateParams {
    CertificateParams::new(names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>()).unwrap()
}

/// A chain and its key, as a receiver shows it.
pub(crate) struct Shown {
    pub(crate) chain: Vec<CertificateDer<'static>>,
    pub(crate) key: KeyPair,
}

impl Shown {
    pub(crate) fn issued(ca: &Ca, params: &CertificateParams) -> Self {
        let key = KeyPair::generate().unwrap();
        Self {
            chain: vec![params.signed_by(&key, ca).unwrap().der().clone()],
            key,
        }
    }
}

pub(crate) fn config(
    shown: &Shown,
    versions: &[&'static SupportedProtocolVersion],
    alpn: &[&str],
) -> ServerConfig {
    let key = PrivatePkcs8KeyDer::from(shown.key.serialize_der());
    config_of(shown.chain.clone(), key.into(), versions, alpn)
}

pub(crate) fn config_of(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    versions: &[&'static SupportedProtocolVersion],
    alpn: &[&str],
) -> ServerConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = provider.key_provider.load_private_key(key).unwrap();
    // Not `with_single_cert`: that would refuse to show some of the certificates tried here.
    let shown = SingleCertAndKey::from(CertifiedKey::new(chain, key));
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(shown));
    config.alpn_protocols = alpn.iter().map(|p| p.as_bytes().to_vec()).collect();
    config
}
