//! What the target policy says to a URL before a webhook is sent to it.

use gatepost_engine::TargetVerdict;
use webhook_model::TargetUrl;

use crate::actor::Actor;
use crate::finish::ask;

impl Actor {
    /// What the target policy says to a URL by itself: a literal address, a port, a scheme, a host
    /// name that is listed. Nothing is looked up.
    #[must_use]
    pub fn check_url(&self, url: &TargetUrl) -> TargetVerdict {
        self.engine().check_url(url)
    }

    /// As [`check_url`](Self::check_url), and of a host name the addresses that it has at this
    /// moment. Waits for at most a second; what is not known by then counts as allowed, as it does
    /// while two other names are looked up for the caller's tenant. Meant for the moment at which a
    /// webhook was saved, not for each keystroke.
    pub async fn check_target(&self, url: &TargetUrl) -> TargetVerdict {
        // A resolver is the platform's code.
        let judged = ask(self.engine().check_target(url, self.principal.owner)).await;
        judged.unwrap_or(TargetVerdict::Allowed)
    }
}
