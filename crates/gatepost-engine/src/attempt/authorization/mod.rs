//! Sends a request with its authorization. The prepared request has all of it except the access
//! token of an OAuth 2 client.

#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};
use delivery::{Attempt, Request};
use webhook_model::{Authorization, OAuth2, Secret};

use crate::meter;
use crate::routes::Route;
use crate::tokens::{Call, NoToken, TokenSlot};
use crate::transport::Transport;

/// The status with which a target refuses a token (RFC 6750 §3.1).
const UNAUTHORIZED: u16 = 401;

/// An attempt, and the access tokens that were sent to the target.
#[derive(Debug)]
pub(crate) struct Sent {
    pub attempt: Attempt,
    pub tokens: Vec<Secret>,
}

/// Makes one attempt within the budget of `request`. Its connections are shared only with requests
/// of the same owner.
pub(crate) async fn send(
    transport: &dyn Transport,
    route: &Route,
    request: Request,
    now: DateTime<Utc>,
) -> Sent {
    let request = request.with_group(route.webhook.owner.0);
    match &route.webhook.authorization {
        // Boxed: rare, and it would make every attempt larger.
        Authorization::OAuth2(client) => {
            Box::pin(with_token(transport, route, client, request, now)).await
        }
        _ => {
            let attempt = transport.send(&request, now).await;
            meter::requests_repeated(attempt.repeated.into());
            Sent {
                attempt,
                tokens: Vec::new(),
            }
        }
    }
}

async fn with_token(
    transport: &dyn Transport,
    route: &Route,
    client: &OAuth2,
    request: Request,
    now: DateTime<Utc>,
) -> Sent {
    let call = Call::new(transport, &request, now);
    let mut with_token = WithToken {
        slot: &route.token,
        client,
        request,
        call,
        tokens: Vec::new(),
    };
    let attempt = with_token.attempt().await;
    let mut attempt = attempt.unwrap_or_else(|none| none.attempt(now));
    attempt.started = now;
    attempt.duration = with_token.call.took();
    meter::requests_repeated(with_token.call.repeated());
    Sent {
        attempt,
        tokens: with_token.tokens,
    }
}

/// One attempt by an OAuth 2 client.
struct WithToken<'a> {
    slot: &'a TokenSlot,
    client: &'a OAuth2,
    request: Request,
    call: Call<'a>,
    /// The tokens that were sent to the target.
    tokens: Vec<Secret>,
}

impl WithToken<'_> {
    /// Makes an attempt with a cached token, or with one that is fetched first. A cached token that
    /// the target refuses may have been revoked: another is fetched, and the request is sent once
    /// more. A token that was fetched for this attempt is not fetched again.
    async fn attempt(&mut self) -> Result<Attempt, NoToken> {
        let (first, fetched) = self.request().await?;
        if first.status != Some(UNAUTHORIZED) || fetched {
            return Ok(first);
        }
        let (mut second, _) = self.request().await?;
        second.renewed = true;
        second.repeated |= first.repeated;
        second.timings = first.timings.and(second.timings);
        Ok(second)
    }

    /// Sends one request. Also returns whether its token was fetched for it.
    async fn request(&mut self) -> Result<(Attempt, bool), NoToken> {
        let (token, fetched) = self.slot.token(self.client, &self.call).await?;
        self.tokens.push(token.secret.clone());
        let attempt = bearing(&self.request, &token.secret, &self.call).await;
        if attempt.status == Some(UNAUTHORIZED) {
            token.refuse();
        }
        Ok((attempt, fetched))
    }
}

async fn bearing(request: &Request, token: &Secret, call: &Call<'_>) -> Attempt {
    let value = Secret::new(format!("Bearer {}", token.expose()));
    let request = request.clone().with_timeout(call.left());
    match request.with_sensitive_header("Authorization", value.expose()) {
        Ok(request) => call.send(&request).await,
        Err(error) => Attempt::unsent(error.into(), call.now()),
    }
}
