//! The sender: one attempt, and retries around it.

mod builder;
mod capture;
mod classify;
mod deliver;
mod exchange;
mod message;
mod open;
mod preview;
mod progress;
mod redirect;

use std::fmt;
use std::pin::pin;
use std::sync::Arc;

pub use builder::{SenderBuilder, SetupError};
use chrono::{DateTime, Utc};
pub use deliver::Delivered;
pub use message::HeaderNames;
pub use preview::Preview;
pub(crate) use progress::Progress;
use tokio::time::{Instant, timeout_at};
use tracing::Instrument as _;

use crate::connect::Connector;
use crate::egress::TargetPolicy;
use crate::outcome::{Attempt, ErrorClass};
use crate::pool::Pool;
use crate::request::{Host, Request};
use crate::tls::Tls;

/// Sends requests to targets that a [`TargetPolicy`] lets through. Cheap to clone; clones share
/// their connections.
///
/// Runs on tokio and has to be used inside its runtime.
#[derive(Clone)]
pub struct Sender {
    parts: Arc<Parts>,
    policy: Arc<TargetPolicy>,
}

/// What all clones share, whatever their policy.
pub(crate) struct Parts {
    pub(crate) connector: Connector,
    pub(crate) tls: Tls,
    pub(crate) pool: Arc<Pool>,
    pub(crate) names: HeaderNames,
    pub(crate) user_agent: http::HeaderValue,
    pub(crate) capture: usize,
    pub(crate) redirects: u8,
}

impl Sender {
    /// Starts a sender. There is none without a policy.
    pub fn builder(policy: TargetPolicy) -> SenderBuilder {
        SenderBuilder::new(policy)
    }

    pub(crate) fn from_parts(parts: Parts, policy: TargetPolicy) -> Self {
        Self {
            parts: Arc::new(parts),
            policy: Arc::new(policy),
        }
    }

    /// The same sender under another policy, such as one that is narrower for one owner.
    ///
    /// Connections stay shared: the address of an idle connection is judged by the policy of the
    /// attempt that wants to use it.
    #[must_use]
    pub fn with_policy(&self, policy: TargetPolicy) -> Self {
        Self {
            parts: Arc::clone(&self.parts),
            policy: Arc::new(policy),
        }
    }

    /// The policy that every target is judged by.
    #[must_use]
    pub fn policy(&self) -> &TargetPolicy {
        &self.policy
    }

    /// Makes one attempt. Whatever happens is told by the [`Attempt`].
    ///
    /// The request's timeout is one budget for name resolution, connection, TLS, sending and the
    /// answer's head and captured body (SPEC 2.2 *Timeout*). Success is a 2xx status, decided by
    /// the status line: what happens to the body afterwards does not undo it. Redirects are not
    /// followed, unless the host asks for it ([`SenderBuilder::follow_redirects`]). `now` is the
    /// wall time that goes into the signature, by which certificates and `Retry-After` dates
    /// are judged; durations are measured by tokio's clock.
    ///
    /// At most one request reaches the target (and one each hop of a redirect): a second connection
    /// is used only when nothing was written to the first. Dropping the future closes its
    /// connection (HTTP/1) or its stream (HTTP/2).
    pub async fn send(&self, request: &Request, now: DateTime<Utc>) -> Attempt {
        let span = tracing::debug_span!("delivery.attempt", origin = ?request.fixed.origin, id = request.delivery_id());
        // Pinned where it is made: these futures are large, and moving them costs.
        pin!(self.attempt(request, now)).instrument(span).await
    }

    async fn attempt(&self, request: &Request, now: DateTime<Utc>) -> Attempt {
        let started = Instant::now();
        let mut progress = Progress::new(started);
        let ended = {
            let run = pin!(self.run(request, now, &mut progress));
            match started.checked_add(request.fixed.timeout) {
                Some(deadline) => timeout_at(deadline, run).await,
                None => Ok(run.await),
            }
        };
        let fault = match ended {
            Ok(Ok(())) => None,
            Ok(Err(class)) => Some(class),
            Err(_) => Some(ErrorClass::Timeout(progress.phase_of_timeout())),
        };
        let attempt = progress.into_attempt(fault, now);
        tracing::debug!(
            status = attempt.status,
            code = attempt.error().map(ErrorClass::code),
            ms = attempt.duration.as_millis(),
            reused = attempt.reused,
            "attempt ended"
        );
        attempt
    }

    /// The URL is judged for each attempt, also when a connection lies ready.
    fn judge(&self, request: &Request) -> Result<(), ErrorClass> {
        let origin = &request.fixed.origin;
        match &origin.host {
            Host::Addr(addr) => self
                .policy
                .judge_literal(origin.https, *addr, origin.port)?,
            Host::Name(name) => self.policy.judge_name(origin.https, name, origin.port)?,
        }
        Ok(())
    }
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender")
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}
