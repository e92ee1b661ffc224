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

    /// Of two deliveries the older one's requests are all before the newer one's.
    pub(super) fn order(&mut self) {
        let mut came: HashMap<&str, (usize, usize)> = HashMap::new();
        for (at, request) in self.evidence.seen.iter().enumerate() {
            came.entry(&request.id).or_insert((at, at)).1 = at;
        }
        for hook in self.hooks.clone() {
            let in_order = hook.in_order && !hook.replayed;
            let all = self.evidence.deliveries.iter();
            let own = all.filter(|delivery| in_order && delivery.webhook == hook.id);
            let mut before = 0;
            for delivery in own {
                let Some(&(first, last)) = came.get(delivery.message_id.as_str()) else {
                    continue;
                };
                if first < before {
                    let what = format!("{} overtook another", delivery.message_id);
                    self.breach(Promise::OrderIsKept, what);
                }
                before = last;
            }
        }
    }
}
