//! The records of users, compared with their quotas.

use chrono::TimeDelta;

use super::{Judge, Promise};
use crate::simulation::accounts::ALL;
use crate::simulation::plans::{Creation, Plan};

/// The time after which earlier decisions are stored.
const UNDER_WAY: TimeDelta = TimeDelta::seconds(3);

impl Judge<'_> {
    pub(super) fn quotas(&mut self) {
        let creations = self.evidence.ledger.creations.lock().unwrap().clone();
        for creation in creations {
            if !is_creation_right(&creation) {
                self.breach(Promise::QuotasHold, format!("{creation:?}"));
            }
        }
        // The creation times that a wrong clock reports are of no use.
        if self.evidence.jumped == 0 {
            ALL.into_iter().for_each(|user| self.waiting(user));
        }
    }

    /// Checks waiting deliveries. While a user's quota of them is 0, none is stored. A larger quota
    /// is not checked, because it is estimated: a process knows the number of waiting deliveries as
    /// of the last time that it needed it.
    fn waiting(&mut self, user: u128) {
        let plans = self.evidence.plans.of(user);
        let all = self.evidence.deliveries.iter();
        for delivery in all.filter(|delivery| delivery.owner.0 == user) {
            let made = delivery.created;
            let shut = plans.iter().enumerate().find(|(at, plan)| {
                let ends = plans.get(at + 1).map(|next| next.from);
                plan.waiting == Some(0)
                    && made > plan.from + UNDER_WAY
                    && ends.is_none_or(|ends| made < ends)
            });
            if let Some((_, plan)) = shut {
                let what = format!("{} was stored at {made}: {plan:?}", delivery.message_id);
                self.breach(Promise::QuotasHold, what);
            }
        }
    }
}

/// Returns whether a record was stored only within the quota, and refused only beyond it; if
/// something else changed in between, nothing is known.
fn is_creation_right(creation: &Creation) -> bool {
    let Creation { before, after, .. } = creation;
    if before.plan != after.plan || before.deleted != after.deleted {
        return true;
    }
    let Plan { webhooks, .. } = after.plan;
    match creation.stored {
        Some(true) => after.webhooks <= webhooks,
        Some(false) => after.webhooks >= webhooks,
        None => true,
    }
}
