//! The access token of one revision of a webhook.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use delivery::TokenFault;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use webhook_model::{OAuth2, Secret};

use super::fetch::{Call, NoToken, fetch};

/// How long a token is used whose endpoint does not say how long it is good for.
const UNSAID: Duration = Duration::from_secs(5 * 60);
/// The longest that a token is used.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// A token is no longer used this long before it expires, or in the second half of a shorter life.
const MARGIN: Duration = Duration::from_secs(30);

/// A token that may be used.
pub(crate) struct Token {
    pub secret: Secret,
    until: Instant,
    refused: AtomicBool,
}

impl Token {
    /// The target did not accept it: it is used no more.
    pub(crate) fn refuse(&self) {
        self.refused.store(true, Ordering::Relaxed);
    }

    fn is_usable(&self) -> bool {
        self.until > Instant::now() && !self.refused.load(Ordering::Relaxed)
    }
}

/// Keeps the token. Only one delivery at a time asks for another; those that wait for it share what
/// it gets, be it a failure, so that an endpoint in trouble is not asked by each of them in turn.
#[derive(Default)]
pub(crate) struct TokenSlot {
    state: Mutex<State>,
    /// How many questions have ended.
    asked: AtomicU64,
    /// How long the last token is.
    bytes: AtomicUsize,
}

#[derive(Default)]
struct State {
    token: Option<Arc<Token>>,
    /// Why the last question gave no token.
    failed: Option<NoToken>,
}

impl TokenSlot {
    /// How much memory the token takes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The token, and whether it was fetched for this call.
    ///
    /// # Errors
    /// Why there is none, at the end of the call's budget at the latest.
    pub(crate) async fn token(
        &self,
        client: &OAuth2,
        call: &Call<'_>,
    ) -> Result<(Arc<Token>, bool), NoToken> {
        let asked = self.asked.load(Ordering::Acquire);
        let mut state = timeout(call.left(), self.state.lock())
            .await
            .map_err(|_| TokenFault::Late)?;
        if let Some(token) = state.token.as_ref().filter(|token| token.is_usable()) {
            return Ok((token.clone(), false));
        }
        state.token = None;
        if let Some(failed) = &state.failed
            && self.asked.load(Ordering::Acquire) != asked
        {
            return Err(failed.clone());
        }
        let began = Instant::now();
        let fetched = fetch(client, call).await;
        self.asked.fetch_add(1, Ordering::Release);
        state.failed = fetched.as_ref().err().cloned();
        let fetched = fetched?;
        let token = Arc::new(Token {
            secret: fetched.token,
            until: began + lifetime(fetched.expires_in),
            refused: AtomicBool::new(false),
        });
        let bytes = token.secret.expose().len();
        self.bytes.store(bytes, Ordering::Relaxed);
        state.token = Some(token.clone());
        Ok((token, true))
    }
}

/// How long a token is used.
fn lifetime(expires_in: Option<Duration>) -> Duration {
    let good_for = expires_in.unwrap_or(UNSAID).min(LONGEST);
    good_for - MARGIN.min(good_for / 2)
}

impl fmt::Debug for TokenSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenSlot").finish_non_exhaustive()
    }
}
