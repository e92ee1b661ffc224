//! The sender's parts.

use std::fmt;
use std::sync::Arc;

use super::header_names::HeaderNames;
use crate::connect::Connector;
use crate::egress::TargetPolicy;
use crate::outcome::ErrorClass;
use crate::pool::Pool;
use crate::request::{Host, Request};
use crate::tls::Tls;

/// Sends requests to targets that a [`TargetPolicy`] lets through. Cheap to clone; clones share
/// their connections.
///
/// Runs on tokio and has to be used inside its runtime.
#[derive(Clone)]
pub struct Sender {
    pub(super) parts: Arc<Parts>,
    pub(super) policy: Arc<TargetPolicy>,
}

/// What all clones share, whatever their policy.
pub(super) struct Parts {
    pub(super) connector: Connector,
    pub(super) tls: Tls,
    pub(super) pool: Arc<Pool>,
    pub(super) names: HeaderNames,
    pub(super) user_agent: http::HeaderValue,
    pub(super) capture: usize,
    pub(super) redirects: u8,
}

impl Sender {
    pub(super) fn from_parts(parts: Parts, policy: TargetPolicy) -> Self {
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

    /// The URL is judged for each attempt, also when a connection lies ready.
    pub(super) fn judge(&self, request: &Request) -> Result<(), ErrorClass> {
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
