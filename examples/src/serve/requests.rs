//! What is done with each request of a connection.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderValue, Request, Response, StatusCode, Version, header};
use hyper::body::Incoming;
use hyper::service::Service;
use tokio::time::Instant;
use tower_service::Service as _;

use super::activity::{Activity, OpenRequest};
use super::bodies::{PacedBody, TimedBody};
use super::line::Line;

const LATE: &str = r#"{"err":"The body of the request did not arrive in time"}"#;
const BUSY: &str = r#"{"err":"Too many requests from this address wait"}"#;

/// Hands each request to the router, with the peer's address as [`ConnectInfo`].
#[derive(Clone, Debug)]
pub(super) struct Requests {
    pub router: Router,
    pub peer: SocketAddr,
    pub activity: Arc<Activity>,
}

impl Service<Request<Incoming>> for Requests {
    type Response = Response<PacedBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        let version = request.version();
        let mut open = OpenRequest::new(&self.activity, version == Version::HTTP_2);
        request.extensions_mut().insert(ConnectInfo(self.peer));
        let mut router = self.router.clone();
        let line = Line::of(&request, self.peer.ip());
        Box::pin(async move {
            if !open.turn().await {
                let busy = refusal(StatusCode::SERVICE_UNAVAILABLE, BUSY, version);
                return Ok(answer(busy, open, line));
            }
            let until = Instant::now() + open.body_limit();
            let (head, body) = request.into_parts();
            let (body, is_late) = TimedBody::new(body, until);
            let mut response = router
                .call(Request::from_parts(head, Body::new(body)))
                .await?;
            if is_late.load(Ordering::Relaxed) {
                // Whatever the handler made of a body that broke off.
                response = refusal(StatusCode::REQUEST_TIMEOUT, LATE, version);
            }
            Ok(answer(response, open, line))
        })
    }
}

fn answer(response: Response<Body>, open: OpenRequest, line: Option<Line>) -> Response<PacedBody> {
    if let Some(line) = line {
        line.end(&response);
    }
    response.map(|body| PacedBody::new(body, open))
}

/// It ends the connection, of which nobody knows what is still to come.
fn refusal(status: StatusCode, text: &'static str, version: Version) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let json = HeaderValue::from_static("application/json");
    headers.insert(header::CONTENT_TYPE, json);
    // HTTP/2 has no such header.
    if version != Version::HTTP_2 {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
