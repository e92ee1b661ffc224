//! Serves an axum router over TCP or TLS until it is asked to stop.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use rustls::ServerConfig;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// How long a TLS handshake may take, and how long open requests may go on after the stop.
const PATIENCE: Duration = Duration::from_secs(10);

/// Serves until `stop` is ready; then open requests are finished and the listener is closed. Each
/// request carries the peer's address as [`ConnectInfo`].
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    router: Router,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let acceptor = tls.map(TlsAcceptor::from);
    let graceful = GracefulShutdown::new();
    tokio::pin!(stop);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                // Out of descriptors, or a client that left: the next one may do better.
                Err(_) => { tokio::time::sleep(Duration::from_millis(50)).await; continue }
            },
            () = &mut stop => break,
        };
        // Small responses must not wait for an acknowledgement.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(with_peer(router.clone(), peer));
        let watcher = graceful.watcher();
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            let builder = Builder::new(TokioExecutor::new());
            // A client that breaks off is no event for a server.
            let _ = match acceptor {
                None => {
                    watcher
                        .watch(
                            builder
                                .serve_connection(TokioIo::new(stream), service)
                                .into_owned(),
                        )
                        .await
                }
                Some(acceptor) => {
                    match tokio::time::timeout(PATIENCE, acceptor.accept(stream)).await {
                        Ok(Ok(stream)) => {
                            watcher
                                .watch(
                                    builder
                                        .serve_connection(TokioIo::new(stream), service)
                                        .into_owned(),
                                )
                                .await
                        }
                        _ => Ok(()),
                    }
                }
            };
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(PATIENCE, graceful.shutdown()).await;
    Ok(())
}

fn with_peer(router: Router, peer: SocketAddr) -> Router {
    router.layer(axum::Extension(ConnectInfo(peer)))
}

/// Ready on Ctrl-C or SIGTERM.
///
/// # Errors
/// When the signals cannot be listened to.
pub async fn stop_signal() -> io::Result<()> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = terminate.recv() => Ok(()),
    }
}
