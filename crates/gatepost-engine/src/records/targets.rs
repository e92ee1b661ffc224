//! The target policy's verdict on a URL before a webhook is sent to it.

use std::time::Duration;

use delivery::{ErrorClass, TargetRefusal};
use webhook_model::{OwnerId, TargetUrl};

use crate::engine::Engine;

/// The maximum time that saving a webhook waits for the lookup of its host name.
const PATIENCE: Duration = Duration::from_secs(1);

/// The target policy's verdict on a URL.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum TargetVerdict {
    /// No rule forbids it, as far as is known.
    Allowed,
    /// The host name has no address that may be sent to. The verdict does not say whether it has
    /// none or a forbidden one: that would reveal what the platform's own network knows of the
    /// name.
    NoAddress,
    /// The URL itself breaks a rule.
    Refused(TargetRefusal),
}

impl Engine {
    /// Returns the target policy's verdict on a URL without a lookup, immediately: before it is
    /// saved, or next to a field. The addresses of a host name that passes are not checked.
    #[must_use]
    pub fn check_url(&self, url: &TargetUrl) -> TargetVerdict {
        match self.transport().check_url(url) {
            Ok(()) => TargetVerdict::Allowed,
            Err(refusal) => TargetVerdict::Refused(refusal),
        }
    }

    /// As [`check_url`](Self::check_url), and checks the current addresses of a host name. `by` is
    /// the user who asks. Waits for at most a second. A name that is not resolved by then counts as
    /// allowed, as does any while two other names are looked up for users of the same realm, or for
    /// the same user, or eight in all. Every attempt checks again.
    pub async fn check_target(&self, url: &TargetUrl, by: OwnerId) -> TargetVerdict {
        let by_url = self.check_url(url);
        if by_url != TargetVerdict::Allowed {
            return by_url;
        }
        let (engine, url) = (self.clone(), url.clone());
        let lookup = tokio::spawn(async move {
            let place = engine.core.access.shares_with(by).await;
            let begun = place.map(|place| engine.parts.lookups.begin(by, place));
            let Ok(Ok(_under_way)) = begun else {
                return Ok(());
            };
            engine.transport().check_target(&url).await
        });
        match tokio::time::timeout(PATIENCE, lookup).await {
            Ok(Ok(Err(ErrorClass::Dns(_) | ErrorClass::Refused(_)))) => TargetVerdict::NoAddress,
            _ => TargetVerdict::Allowed,
        }
    }
}
