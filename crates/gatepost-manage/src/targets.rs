//! The target policy's verdict on a URL, before a webhook is sent to it.

use gatepost_engine::TargetVerdict;
use webhook_model::TargetUrl;

use crate::actor::Actor;
use crate::completion::ask;

impl Actor {
    /// Returns the target policy's verdict on the URL only: a literal address, a port, a scheme, a
    /// listed host name. No name is resolved.
    #[must_use]
    pub fn check_url(&self, url: &TargetUrl) -> TargetVerdict {
        self.engine().check_url(url)
    }

    /// Returns the verdict of [`check_url`](Self::check_url), and for a host name that on its
    /// current addresses. It waits for at most a second. If the addresses are unknown by then, or
    /// two other names are being resolved for the caller's tenant, the URL counts as allowed. Call
    /// it after a webhook was saved, not for each keystroke.
    pub async fn check_target(&self, url: &TargetUrl) -> TargetVerdict {
        // A resolver may be code of the platform.
        let judged = ask(self.engine().check_target(url, self.principal.owner)).await;
        judged.unwrap_or(TargetVerdict::Allowed)
    }
}
