use std::sync::Arc;
use std::time::Duration;

use apikey_core::{Empty, RateLimit};

use super::bucket::Bucket;
use super::standing::{RateOf, RateStanding};

/// What the requests of one key are drawn from.
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
    /// The meter of the limits that there are.
    pub(super) fn of(key: Option<Metered>, owner: Option<Metered>) -> Option<Self> {
        match (key, owner) {
            (Some(key), Some(owner)) => Some(Self::Both { key, owner }),
            (Some(key), None) => Some(Self::Key(key)),
            (None, owner) => owner.map(Self::Owner),
        }
    }

    /// Draws one request: how it stands to the limit that is nearest. What a key asks for beyond
    /// its own limit is not taken from its owner's other keys, nor what is beyond the owner's limit
    /// from the key.
    ///
    /// # Errors
    /// How the request stands to the limit that it is beyond.
    #[inline]
    pub(crate) fn draw(&self, now: Duration) -> Result<RateStanding, RateStanding> {
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
    fn draw(&self, of: RateOf, now: Duration) -> Result<RateStanding, RateStanding> {
        match self.bucket.draw(self.limit, now) {
            Ok(drawn) => Ok(RateStanding {
                of,
                limit: self.limit,
                remaining: drawn.remaining,
                reset: drawn.full_in,
            }),
            Err(empty) => Err(self.refused(of, empty)),
        }
    }

    fn refused(&self, of: RateOf, empty: Empty) -> RateStanding {
        RateStanding {
            of,
            limit: self.limit,
            remaining: 0,
            reset: empty.retry_after,
        }
    }
}
