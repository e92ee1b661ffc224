//! The credentials in each request, compared with those that its webhook had to show.

use chrono::{DateTime, Utc};
use delivery::SigningKeys;

use super::{CLAIMED, Judge, Promise};
use crate::simulation::credentials::{Change, secret, token};
use crate::simulation::ledger::Hook;
use crate::simulation::network::Request;

impl Judge<'_> {
    /// Checks that requests after an edit show the new credentials, and that the old secret still
    /// signs during the overlap.
    pub(super) fn credentials(&mut self) {
        for request in self.evidence.seen {
            let hooks = self.hooks.iter().enumerate();
            let mut of_host = hooks.filter(|(_, hook)| hook.host == Some(request.host));
            let Some((index, hook)) = of_host.next() else {
                continue;
            };
            let right = is_token_right(index, hook, request);
            let signed = are_secrets_right(index, hook, request);
            if right.is_none() || signed.is_none() {
                let carried = &request.carried;
                let what = format!("{} at {}: {carried:?}", request.id, request.at);
                self.breach(Promise::CredentialsAreCurrent, what);
            }
        }
    }
}

fn is_token_right(index: usize, hook: &Hook, request: &Request) -> Option<()> {
    let shown = request.carried.authorization.strip_prefix("Bearer ")?;
    let number = (0..hook.tokens.len()).find(|number| token(index, *number) == shown)?;
    is_current(&hook.tokens, number, request.at).then_some(())
}

/// Returns whether there are two signatures, or one if there never was a second secret.
fn are_secrets_right(index: usize, hook: &Hook, request: &Request) -> Option<()> {
    let at = request.carried.timestamp.parse().ok()?;
    let at = DateTime::from_timestamp(at, 0)?;
    let by = |signature: &str| {
        (0..hook.secrets.len()).find(|number| {
            let secret = secret(index, *number);
            let keys = SigningKeys::parse([secret.expose()]).unwrap();
            keys.signature(&request.id, at, request.body.as_bytes()) == signature
        })
    };
    let signatures = request.carried.signatures.split(' ').map(by);
    match *signatures.collect::<Option<Vec<_>>>()? {
        [0] => is_current(&hook.secrets, 0, request.at),
        [newest, before] => {
            let was = newest != before && is_before(&hook.secrets, before, newest);
            was && is_current(&hook.secrets, newest, request.at)
        }
        _ => false,
    }
    .then_some(())
}

/// Returns whether no other value was certainly stored after it, long enough ago: deliveries
/// claimed earlier show the earlier value.
fn is_current(all: &[Change], number: usize, at: DateTime<Utc>) -> bool {
    let later = all.iter().filter(|later| follows(later, &all[number]));
    let stored = later.filter_map(|later| later.ended);
    stored.into_iter().all(|(stored, _)| stored + CLAIMED >= at)
}

/// Returns whether no third value was certainly stored between the two.
fn is_before(all: &[Change], before: usize, newest: usize) -> bool {
    let mut between = all.iter().filter(|third| follows(third, &all[before]));
    !between.any(|third| {
        third
            .ended
            .is_some_and(|(ended, _)| ended < all[newest].began)
    })
}

/// Returns whether one was certainly stored, and certainly after the other.
fn follows(later: &Change, other: &Change) -> bool {
    let stored = later.ended.is_some_and(|(_, stored)| stored);
    stored && other.ended.is_some_and(|(ended, _)| ended < later.began)
}
