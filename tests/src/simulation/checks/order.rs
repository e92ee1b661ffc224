//! The number of concurrent requests, and their order.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use webhook_model::WebhookId;

use super::{CLAIMED, Judge, Promise};
use crate::simulation::ledger::Hook;
use crate::simulation::switches::surely_on;

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
        let hooks = self.hooks.clone();
        for hook in hooks.iter().filter(|hook| !hook.replayed) {
            for span in spans(hook) {
                self.order_within(hook.id, span);
            }
        }
    }

    /// Checks that, within that time, all requests of an older delivery come before those of a
    /// newer one.
    fn order_within(&mut self, hook: WebhookId, (from, until): (DateTime<Utc>, DateTime<Utc>)) {
        let mut came: HashMap<&str, (usize, usize)> = HashMap::new();
        for (at, request) in self.evidence.seen.iter().enumerate() {
            if from < request.at && request.at < until {
                came.entry(&request.id).or_insert((at, at)).1 = at;
            }
        }
        let all = self.evidence.deliveries.iter();
        let mut before = 0;
        for delivery in all.filter(|delivery| delivery.webhook == hook) {
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

/// Returns the periods in which the webhook keeps the order: always, or from an edit on. Deliveries
/// claimed before that may overtake, and so may those claimed once it may have been edited back.
pub(super) fn spans(hook: &Hook) -> Vec<(DateTime<Utc>, DateTime<Utc>)> {
    if hook.in_order {
        return vec![(DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC)];
    }
    let spans = surely_on(&hook.orders).into_iter();
    spans.map(|(from, until)| (from + CLAIMED, until)).collect()
}
