//! A tower layer that lets authenticated requests through, with their [`Principal`] in the
//! extensions of the request and of its response.

mod address;
mod needs;
mod platform_login;

use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

pub use address::{ForwardedHeader, TrustedProxies};
use apikey_core::{NotGranted, ScopeName};
use http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{Extensions, HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode};
pub use platform_login::{PlatformAnswer, PlatformLogin, Presented};
use tower_layer::Layer;
use tower_service::Service;

use self::needs::Needs;
use crate::denied::Denied;
use crate::principal::Principal;
use crate::service::KeyService;
use crate::throttle::RateStanding;

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const RATE: HeaderName = HeaderName::from_static("ratelimit");

type Peer = Arc<dyn Fn(&Extensions) -> Option<IpAddr> + Send + Sync>;

/// Guards a service. A request without a good credential gets its response here: 401 with
/// `WWW-Authenticate: Bearer` (RFC 6750 §3), 403 for an address that the key refuses, `{"err":
/// "…"}` as the body.
///
/// The [`Principal`] is in the extensions of the request, for what is guarded, and of the response,
/// for a platform's log of who asked for what.
///
/// Where requests are limited, each response to a key says `RateLimit-Policy` and `RateLimit`
/// (draft-ietf-httpapi-ratelimit-headers-09), and one request too many gets 429 with `Retry-After`.
///
/// A key that is narrowed is refused with 403, in words: a read-only one any method that is not
/// safe (RFC 9110 §9.2.1), and one that names what it may use everything, unless
/// [`require_scope`](Self::require_scope) names a scope that it has. So routes that were written
/// before keys could be narrowed are open to none of them.
///
/// The client's address is the peer's, unless [`trusted_proxies`](Self::trusted_proxies) says which
/// forwarding headers count.
#[derive(Clone)]
pub struct AuthLayer {
    keys: KeyService,
    peer: Peer,
    proxies: TrustedProxies,
    platform: Option<Arc<dyn PlatformLogin>>,
    needs: Needs,
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
            needs: Needs::default(),
        }
    }

    /// Believes forwarding headers that these proxies set; none by default.
    #[must_use]
    pub fn trusted_proxies(mut self, proxies: TrustedProxies) -> Self {
        self.proxies = proxies;
        self
    }

    /// Guards routes for which a key must have this scope: a key that names it, or one that names
    /// nothing. Others get 403, with the scope in the text and in `WWW-Authenticate` (RFC 6750
    /// §3.1).
    #[must_use]
    pub fn require_scope(mut self, scope: ScopeName) -> Self {
        self.needs.scope = Some(scope);
        self
    }

    /// Lets narrowed keys through, for a service that asks [`Principal::grant`] by itself what they
    /// may do there, as `gatepost-http` does. A scope that is required still is.
    #[must_use]
    pub fn any_grant(mut self) -> Self {
        self.needs.judged_within = true;
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
                return outcome.map(|principal| principal.with_address(addr));
            }
        }
        let presented = headers.get_all(AUTHORIZATION);
        let presented = presented.iter().map(HeaderValue::as_bytes);
        let authenticated = self.keys.authenticate(presented, addr).await;
        authenticated.map(|principal| principal.with_address(addr))
    }
}

impl fmt::Debug for AuthLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthLayer")
            .field("proxies", &self.proxies)
            .field("platform_login", &self.platform.is_some())
            .field("needs", &self.needs)
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
    ResBody: From<String>,
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
                    let needed = auth.needs.check(&principal.grant, request.method());
                    let mut response = match needed {
                        Ok(()) => {
                            request.extensions_mut().insert(principal.clone());
                            inner.call(request).await?
                        }
                        Err(why) => refuse_grant(&why),
                    };
                    if let Some(rate) = &principal.rate {
                        rated(response.headers_mut(), rate);
                    }
                    response.extensions_mut().insert(principal);
                    Ok(response)
                }
                Err(denied) => Ok(refuse(denied)),
            }
        })
    }
}

/// A good key that may not do this.
fn refuse_grant<B: From<String>>(why: &NotGranted) -> Response<B> {
    metrics::counter!("gatepost_not_granted_total").increment(1);
    let mut response = refusal(StatusCode::FORBIDDEN, format!(r#"{{"err":"{why}"}}"#));
    let challenge = needs::challenge(why);
    response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    response
}

fn refuse<B: From<String>>(denied: Denied) -> Response<B> {
    let mut response = refusal(denied.status(), denied.body().to_owned());
    let headers = response.headers_mut();
    match denied {
        Denied::Unauthenticated => {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        Denied::TooManyFailures(retry) => {
            headers.insert(RETRY_AFTER, retry.seconds().into());
        }
        Denied::TooManyRequests(over) => {
            headers.insert(RETRY_AFTER, over.seconds().into());
            rated(headers, &over);
        }
        Denied::Unavailable => {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        _ => {}
    }
    response
}

/// Says how many requests there may be, and how many there were.
fn rated(headers: &mut HeaderMap, rate: &RateStanding) {
    let fields = [(POLICY, rate.policy()), (RATE, rate.field())];
    for (name, value) in fields {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    }
}

fn refusal<B: From<String>>(status: StatusCode, body: String) -> Response<B> {
    let mut response = Response::new(B::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
