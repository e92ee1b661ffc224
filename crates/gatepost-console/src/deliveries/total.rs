//! How many deliveries match, as far as they are counted.

use chrono::{DateTime, Utc};
use gatepost_manage::FoundDeliveries;

/// Up to which number deliveries are counted.
pub(super) const COUNTED: usize = 2_000;
/// What a count reads: one more, to see whether there are.
pub(super) const COUNT: u32 = 2_001;

/// How many deliveries match.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Total {
    Exactly(usize),
    /// More than are counted.
    More,
    /// This many among those that were looked at, the last of which was queued then.
    AtLeast(usize, Option<DateTime<Utc>>),
    /// Nobody counted them: a text would have to be searched in all of them.
    Unknown,
}

impl Total {
    /// Of a look at all that matches.
    pub(super) fn of(look: &FoundDeliveries) -> Self {
        match look.rows.len() {
            found if found > COUNTED => Self::More,
            found if look.next.is_none() => Self::Exactly(found),
            found => Self::AtLeast(found, look.searched_to),
        }
    }
}
