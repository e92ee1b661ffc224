//! Actions that a user starts outside of the queue, and so of its shares of requests in flight:
//! names that are looked up for a form. Only a few run concurrently for an owner, for a realm, and
//! in all.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gatepost_ids::Realm;
use webhook_model::OwnerId;

use crate::error::EngineError;

/// Limits of concurrent lookups, including those that nobody waits for any more: deliveries need
/// the resolver, too. If those of one realm hang, other realms still have capacity.
pub(crate) const LOOKUPS: Most = Most {
    owner: 2,
    place: 2,
    all: 8,
};
/// When a refused one may be tried again: most have ended by then.
const SOON: Duration = Duration::from_secs(5);

/// The limits of concurrent actions in this process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Most {
    /// For one owner.
    pub owner: usize,
    /// For the owners of one realm, so that other realms have capacity.
    pub place: usize,
    /// For all.
    pub all: usize,
}

/// The actions under way. Clones share their state.
#[derive(Clone, Debug)]
pub(crate) struct AtOnce {
    most: Most,
    owners: Arc<Mutex<Sharers>>,
}

/// The owner of each, and that owner's realm at the start; `None` on a platform that is one system.
type Sharers = Vec<(OwnerId, Option<Realm>)>;

/// One action, for as long as it is held.
#[derive(Debug)]
pub(crate) struct UnderWay {
    all: AtOnce,
    owner: OwnerId,
}

impl AtOnce {
    pub(crate) fn new(most: Most) -> Self {
        Self {
            most,
            owners: Arc::default(),
        }
    }

    /// # Errors
    /// `TooFast`: the limit is reached.
    pub(crate) fn begin(
        &self,
        owner: OwnerId,
        place: Option<Realm>,
    ) -> Result<UnderWay, EngineError> {
        let mut owners = self.lock();
        let known = owners.iter().find(|(of, _)| *of == owner);
        let place = known.map_or(place, |(_, place)| *place);
        let own = owners.iter().filter(|(of, _)| *of == owner).count();
        let of_place = owners.iter().filter(|(_, there)| *there == place).count();
        let place_is_full = place.is_some() && of_place >= self.most.place;
        if own >= self.most.owner || place_is_full || owners.len() >= self.most.all {
            return Err(EngineError::TooFast { retry_after: SOON });
        }
        owners.push((owner, place));
        let all = self.clone();
        Ok(UnderWay { all, owner })
    }

    /// A panic under the lock could only come from a bug, and leaves whole counts.
    fn lock(&self) -> MutexGuard<'_, Sharers> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut owners = self.all.lock();
        let at = owners.iter().position(|(of, _)| *of == self.owner);
        if let Some(at) = at {
            owners.swap_remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use gatepost_ids::TenantId;

    use super::*;

    const MOST: Most = Most {
        owner: 4,
        place: 16,
        all: 64,
    };

    fn begin(all: &AtOnce, owner: u128, place: Option<Realm>) -> Result<UnderWay, EngineError> {
        all.begin(OwnerId(owner), place)
    }

    /// Begins one action for each of these owners.
    fn of(all: &AtOnce, owners: std::ops::Range<u128>, place: Option<Realm>) -> Vec<UnderWay> {
        let begun = owners.map(|owner| begin(all, owner, place).unwrap());
        begun.collect()
    }

    fn is_refused(begun: &Result<UnderWay, EngineError>) -> bool {
        matches!(begun, Err(EngineError::TooFast { .. }))
    }

    #[test]
    fn direct_requests_are_limited_per_owner_and_overall() {
        let all = AtOnce::new(MOST);
        let one = |owner| begin(&all, owner, None);
        let mut own: Vec<_> = (0..MOST.owner).map(|_| one(0).unwrap()).collect();
        assert!(is_refused(&one(0)));
        own.pop();
        own.push(one(0).unwrap());
        let others = of(&all, 1..61, None);
        assert_eq!(own.len() + others.len(), MOST.all);
        assert!(is_refused(&one(u128::MAX)));
        drop(others);
        assert!(one(u128::MAX).is_ok());
        drop(own);
        assert!(all.lock().is_empty(), "nothing is remembered");
    }

    #[test]
    fn owners_of_a_realm_leave_slots_to_others() {
        let all = AtOnce::new(MOST);
        let [busy, other] = [1, 2].map(|tenant| Some(Realm::Tenant(TenantId(tenant))));
        // Owners who were not placed yet share a realm like others.
        let unplaced = of(&all, 100..116, Some(Realm::Shared));
        assert!(is_refused(&begin(&all, 116, Some(Realm::Shared))));
        drop(unplaced);
        let mut theirs = of(&all, 0..16, busy);
        assert!(is_refused(&begin(&all, 16, busy)));
        assert!(begin(&all, 17, other).is_ok());
        // If an owner with one in progress is moved, it counts in the realm where it began.
        assert!(is_refused(&begin(&all, 0, other)));
        theirs.pop();
        assert!(begin(&all, 16, busy).is_ok());
    }
}
