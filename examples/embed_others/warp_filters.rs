//! warp: its filters are a service, and the guard is a layer around it.

use std::io;

use axum::http::Request;
use gatepost_keys::{AuthLayer, Principal};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tower_layer::Layer;
use warp::Filter;

pub(crate) async fn serve(listener: TcpListener, guard: AuthLayer) -> io::Result<()> {
    let whoami = warp::path("whoami")
        .and(warp::ext::get::<Principal>())
        .map(|caller: Principal| format!("user {}", caller.owner));
    let guarded = TowerToHyperService::new(guard.layer(warp::service(whoami)));
    loop {
        let (stream, peer) = listener.accept().await?;
        let guarded = guarded.clone();
        let service = service_fn(move |mut request: Request<Incoming>| {
            // The guard reads the client's address from this extension.
            request.extensions_mut().insert(peer);
            guarded.call(request)
        });
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        tokio::spawn(connection);
    }
}
