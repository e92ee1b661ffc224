//! How many at once, and in which order.

use std::collections::HashMap;

use super::{Judge, Promise};

impl Judge<'_> {
    pub(super) fn at_once(&mut self) {
        for hook in self.hooks.clone() {
            let most = hook.host.map_or(0, |host| self.evidence.most_at_once[host]);
            let bound = match (hook.in_order, self.evidence.calm) {
                (true, true) => 1,
                (true, false) => usize::from(self.evidence.processes),
                (false, _) => 32 * usize::from(self.evidence.processes),
            };
            if most > bound {
                let what = format!("{most} at once to host {:?}", hook.host);
                self.breach(Promise::AtOnceIsBounded, what);
            }
        }
    }

    pub(super) fn order(&mut self) {
        let first: HashMap<&str, usize> = self
            .evidence
            .seen
            .iter()
            .enumerate()
            .rev()
            .map(|(at, request)| (&*request.id, at))
            .collect();
        for hook in self.hooks.clone() {
            let in_order = hook.in_order && !hook.replayed && !hook.hastened;
            let mut last = 0;
            for delivery in self.evidence.deliveries {
                let came = first.get(delivery.message_id.as_str());
                let Some(&came) = came.filter(|_| in_order && delivery.webhook == hook.id) else {
                    continue;
                };
                if came < last {
                    let what = format!("{} overtook another", delivery.message_id);
                    self.breach(Promise::OrderIsKept, what);
                }
                last = came;
            }
        }
    }
}
