//! One connection, from the handshake to its end.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::Watcher;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use super::activity::Activity;
use super::connections::Place;
use super::limits::ServeLimits;
use super::requests::Requests;
use super::wire::Wire;

/// The longest head of a request, in bytes; over HTTP/1 with the bytes that were read beyond it.
const HEAD: usize = 128 * 1024;
/// The bytes of a body that an HTTP/2 client may send before they are read.
const STREAM_WINDOW: u32 = 256 * 1024;
const CONNECTION_WINDOW: u32 = 1024 * 1024;
/// The bytes of a response that wait in memory for an HTTP/2 client to read.
const SEND_BUFFER: usize = 64 * 1024;
/// The number of streams that end the connection: those that a client resets before we have seen
/// them (CVE-2023-44487), and those that we reset for its errors.
const RESETS: usize = 20;
const OWN_RESETS: usize = 128;
const PONG: Duration = Duration::from_secs(10);

/// The state that all connections share.
#[derive(Clone)]
pub(super) struct Server {
    limits: Arc<ServeLimits>,
    acceptor: Option<TlsAcceptor>,
    router: Router,
    http: Builder<TokioExecutor>,
}

impl Server {
    pub(super) fn new(
        limits: Arc<ServeLimits>,
        acceptor: Option<TlsAcceptor>,
        router: Router,
    ) -> Self {
        Self {
            http: http(&limits),
            limits,
            acceptor,
            router,
        }
    }

    /// Serves one connection until it ends, takes too long, or ends in favour of another.
    pub(super) fn connection(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        place: Place,
        watcher: Watcher,
    ) -> impl Future<Output = ()> + Send + use<> {
        // Small responses must not wait for an acknowledgement.
        let _ = stream.set_nodelay(true);
        let activity = Activity::new(place, self.limits.clone());
        let wire = Wire::new(stream, activity.clone());
        let requests = Requests {
            router: self.router.clone(),
            peer,
            activity: activity.clone(),
        };
        let server = self.clone();
        async move {
            tokio::select! {
                () = activity.over() => {}
                () = server.converse(wire, requests, watcher) => {}
            }
        }
    }

    async fn converse(self, wire: Wire, requests: Requests, watcher: Watcher) {
        let Some(acceptor) = &self.acceptor else {
            return self.speak(wire, requests, watcher).await;
        };
        if let Ok(Ok(stream)) = timeout(self.limits.handshake, acceptor.accept(wire)).await {
            self.speak(stream, requests, watcher).await;
        }
    }

    async fn speak<S>(&self, stream: S, requests: Requests, watcher: Watcher)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let connection = self.http.serve_connection(TokioIo::new(stream), requests);
        // A client that disconnects is not an error of the server.
        let _ = watcher.watch(connection.into_owned()).await;
    }
}

fn http(limits: &ServeLimits) -> Builder<TokioExecutor> {
    let mut http = Builder::new(TokioExecutor::new());
    http.http1()
        .timer(TokioTimer::new())
        // It would end idle connections, too; `Activity` distinguishes them.
        .header_read_timeout(None)
        .max_buf_size(HEAD);
    http.http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.streams)
        .max_header_list_size(u32::try_from(HEAD / 2).unwrap_or(u32::MAX))
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_send_buf_size(SEND_BUFFER)
        .max_pending_accept_reset_streams(RESETS)
        .max_local_error_reset_streams(OWN_RESETS)
        .keep_alive_interval(limits.ping)
        .keep_alive_timeout(PONG);
    http
}
