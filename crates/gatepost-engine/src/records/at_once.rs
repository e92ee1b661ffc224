//! Messages that are sent at once, to test a webhook: past the queue, and so outside its shares of
//! requests in flight. Of an owner, and in all, only a few are under way.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use webhook_model::OwnerId;

use crate::error::EngineError;

/// Of one owner.
const OF_OWNER: usize = 4;
/// Of all in this process.
const IN_ALL: usize = 64;
/// When one that is refused may be tried again: most have ended by then.
const SOON: Duration = Duration::from_secs(5);

/// Those that are under way. All clones are one.
#[derive(Clone, Debug, Default)]
pub(crate) struct AtOnce(Arc<Mutex<HashMap<OwnerId, usize>>>);

/// One of them, for as long as it is held.
#[derive(Debug)]
pub(crate) struct UnderWay {
    all: AtOnce,
    owner: OwnerId,
}

impl AtOnce {
    /// # Errors
    /// `TooFast`: as many as may be are under way.
    pub(super) fn begin(&self, owner: OwnerId) -> Result<UnderWay, EngineError> {
        let mut owners = self.lock();
        let own = owners.get(&owner).copied().unwrap_or_default();
        if own >= OF_OWNER || owners.values().sum::<usize>() >= IN_ALL {
            return Err(EngineError::TooFast { retry_after: SOON });
        }
        owners.insert(owner, own + 1);
        let all = self.clone();
        Ok(UnderWay { all, owner })
    }

    /// A panic under the lock could only come from a bug, and leaves whole counts.
    fn lock(&self) -> MutexGuard<'_, HashMap<OwnerId, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut owners = self.all.lock();
        let left = owners.get(&self.owner).copied().unwrap_or_default();
        if left > 1 {
            owners.insert(self.owner, left - 1);
        } else {
            owners.remove(&self.owner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_has_a_few_all_have_more_and_what_ended_makes_room() {
        let all = AtOnce::default();
        let begin = |owner| all.begin(OwnerId(owner));
        let mut own: Vec<_> = (0..OF_OWNER).map(|_| begin(0).unwrap()).collect();
        assert!(matches!(begin(0), Err(EngineError::TooFast { .. })));
        own.pop();
        own.push(begin(0).unwrap());
        let others = (OF_OWNER..IN_ALL).map(|n| i64::try_from(n).unwrap());
        let others: Vec<_> = others.map(|owner| begin(owner).unwrap()).collect();
        assert!(matches!(begin(-1), Err(EngineError::TooFast { .. })));
        drop(others);
        assert!(begin(-1).is_ok());
        drop(own);
        assert!(all.lock().is_empty(), "nothing is remembered");
    }
}
