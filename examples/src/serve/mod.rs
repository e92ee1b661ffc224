//! Serves an axum router over TCP or TLS until it is asked to stop, on a network that is not kind.
//!
//! hyper and hyper-util do the protocols and their limits. How long a client may take, and how many
//! connections there may be, is decided here ([`ServeLimits`]).

mod activity;
mod body;
mod connection;
mod connections;
mod limits;

use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use hyper_util::server::graceful::GracefulShutdown;
use rustls::ServerConfig;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use connection::Server;
use connections::Connections;
pub use limits::ServeLimits;

/// How long open requests may go on after the stop.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long nothing is accepted when the system refuses to.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves within the default limits until `stop` is ready; see [`serve_within`].
///
/// # Errors
/// When the loop that accepts connections panicked. A listener that fails is tried again.
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
/// When the loop that accepts connections panicked. A listener that fails is tried again.
pub async fn serve_within(
    limits: ServeLimits,
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    router: Router,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let limits = Arc::new(limits);
    let connections = Connections {
        limits: limits.clone(),
        open: Mutex::default(),
    };
    let server = Server {
        limits,
        acceptor: tls.map(TlsAcceptor::from),
        router,
    };
    let graceful = Arc::new(GracefulShutdown::new());
    let mut accepting = JoinSet::new();
    // A worker's task takes turns with the requests; the caller's thread may be one of its own, and
    // in a flood of connections it would take a processor from all of them.
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
            // Out of descriptors, or a client that left: the next one may do better.
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        // Without a place it is closed at once: the others are still served.
        if let Some(activity) = connections.admit(peer.ip()) {
            let (server, watcher) = (server.clone(), graceful.watcher());
            tokio::spawn(async move {
                tokio::select! {
                    () = activity.overdue() => {}
                    () = activity.evicted.notified() => {}
                    () = server.connection(stream, peer, activity.clone(), watcher) => {}
                }
            });
        }
        // It reads its request before the next ones can push it out.
        tokio::task::yield_now().await;
    }
}
