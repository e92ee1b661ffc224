//! The common middleware before all routes. It is one service, since each layer of a router, and
//! each `Next` of axum's middleware, costs a request some allocations and copies.

use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::extract::{DefaultBodyLimit, Request};
use axum::response::{IntoResponse as _, Response};
use axum::routing::Route;
use gatepost_keys::AuthLayer;
use http_body::Body as _;
use tower_layer::Layer;
use tower_service::Service;

use super::observe::Observer;
use super::{headers, other_sites};
use crate::state::Shared;

#[derive(Clone, Debug)]
pub(super) struct Front(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    observer: Observer,
    guard: AuthLayer,
    /// The maximum size of request bodies in bytes.
    body: usize,
}

impl Front {
    pub(super) fn new(shared: &Shared, guard: AuthLayer) -> Self {
        Self(Arc::new(Parts {
            observer: Observer::new(Arc::clone(&shared.tables)),
            guard: guard.any_grant(),
            body: shared.limits.body,
        }))
    }
}

impl Layer<Route> for Front {
    type Service = Guarded;

    fn layer(&self, route: Route) -> Guarded {
        Guarded {
            front: Arc::clone(&self.0),
            route,
        }
    }
}

/// A route behind the middleware.
#[derive(Clone, Debug)]
pub(super) struct Guarded {
    front: Arc<Parts>,
    route: Route,
}

impl Service<Request> for Guarded {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    /// A route is always ready.
    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let Self { front, route } = self.clone();
        Box::pin(async move { Ok(pass(&front, request, route).await) })
    }
}

/// Observes a request, authenticates its caller, and adds the common headers to the response.
async fn pass(front: &Parts, request: Request, route: Route) -> Response {
    let asked = front.observer.asked(&request);
    // It is large: passing it by value copies it.
    let response = pin!(admitted(front, request, route));
    headers::private(asked.observe(response).await)
}

async fn admitted(front: &Parts, request: Request, mut route: Route) -> Response {
    let (mut parts, body) = request.into_parts();
    let caller = match front.guard.admit(&parts).await {
        Ok(caller) => caller,
        Err(refused) => return refused.into(),
    };
    parts.extensions.insert(caller.clone());
    let mut request = Request::from_parts(parts, body);
    if !request.body().is_end_stream() {
        DefaultBodyLimit::max(front.body).apply(&mut request);
    }
    let mut response = match other_sites::change_nothing(&request) {
        Ok(()) => match route.call(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        },
        Err(refused) => refused.into_response(),
    };
    if let Some(rate) = &caller.rate {
        rate.set_headers(response.headers_mut());
    }
    response.extensions_mut().insert(caller);
    response
}
