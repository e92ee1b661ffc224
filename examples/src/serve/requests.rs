//! The handling of each request of a connection.

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
use tower_service::Service as _;

use super::activity::Activity;
use super::line::Line;
use super::open_request::OpenRequest;
use super::patience::Patience;
use super::request_body::TimedBody;
use super::response_body::PacedBody;
use super::turns::Lane;

const LATE: &str = r#"{"err":"The body of the request did not arrive in time"}"#;
const BUSY: &str = r#"{"err":"Too many requests from this address wait"}"#;

/// A service that hands each request to the router, with the peer's address as [`ConnectInfo`].
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
        let router = self.router.clone();
        let line = Line::of(&request, self.peer.ip());
        Box::pin(async move {
            let response = match respond(router, request, &mut open).await {
                Ok(response) => response,
                Err(NoResponse::Late) => refusal(StatusCode::REQUEST_TIMEOUT, LATE, version),
                Err(NoResponse::Busy) => refusal(StatusCode::SERVICE_UNAVAILABLE, BUSY, version),
            };
            Ok(answer(response, open, line))
        })
    }
}

enum NoResponse {
    Late,
    Busy,
}

/// Waits for the client's bytes, then for a turn, and then calls the router.
async fn respond(
    mut router: Router,
    request: Request<Incoming>,
    open: &mut OpenRequest,
) -> Result<Response<Body>, NoResponse> {
    let (head, body) = request.into_parts();
    let credential = open.neighbours().callers.credential(&head.headers);
    open.is_of(open.neighbours().callers.caller(credential));
    let ahead = open.read_ahead(body).await.ok_or(NoResponse::Late)?;
    let lane = Lane {
        caller: open.neighbours().callers.caller(credential),
        credential,
        whole: ahead.is_whole(),
    };
    let turn = open.turn(lane).await;
    let patience = Patience::new(turn.ok_or(NoResponse::Busy)?, open.limits());
    let (body, is_late) = TimedBody::new(ahead.into_parts(), open.until(), patience);
    let request = Request::from_parts(head, Body::new(body));
    let response = match router.call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    };
    open.is_of(open.neighbours().callers.learn(credential, &response));
    // The handler's response does not count if the body broke off.
    match is_late.load(Ordering::Relaxed) {
        true => Err(NoResponse::Late),
        false => Ok(response),
    }
}

fn answer(response: Response<Body>, open: OpenRequest, line: Option<Line>) -> Response<PacedBody> {
    if let Some(line) = line {
        line.end(&response);
    }
    response.map(|body| PacedBody::new(body, open))
}

/// Returns a response that ends the connection, as the rest of the request is unknown.
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
