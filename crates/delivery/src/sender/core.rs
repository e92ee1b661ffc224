//! The sender.

use std::fmt;
use std::sync::Arc;

use super::header_names::HeaderNames;
use crate::connect::Connector;
use crate::egress::TargetPolicy;
use crate::outcome::ErrorClass;
use crate::pool::Pool;
use crate::request::{Host, Request};
use crate::tls::Tls;

/// Sends requests to targets that a [`TargetPolicy`] allows. Cheap to clone; clones share their
/// connections.
///
/// It must be used within a tokio runtime.
#[derive(Clone)]
pub struct Sender {
    pub(super) parts: Arc<Parts>,
    pub(super) policy: Arc<TargetPolicy>,
}

/// The state that all clones share, whatever their policy.
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

    /// Returns the same sender with another policy, such as a stricter one for one owner.
    ///
    /// Connections are still shared: the address of an idle connection is checked against the
    /// policy of the attempt that uses it.
    #[must_use]
    pub fn with_policy(&self, policy: TargetPolicy) -> Self {
        Self {
            parts: Arc::clone(&self.parts),
            policy: Arc::new(policy),
        }
    }

    /// Returns the policy for all targets.
    #[must_use]
    pub fn policy(&self) -> &TargetPolicy {
        &self.policy
    }

    /// Checks the URL, for each attempt, even if an idle connection exists.
    pub(super) fn check(&self, request: &Request) -> Result<(), ErrorClass> {
        let origin = &request.fixed.origin;
        match &origin.host {
            Host::Addr(addr) => self
                .policy
                .check_literal(origin.https, *addr, origin.port)?,
            Host::Name(name) => self.policy.check_name(origin.https, name, origin.port)?,
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
