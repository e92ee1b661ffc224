//! A tower layer that lets authenticated requests through, with their [`Principal`] in the
//! extensions of the request and of its response.

mod address;
mod platform_login;

use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

pub use address::{ForwardedHeader, TrustedProxies};
use http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{Extensions, HeaderMap, HeaderValue, Request, Response};
pub use platform_login::{PlatformAnswer, PlatformLogin, Presented};
use tower_layer::Layer;
use tower_service::Service;

use crate::denied::Denied;
use crate::principal::Principal;
use crate::service::KeyService;

type Peer = Arc<dyn Fn(&Extensions) -> Option<IpAddr> + Send + Sync>;

/// Guards a service. A request without a good credential gets its response here: 401 with
/// `WWW-Authenticate: Bearer` (RFC 6750 §3), 403 for an address that the key refuses, `{"err":
/// "…"}` as the body.
///
/// The [`Principal`] is in the extensions of the request, for what is guarded, and of the response,
/// for a platform's log of who asked for what.
///
/// The client's address is the peer's, unless [`trusted_proxies`](Self::trusted_proxies) says which
/// forwarding headers count.
#[derive(Clone)]
pub struct AuthLayer {
    keys: KeyService,
    peer: Peer,
    proxies: TrustedProxies,
    platform: Option<Arc<dyn PlatformLogin>>,
}

impl AuthLayer {
    /// Guards by API key. `peer` finds the address of the connection among a request's extensions;
    /// with axum: `|ext| ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())`.
    pub fn new(
        keys: KeyService,
        peer: impl Fn(&Extensions) -> Option<IpAddr> + Send + Sync + 'static,
    ) -> Self {
        Self {
            keys,
            peer: Arc::new(peer),
            proxies: TrustedProxies::none(),
            platform: None,
        }
    }

    /// Believes forwarding headers that these proxies set; none by default.
    #[must_use]
    pub fn trusted_proxies(mut self, proxies: TrustedProxies) -> Self {
        self.proxies = proxies;
        self
    }

    /// Lets the platform's own logins in, too: passwords, sessions. Their failures are counted by
    /// [`KeyService::guesses`], and a password over the limit is not checked.
    #[must_use]
    pub fn platform_login(mut self, login: Arc<dyn PlatformLogin>) -> Self {
        self.platform = Some(login);
        self
    }

    async fn authenticate(
        &self,
        headers: &HeaderMap,
        peer: Option<IpAddr>,
    ) -> Result<Principal, Denied> {
        let Some(peer) = peer else {
            tracing::error!(
                "the peer address of a request is not known: is the server set up to tell it?"
            );
            return Err(Denied::Misconfigured);
        };
        let Some(addr) = self.proxies.client(peer, headers) else {
            tracing::debug!(%peer, "a trusted proxy sent a forwarding header that cannot be read");
            return Err(Denied::Unauthenticated);
        };
        if let Some(login) = &self.platform {
            let guesses = self.keys.guesses();
            if let Some(outcome) = platform_login::ask(login.as_ref(), guesses, headers, addr).await
            {
                return outcome;
            }
        }
        self.keys
            .authenticate(
                headers
                    .get_all(AUTHORIZATION)
                    .iter()
                    .map(HeaderValue::as_bytes),
                addr,
            )
            .await
    }
}

impl fmt::Debug for AuthLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthLayer")
            .field("proxies", &self.proxies)
            .field("platform_login", &self.platform.is_some())
            .finish_non_exhaustive()
    }
}

impl<S> Layer<S> for AuthLayer {
    type Service = AuthService<S>;

    fn layer(&self, inner: S) -> AuthService<S> {
        AuthService {
            inner,
            auth: self.clone(),
        }
    }
}

/// The guarded service.
#[derive(Clone, Debug)]
pub struct AuthService<S> {
    inner: S,
    auth: AuthLayer,
}

impl<S, ReqBody, ResBody> Service<Request<ReqBody>> for AuthService<S>
where
    S: Service<Request<ReqBody>, Response = Response<ResBody>> + Clone + Send + 'static,
    S::Future: Send,
    ReqBody: Send + 'static,
    ResBody: From<&'static str>,
{
    type Response = Response<ResBody>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<ReqBody>) -> Self::Future {
        // The service that was polled ready is the one to call; its clone takes its place.
        let clone = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, clone);
        let auth = self.auth.clone();
        Box::pin(async move {
            let peer = (auth.peer)(request.extensions());
            match auth.authenticate(request.headers(), peer).await {
                Ok(principal) => {
                    request.extensions_mut().insert(principal.clone());
                    let mut response = inner.call(request).await?;
                    response.extensions_mut().insert(principal);
                    Ok(response)
                }
                Err(denied) => Ok(refuse(denied)),
            }
        })
    }
}

fn refuse<B: From<&'static str>>(denied: Denied) -> Response<B> {
    let mut response = Response::new(B::from(denied.body()));
    *response.status_mut() = denied.status();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    match denied {
        Denied::Unauthenticated => {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        Denied::TooManyFailures(retry) => {
            headers.insert(RETRY_AFTER, retry.seconds().into());
        }
        Denied::Unavailable => {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        _ => {}
    }
    response
}
