use std::sync::Arc;
use std::time::Duration;

use apikey_core::{Empty, RateLimit};

use super::bucket::Bucket;
use super::rate_state::{RateOf, RateState};

/// The buckets that the requests of one key are charged to.
#[derive(Debug)]
pub(crate) enum Meter {
    Key(Metered),
    Owner(Metered),
    Both { key: Metered, owner: Metered },
}

#[derive(Debug)]
pub(crate) struct Metered {
    pub(super) limit: RateLimit,
    pub(super) bucket: Arc<Bucket>,
}

impl Meter {
    /// Creates the meter for the existing limits.
    pub(super) fn of(key: Option<Metered>, owner: Option<Metered>) -> Option<Self> {
        match (key, owner) {
            (Some(key), Some(owner)) => Some(Self::Both { key, owner }),
            (Some(key), None) => Some(Self::Key(key)),
            (None, owner) => owner.map(Self::Owner),
        }
    }

    /// Charges one request. Returns the state of the limit that is nearest. A request that exceeds
    /// the key's own limit is not charged to the owner, and one that exceeds the owner's limit is
    /// not charged to the key.
    ///
    /// # Errors
    /// The state of the limit that the request exceeds.
    #[inline]
    pub(crate) fn draw(&self, now: Duration) -> Result<RateState, RateState> {
        match self {
            Self::Key(key) => key.draw(RateOf::Key, now),
            Self::Owner(owner) => owner.draw(RateOf::Owner, now),
            Self::Both { key, owner } => {
                let found = key.bucket.look(key.limit, now);
                found.map_err(|empty| key.refused(RateOf::Key, empty))?;
                let owner = owner.draw(RateOf::Owner, now)?;
                let key = key.draw(RateOf::Key, now)?;
                let is_nearer = owner.remaining < key.remaining;
                Ok(if is_nearer { owner } else { key })
            }
        }
    }
}

impl Metered {
    #[inline]
    fn draw(&self, of: RateOf, now: Duration) -> Result<RateState, RateState> {
        match self.bucket.draw(self.limit, now) {
            Ok(drawn) => Ok(RateState {
                of,
                limit: self.limit,
                remaining: drawn.remaining,
                reset: drawn.full_in,
            }),
            Err(empty) => Err(self.refused(of, empty)),
        }
    }

    fn refused(&self, of: RateOf, empty: Empty) -> RateState {
        RateState {
            of,
            limit: self.limit,
            remaining: 0,
            reset: empty.retry_after,
        }
    }
}
