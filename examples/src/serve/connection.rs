//! One connection, from the handshake to its end.

use std::convert::Infallible;
use std::future::pending;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::header::{CONNECTION, CONTENT_TYPE};
use axum::http::{Request, Response, StatusCode};
use axum::response::IntoResponse;
use hyper::body::{Body as _, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::Watcher;
use tokio::io::join;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::either::Either;
use tokio_util::io::InspectReader;
use tower_service::Service as _;

use super::activity::{Activity, OpenRequest};
use super::body::Held;
use super::limits::ServeLimits;

/// The longest head over HTTP/1 with what was read beyond it, and as much of a response as waits in
/// memory for a client to read.
const BUFFER: usize = 128 * 1024;
/// Requests at a time on one HTTP/2 connection, and the longest head of one.
const STREAMS: u32 = 64;
const HEAD: u32 = 64 * 1024;
/// How often a silent HTTP/2 client is asked whether it is still there. It has as long to answer.
const PING: Duration = Duration::from_secs(20);

const LATE: &str = r#"{"err":"The body of the request did not arrive in time"}"#;

/// What all connections share.
#[derive(Clone)]
pub(super) struct Server {
    pub limits: Arc<ServeLimits>,
    pub acceptor: Option<TlsAcceptor>,
    pub router: Router,
}

impl Server {
    /// Serves one connection until it ends.
    pub(super) async fn connection(
        self,
        stream: TcpStream,
        peer: SocketAddr,
        activity: Arc<Activity>,
        watcher: Watcher,
    ) {
        // Small responses must not wait for an acknowledgement.
        let _ = stream.set_nodelay(true);
        let (read, write) = stream.into_split();
        let heard = activity.clone();
        let stream = join(InspectReader::new(read, move |_| heard.heard()), write);
        let stream = match &self.acceptor {
            None => Either::Left(stream),
            Some(acceptor) => match acceptor.accept(stream).await {
                Ok(secured) => Either::Right(secured),
                Err(_) => return,
            },
        };
        let service = service_fn(move |request: Request<Incoming>| {
            let open = OpenRequest::new(activity.clone(), request.version());
            self.clone().respond(request, peer, open)
        });
        let http = http();
        let connection = http.serve_connection(TokioIo::new(stream), service);
        // A client that breaks off is no event for a server.
        let _ = watcher.watch(connection).await;
    }

    /// Hands a request to the router, with the peer's address as [`ConnectInfo`].
    async fn respond(
        mut self,
        request: Request<Incoming>,
        peer: SocketAddr,
        open: OpenRequest,
    ) -> Result<Response<Held<Body, OpenRequest>>, Infallible> {
        let has_body = !request.body().is_end_stream();
        let (reading, gone) = oneshot::channel::<()>();
        let mut request = request.map(|body| Body::new(Held::new(body, reading)));
        request.extensions_mut().insert(ConnectInfo(peer));
        let late = async {
            if !has_body || timeout(self.limits.body, gone).await.is_ok() {
                pending::<()>().await;
            }
        };
        let response = tokio::select! {
            response = self.router.call(request) => response?,
            () = late => too_late(),
        };
        open.answered();
        Ok(response.map(|body| Held::new(body, open)))
    }
}

/// It ends the connection, of which nobody knows what is still to come. Over HTTP/2, which has no
/// such header, hyper leaves it out.
fn too_late() -> Response<Body> {
    let headers = [(CONTENT_TYPE, "application/json"), (CONNECTION, "close")];
    (StatusCode::REQUEST_TIMEOUT, headers, LATE).into_response()
}

fn http() -> Builder<TokioExecutor> {
    let mut http = Builder::new(TokioExecutor::new());
    // `Activity` has the times.
    http.http1().header_read_timeout(None).max_buf_size(BUFFER);
    http.http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(HEAD)
        .max_send_buf_size(BUFFER)
        .keep_alive_interval(PING)
        .keep_alive_timeout(PING);
    http
}
