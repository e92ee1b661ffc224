//! A tower layer that authenticates requests, and puts their [`Principal`] into the extensions of
//! the request and of its response.

mod address;
mod other_scheme;
mod platform_login;
mod refusal;
mod requirements;

use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Once};
use std::task::{Context, Poll};

pub use address::{ForwardedHeader, TrustedProxies};
use apikey_core::ScopeName;
use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{Extensions, HeaderMap, HeaderValue, Request, Response};
pub use platform_login::{PlatformAnswer, PlatformLogin, Presented};
pub use refusal::Refused;
use tower_layer::Layer;
use tower_service::Service;

use self::requirements::Needs;
use crate::denial::Denied;
use crate::principal::Principal;
use crate::service::KeyService;

type Peer = Arc<dyn Fn(&Extensions) -> Option<IpAddr> + Send + Sync>;

/// A guard for a service. It answers requests without a valid credential: 401 with
/// `WWW-Authenticate: Bearer` (RFC 6750 §3), 403 for an address that the key refuses, with `{"err":
/// "…"}` as the body.
///
/// The [`Principal`] is in the extensions of the request, for the guarded service, and of the
/// response, for the platform's access log.
///
/// If requests are limited, each response to a key has `RateLimit-Policy` and `RateLimit`
/// (draft-ietf-httpapi-ratelimit-headers-09), and a request over the limit gets 429 with
/// `Retry-After`.
///
/// A narrowed key is refused with 403 and a message: a read-only key for any method that is not
/// safe (RFC 9110 §9.2.1), and a key that names its tables or scopes for everything, unless
/// [`require_scope`](Self::require_scope) names a scope that it has. Routes that were written
/// without narrowed keys in mind are therefore closed to them.
///
/// The client's address is the peer's, unless [`trusted_proxies`](Self::trusted_proxies) names the
/// proxies whose forwarding headers count. If the peer is unknown, every request gets 500, and the
/// first one logs an error that names the function to call.
///
/// With [`optional`](Self::optional), requests without a key pass as well. A service that is not
/// built on tower calls [`admit`](Self::admit).
#[derive(Clone)]
pub struct AuthLayer {
    keys: KeyService,
    peer: Peer,
    proxies: TrustedProxies,
    platform: Option<Arc<dyn PlatformLogin>>,
    needs: Needs,
    optional: bool,
    /// Whether the missing peer address was logged.
    told: Arc<Once>,
}

impl AuthLayer {
    /// Creates a guard that checks API keys. `peer` returns the address of the connection from a
    /// request's extensions; with axum: `|ext| ext.get::<ConnectInfo<SocketAddr>>().map(|info|
    /// info.0.ip())`, for an app that is served with
    /// `into_make_service_with_connect_info::<SocketAddr>()`.
    pub fn new(
        keys: KeyService,
        peer: impl Fn(&Extensions) -> Option<IpAddr> + Send + Sync + 'static,
    ) -> Self {
        Self {
            keys,
            peer: Arc::new(peer),
            proxies: TrustedProxies::none(),
            platform: None,
            needs: Needs::default(),
            optional: false,
            told: Arc::new(Once::new()),
        }
    }

    /// Trusts the forwarding headers of these proxies; none by default.
    #[must_use]
    pub fn trusted_proxies(mut self, proxies: TrustedProxies) -> Self {
        self.proxies = proxies;
        self
    }

    /// Requires this scope of a key: keys that have the scope, or that name nothing, pass. Others
    /// get 403, with the scope in the message and in `WWW-Authenticate` (RFC 6750 §3.1).
    #[must_use]
    pub fn require_scope(mut self, scope: ScopeName) -> Self {
        self.needs.scope = Some(scope);
        self
    }

    /// Lets narrowed keys pass, for a service that itself checks [`Principal::grant`], as
    /// `gatepost-http` does. A required scope is still checked.
    #[must_use]
    pub fn any_grant(mut self) -> Self {
        self.needs.judged_within = true;
        self
    }

    /// Accepts the platform's own logins as well: passwords, sessions. [`KeyService::guesses`]
    /// counts their failures, and a password over the limit is not checked.
    #[must_use]
    pub fn platform_login(mut self, login: Arc<dyn PlatformLogin>) -> Self {
        self.platform = Some(login);
        self
    }

