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

/// How long a token is used if its endpoint does not name its lifetime.
const UNSAID: Duration = Duration::from_secs(5 * 60);
/// The longest time that a token is used.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// How long before it expires a token is no longer used. A short-lived one is used for half of its
/// lifetime.
const MARGIN: Duration = Duration::from_secs(30);

/// A token that may be used.
pub(crate) struct Token {
    pub secret: Secret,
    until: Instant,
    refused: AtomicBool,
}

impl Token {
    /// Marks the token as refused by the target, so that it is no longer used.
    pub(crate) fn refuse(&self) {
        self.refused.store(true, Ordering::Relaxed);
    }

    fn is_usable(&self) -> bool {
        self.until > Instant::now() && !self.refused.load(Ordering::Relaxed)
    }
}

/// Keeps the token. Only one delivery at a time asks for another; waiting ones share the result,
/// even a failure, so that each of them does not ask an endpoint in trouble again.
#[derive(Default)]
pub(crate) struct TokenSlot {
    state: Mutex<State>,
    /// The number of questions that have ended.
    asked: AtomicU64,
    /// The length of the last token.
    bytes: AtomicUsize,
}

#[derive(Default)]
struct State {
    token: Option<Arc<Token>>,
    /// The reason why the last question gave no token.
    failed: Option<NoToken>,
}

impl TokenSlot {
    /// Returns the memory that the token takes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Returns the token, and whether it was fetched for this call.
    ///
    /// # Errors
    /// The reason why there is none, at the end of the call's budget at the latest.
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

/// Returns how long a token is used.
fn lifetime(expires_in: Option<Duration>) -> Duration {
    let good_for = expires_in.unwrap_or(UNSAID).min(LONGEST);
    good_for - MARGIN.min(good_for / 2)
}

impl fmt::Debug for TokenSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenSlot").finish_non_exhaustive()
    }
}
