//! A server of an axum router over TCP or TLS, for hostile networks, until it is asked to stop.
//!
//! hyper-util implements the protocols, tower-http limits the length of bodies. This module limits
//! how long a client may take and how many connections it may hold ([`ServeLimits`]). It does not
//! know users: the platform limits what each of them has under way.

mod connection;
mod connections;
mod limits;
mod respond;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::io::{InspectReader, InspectWriter};
use tower_http::limit::RequestBodyLimitLayer;

use connection::Connection;
use connections::Connections;
pub use limits::ServeLimits;
use respond::respond;

/// How long open requests may continue after the stop.
const PATIENCE: Duration = Duration::from_secs(10);
/// Connections that are accepted before requests are worked on again.
const BATCH: usize = 4;
/// How long the server pauses when the system refuses to accept.
const PAUSE: Duration = Duration::from_millis(50);
/// The longest head of a request, in bytes; over HTTP/1 with the bytes that were read beyond it.
const HEAD: usize = 128 * 1024;
/// Concurrent requests on one HTTP/2 connection.
const STREAMS: u32 = 64;
/// The bytes of a response that wait in memory for an HTTP/2 client to read.
const SEND_BUFFER: usize = 64 * 1024;
/// The longest body of a request, in bytes: more than any route takes.
const BODY: usize = 16 * 1024 * 1024;

/// Serves within the default limits until `stop` is ready; see [`serve_within`].
///
/// # Errors
/// If the loop that accepts connections panicked. A listener that fails is tried again.
pub async fn serve(
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    router: Router,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    serve_within(ServeLimits::default(), listener, tls, router, stop).await
}

/// Serves until `stop` is ready; then open requests are finished, for at most 10 seconds, and the
/// listener is closed. Each request carries the peer's address as
/// [`ConnectInfo`].
///
/// # Errors
/// If the loop that accepts connections panicked. A listener that fails is tried again.
pub async fn serve_within(
    limits: ServeLimits,
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    router: Router,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let server = Server {
        http: http(),
        limits: Arc::new(limits),
        acceptor: tls.map(TlsAcceptor::from),
        router: router.layer(RequestBodyLimitLayer::new(BODY)),
    };
    let graceful = Arc::new(GracefulShutdown::new());
    let mut accepting = JoinSet::new();
    // A worker's task takes turns with the requests; the caller's thread may be another one, and in
    // a flood of connections it would take a processor from all of them.
    accepting.spawn(server.accept(listener, graceful.clone()));
    tokio::select! {
        () = stop => accepting.shutdown().await,
        Some(Err(panic)) = accepting.join_next() => return Err(io::Error::other(panic)),
    }
    if let Some(graceful) = Arc::into_inner(graceful) {
        let _ = timeout(PATIENCE, graceful.shutdown()).await;
    }
    Ok(())
}

/// The state that all connections share.
#[derive(Clone)]
struct Server {
    http: Builder<TokioExecutor>,
    limits: Arc<ServeLimits>,
    acceptor: Option<TlsAcceptor>,
    router: Router,
}

impl Server {
    async fn accept(self, listener: TcpListener, graceful: Arc<GracefulShutdown>) {
        let connections = Connections::default();
        // A new connection reads its request before so many later ones that they could replace it.
        let batch = BATCH.min(self.limits.connections_per_network.div_ceil(2));
        for accepted in 1_usize.. {
            let Ok((stream, peer)) = listener.accept().await else {
                // No descriptor is free, or the client disconnected: the next one may succeed.
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            // Without a permit it is closed immediately: the others are still served.
            if let Some(place) = connections.admit(peer.ip().into(), &self.limits) {
                let (server, watcher) = (self.clone(), graceful.watcher());
                tokio::spawn(async move {
                    let open = &place.connection;
                    tokio::select! {
                        () = open.over(&server.limits) => {}
                        () = server.connection(stream, peer, open.clone(), watcher) => {}
                    }
                });
            }
            if accepted.is_multiple_of(batch) {
                tokio::task::yield_now().await;
            }
        }
    }

    async fn connection(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        open: Arc<Connection>,
        watcher: Watcher,
    ) {
        // Small responses must not wait for an acknowledgement.
        let _ = stream.set_nodelay(true);
        let (reads, writes) = (open.clone(), open.clone());
        let stream = InspectReader::new(stream, move |_: &[u8]| reads.received());
        let stream = InspectWriter::new(stream, move |_: &[u8]| writes.sent());
        let Some(acceptor) = &self.acceptor else {
            return self.speak(stream, peer, open, watcher).await;
        };
        if let Ok(Ok(stream)) = timeout(self.limits.handshake, acceptor.accept(stream)).await {
            self.speak(stream, peer, open, watcher).await;
        }
    }

    async fn speak<S>(&self, stream: S, peer: SocketAddr, open: Arc<Connection>, watcher: Watcher)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (router, within) = (self.router.clone(), self.limits.body);
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            respond(router.clone(), request, open.clone(), within)
        });
        let connection = self.http.serve_connection(TokioIo::new(stream), service);
        // A client that disconnects is not an error of the server.
        let _ = watcher.watch(connection.into_owned()).await;
    }
}

fn http() -> Builder<TokioExecutor> {
    let mut http = Builder::new(TokioExecutor::new());
    http.http1()
        .timer(TokioTimer::new())
        // It would end idle connections, too; `Connection` distinguishes them.
        .header_read_timeout(None)
        .max_buf_size(HEAD);
    // hyper bounds the streams that a client resets immediately (CVE-2023-44487).
    http.http2()
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(u32::try_from(HEAD / 2).unwrap_or(u32::MAX))
        .max_send_buf_size(SEND_BUFFER);
    http
}

/// Returns a future that is ready on Ctrl-C or SIGTERM. From this call on, these signals do not end
/// the process.
///
/// # Errors
/// If the signals cannot be listened to.
pub fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
