//! A server of an axum router over TCP or TLS, for hostile networks, until it is asked to stop.
//!
//! hyper and hyper-util implement the protocols and their limits. This module decides how long a
//! client may take and how much it may hold ([`ServeLimits`]), and how many descriptors there are
//! for it ([`Descriptors`]). Each request is a line in the log, at `info` under the target
//! `request`.

mod activity;
mod ahead;
mod callers;
mod connection;
mod connections;
mod descriptors;
mod limits;
mod line;
mod neighbours;
mod open_request;
mod patience;
mod request_body;
mod requests;
mod response_body;
mod turns;
mod wire;

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::server::graceful::GracefulShutdown;
use rustls::ServerConfig;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use connection::Server;
use connections::Connections;
pub use descriptors::{Descriptors, TooFew};
pub use limits::ServeLimits;

/// How long open requests may continue after the stop.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long the server pauses when the system refuses to accept.
const PAUSE: Duration = Duration::from_millis(50);

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
/// [`ConnectInfo`](axum::extract::ConnectInfo).
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
    let limits = Arc::new(limits);
    let connections = Connections::new(limits.clone());
    let server = Server::new(limits, tls.map(TlsAcceptor::from), router);
    let graceful = Arc::new(GracefulShutdown::new());
    let mut accepting = JoinSet::new();
    // A worker's task takes turns with the requests; the caller's thread may be another one, and in
    // a flood of connections it would take a processor from all of them.
    accepting.spawn(accept(listener, connections, server, graceful.clone()));
    tokio::select! {
        () = stop => accepting.shutdown().await,
        Some(Err(panic)) = accepting.join_next() => return Err(io::Error::other(panic)),
    }
    if let Some(graceful) = Arc::into_inner(graceful) {
        let _ = tokio::time::timeout(PATIENCE, graceful.shutdown()).await;
    }
    Ok(())
}

async fn accept(
    listener: TcpListener,
    connections: Connections,
    server: Server,
    graceful: Arc<GracefulShutdown>,
) {
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            // No descriptor is free, or the client disconnected: the next connection may succeed.
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        // Without a permit it is closed immediately: the others are still served.
        if let Some(place) = connections.admit(peer.ip().into()) {
            tokio::spawn(server.connection(stream, peer, place, graceful.watcher()));
        }
        // The new connection reads its request before later ones can replace it.
        tokio::task::yield_now().await;
    }
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
