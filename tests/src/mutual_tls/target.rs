//! A target that records the client certificate of each request.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use delivery::ClientCertificate;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::authority::Authority;
use crate::world::HERE;

/// A request: its path, and the subject of its connection's certificate, or an empty text.
pub type Arrived = (String, String);

/// Responds 200 to everything.
#[derive(Clone, Debug)]
pub struct Target {
    addr: SocketAddr,
    arrived: Arc<Mutex<Vec<Arrived>>>,
}

impl Target {
    /// Starts a target that takes clients without a certificate too, by `http/1.1` or `h2`.
    ///
    /// # Panics
    /// If it cannot be started.
    pub async fn asking(authority: &Authority, alpn: &str) -> Self {
        Self::start(authority, false, alpn).await
    }

    /// Starts a target that refuses clients without a certificate of the authority.
    ///
    /// # Panics
    /// If it cannot be started.
    pub async fn requiring(authority: &Authority, alpn: &str) -> Self {
        Self::start(authority, true, alpn).await
    }

    async fn start(authority: &Authority, requires: bool, alpn: &str) -> Self {
        let listener = TcpListener::bind((HERE, 0)).await.unwrap();
        let addr = listener.local_addr().unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(authority.server(requires, alpn)));
        let target = Self {
            addr,
            arrived: Arc::default(),
        };
        let serving = target.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (acceptor, target) = (acceptor.clone(), serving.clone());
                tokio::spawn(async move {
                    match acceptor.accept(stream).into_fallible().await {
                        Ok(secured) => target.serve(secured).await,
                        Err((_, stream)) => linger(stream).await,
                    }
                });
            }
        });
        target
    }

    /// Returns its URL with this path.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("https://{}{path}", self.addr)
    }

    /// Returns the requests that arrived so far.
    ///
    /// # Panics
    /// After a panic in another thread.
    #[must_use]
    pub fn arrived(&self) -> Vec<Arrived> {
        self.arrived.lock().unwrap().clone()
    }

    async fn serve(&self, secured: TlsStream<TcpStream>) {
        let shown = secured.get_ref().1.peer_certificates();
        let subject = shown.map_or_else(String::new, |chain| subject(&chain[0]));
        let arrived = &self.arrived;
        let service = service_fn(move |request: Request<Incoming>| {
            let path = request.uri().path().to_owned();
            arrived.lock().unwrap().push((path, subject.clone()));
            async { Ok::<_, hyper::Error>(Response::new(axum::body::Body::from(Bytes::new()))) }
        });
        let served = auto::Builder::new(TokioExecutor::new());
        drop(
            served
                .serve_connection(TokioIo::new(secured), service)
                .await,
        );
    }
}

fn subject(der: &[u8]) -> String {
    let body = STANDARD.encode(der);
    let pem = format!("-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n");
    let certificate = ClientCertificate::from_pem(&pem).unwrap();
    certificate.subject().to_owned()
}

/// Reads the remaining input, so that it is not answered with a reset: servers do so that want
/// their alert to arrive.
async fn linger(mut stream: TcpStream) {
    drop(stream.shutdown().await);
    drop(stream.read_to_end(&mut Vec::new()).await);
}
