//! Receivers that ask for a client certificate, and clients that have one.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use delivery::ClientIdentity;
use http_body_util::{BodyExt as _, Empty};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{DnType, KeyPair};
use rustls::server::WebPkiClientVerifier;
use rustls::{HandshakeKind, RootCertStore, ServerConfig, SupportedProtocolVersion};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::certs::{Ca, Shown, params};

/// A client with its certificate, in PEM and in DER.
pub(crate) struct Client {
    pub(crate) chain: String,
    pub(crate) key: String,
    pub(crate) der: Vec<u8>,
}

impl Client {
    pub(crate) fn issued(ca: &Ca, name: &str) -> Self {
        let mut params = params(&[]);
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, ca).unwrap();
        Self {
            chain: certificate.pem(),
            key: key.serialize_pem(),
            der: certificate.der().to_vec(),
        }
    }

    pub(crate) fn identity(&self) -> Arc<ClientIdentity> {
        Arc::new(ClientIdentity::from_pem(&self.chain, &self.key).unwrap())
    }
}

/// A request as it arrived.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Arrived {
    pub(crate) path: String,
    /// The certificate that its connection showed; empty for none.
    pub(crate) shown: Vec<u8>,
    /// The number of its connection.
    pub(crate) connection: usize,
    pub(crate) resumed: bool,
}

/// The demands of a receiver.
#[derive(Clone, Copy)]
pub(crate) struct Asks {
    pub(crate) versions: &'static [&'static SupportedProtocolVersion],
    pub(crate) alpn: &'static str,
    /// Whether it refuses clients without a certificate.
    pub(crate) required: bool,
    /// Whether a connection stays open after a response.
    pub(crate) keeps: bool,
}

/// A receiver that trusts the clients of one root. It redirects a request to `/go` to the URL in
/// its query.
pub(crate) struct Asking {
    addr: SocketAddr,
    log: Arc<Mutex<Vec<Arrived>>>,
}

impl Asking {
    pub(crate) async fn start(root: &Ca, asks: Asks) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config(root, asks)));
        let log = Arc::new(Mutex::new(Vec::new()));
        let arrived = log.clone();
        tokio::spawn(async move {
            for connection in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                let (acceptor, log) = (acceptor.clone(), arrived.clone());
                tokio::spawn(async move {
                    match acceptor.accept(stream).into_fallible().await {
                        Ok(secured) => serve(secured, connection, asks.keeps, log).await,
                        Err((_, stream)) => linger(stream).await,
                    }
                });
            }
        });
        Self { addr, log }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("https://a.example:{}/{path}", self.addr.port())
    }

    pub(crate) fn arrived(&self) -> Vec<Arrived> {
        self.log.lock().unwrap().clone()
    }
}

fn config(root: &Ca, asks: Asks) -> ServerConfig {
    let mut roots = RootCertStore::empty();
    roots.add(root.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider.clone());
    let verifier = if asks.required {
        verifier
    } else {
        verifier.allow_unauthenticated()
    };
    let shown = Shown::issued(root, &params(&["a.example"]));
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(shown.key.serialize_der());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(asks.versions)
        .unwrap()
        .with_client_cert_verifier(verifier.build().unwrap())
        .with_single_cert(shown.chain, key.into())
        .unwrap();
    config.alpn_protocols = vec![asks.alpn.as_bytes().to_vec()];
    config
}

async fn serve(
    secured: TlsStream<TcpStream>,
    connection: usize,
    keeps: bool,
    log: Arc<Mutex<Vec<Arrived>>>,
) {
    let session = secured.get_ref().1;
    let shown = session.peer_certificates().and_then(<[_]>::first);
    let arrived = Arrived {
        path: String::new(),
        shown: shown.map(|der| der.to_vec()).unwrap_or_default(),
        connection,
        resumed: session.handshake_kind() == Some(HandshakeKind::Resumed),
    };
    let is_h2 = session.alpn_protocol() == Some(b"h2");
    let service = service_fn(move |request: http::Request<Incoming>| {
        let path = request.uri().path().to_owned();
        let mut response = http::Response::new(Empty::<Bytes>::new());
        if let ("/go", Some(to)) = (&*path, request.uri().query()) {
            *response.status_mut() = http::StatusCode::TEMPORARY_REDIRECT;
            response
                .headers_mut()
                .insert("location", to.parse().unwrap());
        }
        let arrived = arrived.clone();
        log.lock().unwrap().push(Arrived { path, ..arrived });
        async move {
            request.into_body().collect().await?;
            Ok::<_, hyper::Error>(response)
        }
    });
    let io = TokioIo::new(secured);
    if is_h2 {
        let builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
        drop(builder.serve_connection(io, service).await);
    } else {
        let mut builder = hyper::server::conn::http1::Builder::new();
        drop(
            builder
                .keep_alive(keeps)
                .serve_connection(io, service)
                .await,
        );
    }
}

/// Reads the remaining input, so that it is not answered with a reset: servers do so that want
/// their alert to arrive.
async fn linger(mut stream: TcpStream) {
    drop(stream.shutdown().await);
    drop(stream.read_to_end(&mut Vec::new()).await);
}
