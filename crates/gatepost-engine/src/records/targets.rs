//! What the target policy says to a URL before a webhook is sent to it.

use std::time::Duration;

use delivery::{ErrorClass, TargetRefusal};
use webhook_model::{OwnerId, TargetUrl};

use crate::engine::Engine;

/// Who saves a webhook waits for its name to be looked up no longer than this.
const PATIENCE: Duration = Duration::from_secs(1);

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

impl Engine {
    /// What the target policy says to a URL by itself, at once: before it is saved, or beside a
    /// field. A host name that passes is not looked up.
    #[must_use]
    pub fn check_url(&self, url: &TargetUrl) -> TargetVerdict {
        match self.transport().check_url(url) {
            Ok(()) => TargetVerdict::Allowed,
            Err(refusal) => TargetVerdict::Refused(refusal),
        }
    }

    /// As [`check_url`](Self::check_url), and of a host name the addresses that it has now. `by` is
    /// the user who wants to know. Waits for at most a second; what is not known by then counts as
    /// allowed, as does everything while two other names are looked up for users of the same place,
    /// or for the same user, or eight in all. Every attempt asks again.
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
