//! Certificates made on the spot, receivers that show them, names that lead to this machine.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;

use delivery::{Resolve, ResolveFuture, Roots, SenderBuilder};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ServerConfig, SupportedProtocolVersion};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;

use super::{After, finish, local_builder, serve};

/// Every name is this machine.
#[derive(Debug)]
pub struct Here;

impl Resolve for Here {
    fn resolve<'a>(&'a self, _: &'a str) -> ResolveFuture<'a> {
        Box::pin(async { Ok(vec![IpAddr::V4(Ipv4Addr::LOCALHOST)]) })
    }
}

pub type Ca = CertifiedIssuer<'static, KeyPair>;

pub fn ca() -> Ca {
    ca_of(CertificateParams::new(Vec::new()).unwrap())
}

pub fn ca_of(mut params: CertificateParams) -> Ca {
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params
        .distinguished_name
        .push(rcgen::DnType::CommonName, "Test Root");
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A sender that trusts one root and resolves every name to this machine.
pub fn trusting(ca: &Ca) -> SenderBuilder {
    local_builder()
        .resolver(Arc::new(Here))
        .roots(Roots::ExtraOnly)
        .extra_root(ca.der().to_vec())
}

pub fn params(names: &[&str]) -> CertificateParams {
    CertificateParams::new(names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>()).unwrap()
}

/// A chain and its key, as a receiver shows it.
pub struct Shown {
    pub chain: Vec<CertificateDer<'static>>,
    pub key: KeyPair,
}

impl Shown {
    pub fn issued(ca: &Ca, params: &CertificateParams) -> Self {
        let key = KeyPair::generate().unwrap();
        Self {
            chain: vec![params.signed_by(&key, ca).unwrap().der().clone()],
            key,
        }
    }

    pub fn self_signed(params: &CertificateParams) -> Self {
        let key = KeyPair::generate().unwrap();
        Self {
            chain: vec![params.self_signed(&key).unwrap().der().clone()],
            key,
        }
    }
}

pub const BOTH: &[&SupportedProtocolVersion] = &[&rustls::version::TLS13, &rustls::version::TLS12];

pub fn config(
    shown: &Shown,
    versions: &[&'static SupportedProtocolVersion],
    alpn: &[&str],
) -> ServerConfig {
    let key = PrivatePkcs8KeyDer::from(shown.key.serialize_der());
    config_of(shown.chain.clone(), key.into(), versions, alpn)
}

pub fn config_of(
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

/// A receiver over TLS; counts its connections and requests, and notes the names it was asked for.
pub struct TlsReceiver {
    pub addr: SocketAddr,
    pub connections: Arc<AtomicUsize>,
    pub requests: Arc<AtomicUsize>,
    pub names: mpsc::UnboundedReceiver<Option<String>>,
}

impl TlsReceiver {
    pub async fn start(config: ServerConfig, answer: &str, after: After) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let (connections, requests) =
            (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (name, names) = mpsc::unbounded_channel();
        let (opened, counted) = (connections.clone(), requests.clone());
        let answers = Arc::new(vec![(answer.as_bytes().to_vec(), after)]);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                opened.fetch_add(1, SeqCst);
                let (acceptor, answers, counted, name) = (
                    acceptor.clone(),
                    answers.clone(),
                    counted.clone(),
                    name.clone(),
                );
                tokio::spawn(async move {
                    let Ok(mut secured) = acceptor.accept(stream).await else {
                        return;
                    };
                    let _ = name.send(secured.get_ref().1.server_name().map(str::to_owned));
                    let (tell, _seen) = mpsc::unbounded_channel();
                    let after = serve(&mut secured, &answers, &counted, &tell).await;
                    // The bare stream is ended: no close_notify.
                    finish(secured.into_inner().0, after).await;
                });
            }
        });
        Self {
            addr,
            connections,
            requests,
            names,
        }
    }

    pub fn url(&self, host: &str) -> String {
        format!("https://{host}:{}/", self.addr.port())
    }

    pub fn requests(&self) -> usize {
        self.requests.load(SeqCst)
    }
}
