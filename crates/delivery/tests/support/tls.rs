//! Receivers that show certificates.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;

use rcgen::{CertificateParams, KeyPair};
use rustls::{ServerConfig, SupportedProtocolVersion};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;

use super::certs::Shown;
use super::receiver::{After, finish, serve};

pub(crate) const BOTH: &[&SupportedProtocolVersion] =
    &[&rustls::version::TLS13, &rustls::version::TLS12];

impl Shown {
    pub(crate) fn self_signed(params: &CertificateParams) -> Self {
        let key = KeyPair::generate().unwrap();
        Self {
            chain: vec![params.self_signed(&key).unwrap().der().clone()],
            key,
        }
    }
}

/// A receiver over TLS; counts its requests, and notes the names it was asked for.
pub(crate) struct TlsReceiver {
    pub(crate) addr: SocketAddr,
    pub(crate) requests: Arc<AtomicUsize>,
    pub(crate) names: mpsc::UnboundedReceiver<Option<String>>,
}

impl TlsReceiver {
    pub(crate) async fn start(config: ServerConfig, answer: &str, after: After) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let requests = Arc::new(AtomicUsize::new(0));
        let (name, names) = mpsc::unbounded_channel();
        let counted = requests.clone();
        let answers = Arc::new(vec![(answer.as_bytes().to_vec(), after)]);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
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
            requests,
            names,
        }
    }

    pub(crate) fn url(&self, host: &str) -> String {
        format!("https://{host}:{}/", self.addr.port())
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.load(SeqCst)
    }
}
