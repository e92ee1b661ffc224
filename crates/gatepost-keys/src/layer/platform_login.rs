//! The platform's own logins beside API keys: HTTP Basic, session tokens.

use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;

use http::HeaderMap;

use crate::ask::guarded;
use crate::denied::Denied;
use crate::guesses::GuessLimiter;
use crate::principal::Principal;

/// What a request presents to the platform's login.
#[derive(Clone, Eq, PartialEq)]
#[non_exhaustive]
pub enum Presented<'a> {
    /// Nothing of a kind that the platform knows: an API key is looked for.
    Nothing,
    /// What nobody chose and nobody can guess, of 128 random bits or more, such as a session's
    /// token: it is always checked.
    Secret(&'a [u8]),
    /// A password, and the name of the account that it is for, before anything is looked up. It is
    /// not checked while there are too many failures.
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

/// What the platform says of a request's credentials.
#[derive(Debug)]
#[non_exhaustive]
pub enum PlatformAnswer {
    /// They are not the platform's after all: an API key is looked for.
    NotMine,
    /// They are good. A user who is not [`enabled`](Principal::enabled) is refused all the same, by
    /// 401 and without a word of why, as the user's keys are.
    Granted(Box<Principal>),
    /// A password that was not checked, because too many wait to be checked: 503. It counts as a
    /// guess of its address, and not of its account: see
    /// [`Attempt::kept_waiting`](crate::Attempt::kept_waiting).
    Busy,
    /// They are of the platform's kind, and not good. [`Denied::Unauthenticated`] counts as a
    /// guess; any other reason says that they were not judged.
    Refused(Denied),
}

/// Logs users in by what the platform knows: a password in `Authorization: Basic`, a session's
/// header or cookie.
///
/// A cookie, or a password that a browser keeps, goes along with what another site asks for.
/// `gatepost-http` refuses what a form of another site could send and would change something; on
/// routes of the platform's own that is the platform's to do.
pub trait PlatformLogin: fmt::Debug + Send + Sync + 'static {
    /// Says what the headers present. Reads them and nothing else: it is asked for each request,
    /// and before the limit of guesses.
    fn presented<'a>(&self, headers: &'a HeaderMap) -> Presented<'a>;

    /// Judges what they present, from this address. Not asked where that is
    /// [`Presented::Nothing`], or a password over the limit. Whether the request prolongs a session
    /// that ends after inactivity, [`Visit::of`](crate::Visit::of) says.
    fn login<'a>(
        &'a self,
        headers: &'a HeaderMap,
        from: IpAddr,
    ) -> Pin<Box<dyn Future<Output = PlatformAnswer> + Send + 'a>>;
}

/// Asks the platform, within the limits of guessing; `None` where an API key is to be looked for. A
/// login that panics or hangs fails this request, and no other.
pub(super) async fn ask(
    platform: &dyn PlatformLogin,
    guesses: &GuessLimiter,
    headers: &HeaderMap,
    from: IpAddr,
) -> Option<Result<Principal, Denied>> {
    let answer = within_limits(platform, guesses, headers, from).await?;
    // What was presented was right, so it is no guess.
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

/// The platform's judgement.
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
