//! The platform's own logins in addition to API keys: HTTP Basic, session tokens.

use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;

use http::HeaderMap;

use crate::denial::Denied;
use crate::guesses::GuessLimiter;
use crate::platform_calls::guarded;
use crate::principal::Principal;

/// The credentials that a request presents to the platform's login.
#[derive(Clone, Eq, PartialEq)]
#[non_exhaustive]
pub enum Presented<'a> {
    /// None that the platform recognizes: the layer looks for an API key.
    Nothing,
    /// A random secret that nobody can guess, of 128 random bits or more, such as a session token:
    /// it is always checked.
    Secret(&'a [u8]),
    /// A password with the name of its account, before any lookup. It is not checked while there
    /// are too many failures.
    Password {
        /// The account's name, as [`GuessLimiter::attempt`] takes it.
        account: String,
    },
}

impl fmt::Debug for Presented<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "Nothing",
            Self::Secret(_) => "Secret(…)",
            Self::Password { .. } => "Password(…)",
        })
    }
}

/// The platform's answer about a request's credentials.
#[derive(Debug)]
#[non_exhaustive]
pub enum PlatformAnswer {
    /// They are not the platform's after all: the layer looks for an API key.
    NotMine,
    /// They are valid. A user who is not [`enabled`](Principal::enabled) is still refused, with 401
    /// and without a reason, like the user's keys.
    Granted(Box<Principal>),
    /// The password was not checked, because too many checks are waiting: 503. It counts as a guess
    /// for its address and not for its account: see
    /// [`Attempt::kept_waiting`](crate::Attempt::kept_waiting).
    Busy,
    /// They are of the platform's kind and not valid. [`Denied::Unauthenticated`] counts as a
    /// guess; any other reason means that they were not checked.
    Refused(Denied),
}

/// The platform's login: a password in `Authorization: Basic`, a session's header or cookie.
///
/// A browser also sends a cookie, or a saved password, with requests that another site causes.
/// `gatepost-http` refuses requests that a form of another site could send and that would change
/// something; on its own routes the platform must do so.
pub trait PlatformLogin: fmt::Debug + Send + Sync + 'static {
    /// Returns the credentials in the headers. It must only read the headers: it is called for each
    /// request, before the limit of guesses.
    fn presented<'a>(&self, headers: &'a HeaderMap) -> Presented<'a>;

    /// Checks the credentials, which come from this address. It is not called for
    /// [`Presented::Nothing`], nor for a password over the limit. [`Visit::of`](crate::Visit::of)
    /// returns whether the request extends a session that ends after inactivity.
    fn login<'a>(
        &'a self,
        headers: &'a HeaderMap,
        from: IpAddr,
    ) -> Pin<Box<dyn Future<Output = PlatformAnswer> + Send + 'a>>;
}

/// Asks the platform, within the limits of guessing. Returns `None` if the layer must look for an
/// API key. A login that panics or hangs fails only this request.
pub(super) async fn ask(
    platform: &dyn PlatformLogin,
    guesses: &GuessLimiter,
    headers: &HeaderMap,
    from: IpAddr,
) -> Option<Result<Principal, Denied>> {
    let answer = within_limits(platform, guesses, headers, from).await?;
    // The credentials were right, so this is not a guess.
    Some(answer.and_then(|user| match user.enabled {
        true => Ok(user),
        false => Err(Denied::Unauthenticated),
    }))
}

async fn within_limits(
    platform: &dyn PlatformLogin,
    guesses: &GuessLimiter,
    headers: &HeaderMap,
    from: IpAddr,
) -> Option<Result<Principal, Denied>> {
    let presented = catch_unwind(AssertUnwindSafe(|| platform.presented(headers)));
    match presented {
        Ok(Presented::Nothing) => None,
        Ok(Presented::Secret(secret)) => {
            let answer = judge(platform, headers, from).await.into_result()?;
            Some(answer.map_err(|denied| match denied {
                Denied::Unauthenticated => {
                    let counted = guesses.wrong_secret(secret, from);
                    counted.map_or_else(Denied::TooManyFailures, |()| denied)
                }
                other => other,
            }))
        }
        Ok(Presented::Password { account }) => {
            let attempt = match guesses.attempt(&account, from) {
                Ok(attempt) => attempt,
                Err(retry) => return Some(Err(Denied::TooManyFailures(retry))),
            };
            let answer = judge(platform, headers, from).await;
            match &answer {
                Judged::Good(_) => attempt.succeeded(),
                Judged::Denied(Denied::Unauthenticated) => drop(attempt),
                Judged::Busy => attempt.kept_waiting(),
                Judged::Denied(_) | Judged::NotMine => attempt.not_checked(),
            }
            answer.into_result()
        }
        Err(_) => Some(Err(unavailable())),
    }
}

/// The platform's decision.
enum Judged {
    NotMine,
    Good(Principal),
    Busy,
    Denied(Denied),
}

impl Judged {
    fn into_result(self) -> Option<Result<Principal, Denied>> {
        match self {
            Self::NotMine => None,
            Self::Good(principal) => Some(Ok(principal)),
            Self::Busy => Some(Err(Denied::Unavailable)),
            Self::Denied(denied) => Some(Err(denied)),
        }
    }
}

async fn judge(platform: &dyn PlatformLogin, headers: &HeaderMap, from: IpAddr) -> Judged {
    let Ok(future) = catch_unwind(AssertUnwindSafe(|| platform.login(headers, from))) else {
        return Judged::Denied(unavailable());
    };
    match guarded(future).await {
        Ok(PlatformAnswer::NotMine) => Judged::NotMine,
        Ok(PlatformAnswer::Granted(principal)) => Judged::Good(*principal),
        Ok(PlatformAnswer::Busy) => Judged::Busy,
        Ok(PlatformAnswer::Refused(denied)) => Judged::Denied(denied),
        Err(_) => Judged::Denied(unavailable()),
    }
}

fn unavailable() -> Denied {
    tracing::error!("the platform's login panicked or did not answer");
    Denied::Unavailable
}
