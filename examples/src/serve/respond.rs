//! A request, until its response begins.

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::header::{CONNECTION, CONTENT_TYPE};
use axum::http::{Request, StatusCode, Version};
use axum::response::{IntoResponse as _, Response};
use http_body::Body as _;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tower_service::Service as _;

use super::connection::{Connection, OpenRequest};

const LATE: &str = r#"{"err":"The body of the request did not arrive in time"}"#;

/// Returns the router's response, or 408 if the body does not arrive within this time. The time is
/// for the whole body, so a slow trickle is late too; `RequestBodyTimeoutLayer` of tower-http times
/// each frame and lets it pass.
pub(super) async fn respond(
    mut router: Router,
    request: Request<Incoming>,
    connection: Arc<Connection>,
    within: Duration,
) -> Result<Response, Infallible> {
    let mut open = OpenRequest::new(connection, request.version() == Version::HTTP_2);
    if request.body().is_end_stream() {
        open.works();
        return router.call(request.map(Body::new)).await;
    }
    // Dropped with the body: when it has been read, or is not wanted.
    let (held, whole) = oneshot::channel::<Infallible>();
    let request = request.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _ = &held;
            frame
        }))
    });
    let late = async {
        if timeout(within, whole).await.is_ok() {
            open.works();
            pending::<()>().await;
        }
    };
    tokio::select! {
        response = router.call(request) => response,
        // The connection ends, because the rest of the body may still come.
        () = late => {
            let headers = [(CONNECTION, "close"), (CONTENT_TYPE, "application/json")];
            Ok((StatusCode::REQUEST_TIMEOUT, headers, LATE).into_response())
        }
    }
}
