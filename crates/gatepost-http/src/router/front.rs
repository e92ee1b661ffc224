//! The common middleware before all routes. It is one middleware, since each layer of a router
//! costs a request some allocations and copies.

use std::pin::pin;
use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use gatepost_keys::AuthLayer;

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

/// Observes a request, authenticates its caller, and adds the common headers to the response.
pub(super) async fn pass(
    State(Front(front)): State<Front>,
    request: Request,
    next: Next,
) -> Response {
    let asked = front.observer.asked(&request);
    // It is large: passing it by value copies it.
    let response = pin!(admitted(&front, request, next));
    headers::private(asked.observe(response).await)
}

async fn admitted(front: &Parts, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let caller = match front.guard.admit(&parts).await {
        Ok(caller) => caller,
        Err(refused) => return refused.into(),
    };
    parts.extensions.insert(caller.clone());
    let mut request = Request::from_parts(parts, body);
    DefaultBodyLimit::max(front.body).apply(&mut request);
    let mut response = match other_sites::change_nothing(&request) {
        Ok(()) => next.run(request).await,
        Err(refused) => refused.into_response(),
    };
    if let Some(rate) = &caller.rate {
        rate.set_headers(response.headers_mut());
    }
    response.extensions_mut().insert(caller);
    response
}