    /// Lets requests without a key pass as well, without a [`Principal`]: for routes that anybody
    /// may call, or whose handlers accept other logins. A wrong key is still refused, and only keys
    /// need a required scope.
    ///
    /// A request has no key if it has no `Authorization` field, or only credentials of another
    /// scheme than `Bearer`, and if [`platform_login`](Self::platform_login) recognizes nothing in
    /// it.
    ///
    /// The setting applies to the layer and to [`admit_optional`](Self::admit_optional).
    /// [`admit`](Self::admit), and so the REST API of `gatepost-http`, always requires a caller.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.optional = true;
        self
    }

    /// Authenticates a request as the layer does, for a service that is not built on tower: the
    /// platform's own login, the key, its address, its grant. If the request passes, put
    /// [`Principal::rate`] into the response with
    /// [`RateState::set_headers`](crate::RateState::set_headers).
    ///
    /// ```
    /// # use gatepost_keys::AuthLayer;
    /// use http::{Request, Response};
    ///
    /// async fn serve<B>(guard: &AuthLayer, request: Request<B>) -> Response<String> {
    ///     let (parts, _body) = request.into_parts();
    ///     match guard.admit(&parts).await {
    ///         Ok(caller) => Response::new(format!("user {}", caller.owner)),
    ///         Err(refused) => refused.into(),
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Refused`], which converts into the response.
    pub async fn admit(&self, request: &Parts) -> Result<Principal, Refused> {
        match self.judge(request, false).await? {
            Some(principal) => Ok(principal),
            None => Err(Denied::Unauthenticated.into()),
        }
    }

    /// Authenticates a request as [`admit`](Self::admit) does. Returns `None` if it has no key and
    /// the guard is [`optional`](Self::optional).
    ///
    /// # Errors
    /// [`Refused`], which converts into the response.
    pub async fn admit_optional(&self, request: &Parts) -> Result<Option<Principal>, Refused> {
        self.judge(request, self.optional).await
    }

    /// Returns `None` only if `optional` is set.
    async fn judge(&self, request: &Parts, optional: bool) -> Result<Option<Principal>, Refused> {
        let peer = (self.peer)(&request.extensions);
        let known = self.authenticate(&request.headers, peer, optional).await?;
        let Some(principal) = known else {
            return Ok(None);
        };
        match self.needs.check(&principal.grant, &request.method) {
            Ok(()) => Ok(Some(principal)),
            Err(why) => {
                metrics::counter!("gatepost_not_granted_total").increment(1);
                let principal = Box::new(principal);
                Err(Refused::NotGranted { principal, why })
            }
        }
    }

    async fn authenticate(
        &self,
        headers: &HeaderMap,
        peer: Option<IpAddr>,
        optional: bool,
    ) -> Result<Option<Principal>, Denied> {
        let Some(peer) = peer else {
            self.told.call_once(|| {
                tracing::error!(
                    "a request carries no address of its peer, so all are answered with 500: serve \
                     an axum app with `into_make_service_with_connect_info::<SocketAddr>()`, not \
                     with `axum::serve(listener, app)`; elsewhere put the address into the \
                     extensions in which the closure given to `AuthLayer::new` looks for it"
                );
            });
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
                return outcome.map(|principal| Some(principal.with_address(addr)));
            }
        }
        if optional && other_scheme::brings_no_key(headers) {
            return Ok(None);
        }
        let presented = headers.get_all(AUTHORIZATION);
        let presented = presented.iter().map(HeaderValue::as_bytes);
        let authenticated = self.keys.authenticate(presented, addr).await;
        authenticated.map(|principal| Some(principal.with_address(addr)))
    }
}

impl fmt::Debug for AuthLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthLayer")
            .field("proxies", &self.proxies)
            .field("platform_login", &self.platform.is_some())
            .field("needs", &self.needs)
            .field("optional", &self.optional)
            .finish_non_exhaustive()
    }
}

impl<S> Layer<S> for AuthLayer {
    type Service = AuthService<S>;

    fn layer(&self, inner: S) -> AuthService<S> {
        AuthService {
            inner,
            auth: Arc::new(self.clone()),
        }
    }
}

/// The guarded service.
#[derive(Clone, Debug)]
pub struct AuthService<S> {
    inner: S,
    auth: Arc<AuthLayer>,
}

impl<S, ReqBody, ResBody> Service<Request<ReqBody>> for AuthService<S>
where
    S: Service<Request<ReqBody>, Response = Response<ResBody>> + Clone + Send + 'static,
    S::Future: Send,
    ReqBody: Send + 'static,
    ResBody: From<String>,
{
    type Response = Response<ResBody>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<ReqBody>) -> Self::Future {
        // The service that was polled ready must be called; its clone replaces it.
        let clone = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, clone);
        let auth = Arc::clone(&self.auth);
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            let principal = match auth.admit_optional(&parts).await {
                Ok(Some(principal)) => principal,
                Ok(None) => return inner.call(Request::from_parts(parts, body)).await,
                Err(refused) => return Ok(refused.into()),
            };
            parts.extensions.insert(principal.clone());
            let mut response = inner.call(Request::from_parts(parts, body)).await?;
            if let Some(rate) = &principal.rate {
                rate.set_headers(response.headers_mut());
            }
            response.extensions_mut().insert(principal);
            Ok(response)
        })
    }
}
