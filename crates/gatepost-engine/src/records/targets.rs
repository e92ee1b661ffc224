//! What the target policy says to a URL before a webhook is sent to it.

use std::sync::Arc;
use std::time::Duration;

use delivery::{ErrorClass, TargetRefusal};
use webhook_model::{OwnerId, TargetUrl};

use super::at_once::{AtOnce, Most, UnderWay};
use crate::judge::Judge;
use crate::transport::Transport;

/// Who saves a webhook waits for its name to be looked up no longer than this.
const PATIENCE: Duration = Duration::from_secs(1);
/// Names that are looked up at a time, those included for which nobody waits any more: deliveries
/// need the resolver, too. Those of one place that hang leave room to the others.
const LOOKUPS: Most = Most {
    owner: 2,
    place: 2,
    all: 8,
};

/// What the target policy says to a URL.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum TargetVerdict {
    /// Nothing speaks against it, as far as is known.
    Allowed,
    /// The host name leads to no address that may be sent to. Whether it has none or the wrong one
    /// is not said: that would tell what the platform's own network knows of the name.
    NoAddress,
    /// The URL itself breaks a rule.
    Refused(TargetRefusal),
}

#[derive(Clone, Debug)]
pub(crate) struct Targets {
    transport: Arc<dyn Transport>,
    judge: Arc<Judge>,
    lookups: AtOnce,
}

impl Targets {
    pub(crate) fn new(transport: Arc<dyn Transport>, judge: Arc<Judge>) -> Self {
        Self {
            transport,
            judge,
            lookups: AtOnce::new(LOOKUPS),
        }
    }

    /// By what the URL says itself.
    pub(crate) fn judge_url(&self, url: &TargetUrl) -> TargetVerdict {
        match self.transport.judge_url(url) {
            Ok(()) => TargetVerdict::Allowed,
            Err(refusal) => TargetVerdict::Refused(refusal),
        }
    }

    /// By its addresses, too, if they are known in time. This owner wants to know.
    pub(crate) async fn judge(&self, url: &TargetUrl, by: OwnerId) -> TargetVerdict {
        let by_url = self.judge_url(url);
        if by_url != TargetVerdict::Allowed {
            return by_url;
        }
        let (targets, url) = (self.clone(), url.clone());
        let lookup = tokio::spawn(async move {
            let Some(_under_way) = targets.begin(by).await else {
                return Ok(());
            };
            targets.transport.judge_target(&url).await
        });
        match tokio::time::timeout(PATIENCE, lookup).await {
            Ok(Ok(Err(ErrorClass::Dns(_) | ErrorClass::Refused(_)))) => TargetVerdict::NoAddress,
            _ => TargetVerdict::Allowed,
        }
    }

    /// One of the lookups that may be under way.
    async fn begin(&self, by: OwnerId) -> Option<UnderWay> {
        let place = self.judge.shares_with(by).await.ok()?;
        self.lookups.begin(by, place).ok()
    }
}
