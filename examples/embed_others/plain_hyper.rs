//! hyper and nothing above it: a function asks the guard.

use std::convert::Infallible;
use std::io;

use axum::http::{Request, Response};
use gatepost_keys::AuthLayer;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

pub(crate) async fn serve(listener: TcpListener, guard: AuthLayer) -> io::Result<()> {
    loop {
        let (stream, peer) = listener.accept().await?;
        let guard = guard.clone();
        let service = service_fn(move |mut request: Request<Incoming>| {
            // The guard reads the client's address from this extension.
            request.extensions_mut().insert(peer);
            let guard = guard.clone();
            async move { Ok::<_, Infallible>(respond(&guard, request).await) }
        });
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        tokio::spawn(connection);
    }
}

async fn respond(guard: &AuthLayer, request: Request<Incoming>) -> Response<String> {
    let (parts, _body) = request.into_parts();
    match guard.admit(&parts).await {
        Ok(caller) => {
            let mut response = Response::new(format!("user {}", caller.owner));
            if let Some(rate) = &caller.rate {
                rate.set_headers(response.headers_mut());
            }
            response
        }
        Err(refused) => refused.into(),
    }
}
