//! One request to a token endpoint, through the sender: its target policy, its resolver and its
//! proxies apply as for a target.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use delivery::{Attempt, ErrorClass, Request, RequestError, TokenFault};
use tokio::time::Instant;
use webhook_model::{AccessToken, OAuth2, token_error};

use crate::transport::Transport;

/// The maximum bytes read of a response.
const MOST: usize = 64 * 1024;

/// The sender and the deadline of the requests of one attempt: they share its budget and its group.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    transport: &'a dyn Transport,
    /// The wall time at which the attempt began.
    started: DateTime<Utc>,
    began: Instant,
    budget: Duration,
    group: Option<u128>,
    repeated: AtomicU64,
}

impl<'a> Call<'a> {
    pub(crate) fn new(
        transport: &'a dyn Transport,
        attempt: &Request,
        started: DateTime<Utc>,
    ) -> Self {
        Self {
            transport,
            started,
            began: Instant::now(),
            budget: attempt.timeout(),
            group: attempt.group(),
            repeated: AtomicU64::new(0),
        }
    }

    pub(crate) async fn send(&self, request: &Request) -> Attempt {
        let attempt = self.transport.send(request, self.now()).await;
        self.repeated
            .fetch_add(attempt.repeated.into(), Ordering::Relaxed);
        attempt
    }

    /// How many of the requests were sent once more, over a new connection.
    pub(crate) fn repeated(&self) -> u64 {
        self.repeated.load(Ordering::Relaxed)
    }

    /// How long it has taken so far.
    pub(crate) fn took(&self) -> Duration {
        self.began.elapsed()
    }

    pub(crate) fn left(&self) -> Duration {
        self.budget.saturating_sub(self.took())
    }

    /// The present wall time, by which signatures and certificates are checked.
    pub(crate) fn now(&self) -> DateTime<Utc> {
        let passed = TimeDelta::from_std(self.took()).unwrap_or_default();
        let now = self.started.checked_add_signed(passed);
        now.unwrap_or(self.started)
    }
}

/// The reason why there is no token.
#[derive(Clone, Debug)]
pub(crate) struct NoToken {
    fault: TokenFault,
    /// How long the token endpoint asks to wait.
    retry_after: Option<Duration>,
}

impl NoToken {
    /// Returns the attempt that could not be made without a token.
    pub(crate) fn attempt(self, now: DateTime<Utc>) -> Attempt {
        let mut attempt = Attempt::unsent(ErrorClass::Token(self.fault), now);
        attempt.retry_after = self.retry_after;
        attempt
    }
}

impl From<TokenFault> for NoToken {
    fn from(fault: TokenFault) -> Self {
        Self {
            fault,
            retry_after: None,
        }
    }
}

pub(super) async fn fetch(client: &OAuth2, call: &Call<'_>) -> Result<AccessToken, NoToken> {
    let mut request = request(client)
        .map_err(|error| TokenFault::Failed(Box::new(error.into())))?
        .with_timeout(call.left());
    if let Some(group) = call.group {
        request = request.with_group(group);
    }
    let attempt = call.send(&request).await;
    read(&attempt).map_err(|fault| NoToken {
        fault,
        retry_after: attempt.retry_after,
    })
}

/// The certificate must be valid, whatever the webhook accepts of its target.
fn request(client: &OAuth2) -> Result<Request, RequestError> {
    let asked = client.token_request();
    let mut request = Request::builder(client.token_url().as_url().clone())
        .header("Content-Type", "application/x-www-form-urlencoded")
        .header("Accept", "application/json")
        .body(asked.form.expose().to_owned())
        .capture_limit(MOST)
        .no_redirects();
    if let Some(authorization) = &asked.authorization {
        request = request.sensitive_header("Authorization", authorization.expose());
    }
    request.build()
}

fn read(attempt: &Attempt) -> Result<AccessToken, TokenFault> {
    let body = &attempt.body;
    match (&attempt.outcome, attempt.status) {
        (Ok(_), _) if body.truncated => Err(TokenFault::Response("it is cut or over 64 KiB")),
        (Ok(_), _) => AccessToken::parse(&body.bytes).map_err(TokenFault::Response),
        (Err(_), Some(status)) => Err(TokenFault::Refused {
            status,
            code: token_error(&body.bytes),
        }),
        (Err(class), None) => Err(TokenFault::Failed(Box::new(class.clone()))),
    }
}
