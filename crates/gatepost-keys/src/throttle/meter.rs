use std::sync::Arc;
use std::time::Duration;

use apikey_core::{Empty, RateLimit};

use super::bucket::Bucket;
use super::standing::{RateOf, RateStanding};

/// What the requests of one key are drawn from.
#[derive(Debug)]
pub(crate) struct Meter {
    pub(super) key: Option<Metered>,
    pub(super) owner: Option<Metered>,
}

#[derive(Debug)]
pub(super) struct Metered {
    pub(super) limit: RateLimit,
    pub(super) bucket: Arc<Bucket>,
}

impl Meter {
    /// Draws one request. What a key asks for beyond its own limit is not taken from its owner's
    /// other keys, nor what is beyond the owner's limit from the key.
    ///
    /// # Errors
    /// How the request stands to the limit that it is beyond.
    pub(crate) fn draw(&self, now: Duration) -> Result<Option<RateStanding>, RateStanding> {
        if let (Some(key), Some(_)) = (&self.key, &self.owner) {
            let found = key.bucket.look(key.limit, now);
            found.map_err(|empty| key.refused(RateOf::Key, empty))?;
        }
        let of = |metered: &Option<Metered>, of| {
            let drawn = metered.as_ref().map(|metered| metered.draw(of, now));
            drawn.transpose()
        };
        let owner = of(&self.owner, RateOf::Owner)?;
        let key = of(&self.key, RateOf::Key)?;
        let both = [key, owner].into_iter().flatten();
        Ok(both.min_by_key(|standing| standing.remaining))
    }
}

impl Metered {
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
