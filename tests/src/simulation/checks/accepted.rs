//! Accepted occurrences, compared with stored deliveries.

use std::collections::BTreeMap;

use super::{Judge, Promise};
use crate::simulation::accounts::administrator;

impl Judge<'_> {
    /// Checks that every accepted occurrence ran the task of every steady webhook that receives it,
    /// once, and no task of others.
    pub(super) fn accepted(&mut self) {
        let mut made: BTreeMap<(u64, usize), u32> = BTreeMap::new();
        for delivery in self.evidence.deliveries {
            if let Some((number, hook)) = numbers(&delivery.body) {
                *made.entry((number, hook)).or_default() += 1;
                if self.hooks[hook].id != delivery.webhook {
                    let what = format!("{} is not of webhook {hook}", delivery.message_id);
                    self.breach(Promise::WallsHold, what);
                }
            }
        }
        for request in self.evidence.seen {
            let hook = numbers(&request.body).map(|(_, hook)| hook);
            if hook.is_some_and(|hook| self.hooks[hook].host != Some(request.host)) {
                let what = format!("{} came to host {}", request.id, request.host);
                self.breach(Promise::WallsHold, what);
            }
        }
        let happened = self.evidence.ledger.happened.lock().unwrap().clone();
        for (&(number, hook), &count) in &made {
            let user = happened[&number].user;
            let owner = self.hooks[hook].owner;
            if owner != user && owner != administrator(user) {
                let what = format!("{number} about {user} came to {owner}");
                self.breach(Promise::WallsHold, what);
            }
            if count > 1 {
                let what = format!("{number} ran the task of webhook {hook} {count} times");
                self.breach(Promise::OncePerOccurrence, what);
            }
        }
        for (number, known) in happened {
            let Some(accepted) = known.accepted else {
                continue;
            };
            for (index, hook) in self.hooks.clone().iter().enumerate() {
                let hears = hook.owner == known.user || hook.owner == administrator(known.user);
                let plans = self.evidence.plans;
                let missing = hook.steady && hears && !made.contains_key(&(number, index));
                if missing && !plans.was_limited(hook.owner, known.began, accepted) {
                    let what = format!("{number} was accepted and not queued for webhook {index}");
                    self.breach(Promise::NothingIsLost, what);
                }
            }
        }
    }

    /// Checks that a one-time task ran once if an occurrence matched it, and at most once
    /// otherwise.
    pub(super) fn once(&mut self) {
        let mut made: BTreeMap<u64, u32> = BTreeMap::new();
        for delivery in self.evidence.deliveries {
            if let Some(number) = field(&delivery.body, "once") {
                *made.entry(number).or_default() += 1;
            }
        }
        let tasks = self.evidence.ledger.once.lock().unwrap().clone();
        for (number, once) in tasks {
            let count = made.get(&number).copied().unwrap_or_default();
            let plans = self.evidence.plans;
            let missing = once.reached.is_some_and(|reached| {
                count == 0 && !plans.was_limited(once.user, once.began, reached)
            });
            if count > 1 || missing {
                let what = format!("one-time task {number}: {count} deliveries, {once:?}");
                self.breach(Promise::OnceIsOnce, what);
            }
        }
    }
}

/// Returns the numbers of an occurrence and of a webhook.
pub(super) fn numbers(body: &str) -> Option<(u64, usize)> {
    Some((
        field(body, "n")?,
        usize::try_from(field(body, "hook")?).ok()?,
    ))
}

fn field(body: &str, name: &str) -> Option<u64> {
    let body: serde_json::Value = serde_json::from_str(body).ok()?;
    body.get(name)?.as_str()?.parse().ok()
}
