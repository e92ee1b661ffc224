//! What the target policy says to a URL before a webhook is sent to it.

use std::sync::Arc;
use std::time::Duration;

use delivery::{ErrorClass, TargetRefusal};
use tokio::sync::Semaphore;
use webhook_model::TargetUrl;

use crate::transport::Transport;

/// Who saves a webhook waits for its name to be looked up no longer than this.
const PATIENCE: Duration = Duration::from_secs(1);
/// Names that are looked up at a time, those included for which nobody waits any more: deliveries
/// need the resolver, too.
const LOOKUPS: usize = 4;

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
    lookups: Arc<Semaphore>,
}

impl Targets {
    pub(crate) fn new(transport: Arc<dyn Transport>) -> Self {
        Self {
            transport,
            lookups: Arc::new(Semaphore::new(LOOKUPS)),
        }
    }

    /// By what the URL says itself.
    pub(crate) fn judge_url(&self, url: &TargetUrl) -> TargetVerdict {
        match self.transport.judge_url(url) {
            Ok(()) => TargetVerdict::Allowed,
            Err(refusal) => TargetVerdict::Refused(refusal),
        }
    }

    /// By its addresses, too, if they are known in time.
    pub(crate) async fn judge(&self, url: &TargetUrl) -> TargetVerdict {
        let by_url = self.judge_url(url);
        let permit = self.lookups.clone().try_acquire_owned();
        let (TargetVerdict::Allowed, Ok(permit)) = (by_url, permit) else {
            return by_url;
        };
        let (transport, url) = (self.transport.clone(), url.clone());
        let lookup = tokio::spawn(async move {
            let judged = transport.judge_target(&url).await;
            drop(permit);
            judged
        });
        match tokio::time::timeout(PATIENCE, lookup).await {
            Ok(Ok(Err(ErrorClass::Dns(_) | ErrorClass::Refused(_)))) => TargetVerdict::NoAddress,
            _ => TargetVerdict::Allowed,
        }
    }
}
