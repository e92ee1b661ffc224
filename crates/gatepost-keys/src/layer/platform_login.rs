//! The platform's own logins beside API keys: HTTP Basic, session tokens.

use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;

use http::HeaderMap;

use crate::ask::guarded;
use crate::denied::Denied;
use crate::principal::Principal;

/// What the platform says of a request's credentials.
#[derive(Debug)]
#[non_exhaustive]
pub enum PlatformAnswer {
    /// They are not of a kind that the platform knows: an API key is looked for.
    NotMine,
    /// They are good.
    Granted(Box<Principal>),
    /// They are of the platform's kind, and not good.
    Refused(Denied),
}

/// Logs users in by what the platform knows: a password in `Authorization: Basic`, a session's
/// header or cookie.
pub trait PlatformLogin: fmt::Debug + Send + Sync + 'static {
    /// Looks at the headers of a request from this address.
    fn login<'a>(
        &'a self,
        headers: &'a HeaderMap,
        from: IpAddr,
    ) -> Pin<Box<dyn Future<Output = PlatformAnswer> + Send + 'a>>;
}

/// Asks the platform. A login that panics or hangs fails this request, and no other.
pub(super) async fn ask(
    platform: &dyn PlatformLogin,
    headers: &HeaderMap,
    from: IpAddr,
) -> PlatformAnswer {
    let Ok(future) = catch_unwind(AssertUnwindSafe(|| platform.login(headers, from))) else {
        return unavailable();
    };
    guarded(future).await.unwrap_or_else(|_| unavailable())
}

fn unavailable() -> PlatformAnswer {
    tracing::error!("the platform's login panicked or did not answer");
    PlatformAnswer::Refused(Denied::Unavailable)
}
