//! Requests of webhooks that were paused or deleted.

use super::{CLAIMED, Judge, Promise};
use crate::simulation::switches::surely_on;

impl Judge<'_> {
    /// Checks that only deliveries claimed before are sent, until the webhook may have been
    /// resumed.
    pub(super) fn rests(&mut self) {
        for hook in self.hooks.clone() {
            for (from, until) in surely_on(&hook.rests) {
                let all = self.evidence.seen.iter();
                let own = all.filter(|request| hook.host == Some(request.host));
                for request in own.filter(|request| request.at > from + CLAIMED) {
                    if request.at < until {
                        let what = format!(
                            "{} at {}: webhook {} rests since {from}",
                            request.id, request.at, hook.id,
                        );
                        self.breach(Promise::PausesHold, what);
                    }
                }
            }
        }
    }
}
