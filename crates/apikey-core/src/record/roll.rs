//! A key is replaced by a new one, and both are good for a while.

use chrono::{DateTime, TimeDelta, Utc};

use super::api_key::ApiKey;
use super::draft::KeyDraft;
use super::edit::EditError;
use super::expiration::Expiration;
use super::state::KeyMove;

/// The longest overlap, in seconds: 30 days.
const MOST: i64 = 30 * 24 * 60 * 60;

/// How long an old key is still good after it was rolled: 0 seconds to 30 days.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Overlap(TimeDelta);

/// Why a number is no [`Overlap`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("must be 0 to {MOST} seconds (30 days)")]
#[non_exhaustive]
pub struct OverlapError;

impl Overlap {
    /// This many seconds.
    ///
    /// # Errors
    /// [`OverlapError`].
    pub fn seconds(seconds: i64) -> Result<Self, OverlapError> {
        let overlap = (0..=MOST).contains(&seconds);
        overlap
            .then(|| Self(TimeDelta::seconds(seconds)))
            .ok_or(OverlapError)
    }
}

/// What a roll makes of a key.
#[derive(Clone, Debug, Eq, PartialEq)]
#[allow(clippy::exhaustive_structs, reason = "each part has to be carried out")]
pub struct Successor {
    /// The new key: all that the old one has but its string, under the next name.
    pub draft: KeyDraft,
    /// When the old one ends: never later than it would have.
    pub old_ends: Expiration,
}

impl ApiKey {
    /// What is to be made of this key when it is rolled. The new one is good for as long as the old
    /// one was made for, counted from now, and at most for 100 years.
    ///
    /// # Errors
    /// [`EditError::Expired`]: an expired key does not come back (SPEC 3).
    pub fn roll(&self, overlap: Overlap, now: DateTime<Utc>) -> Result<Successor, EditError> {
        self.state(now)
            .next(KeyMove::Edit)
            .map_err(EditError::Expired)?;
        let end = now.checked_add_signed(overlap.0);
        let end = end.unwrap_or(DateTime::<Utc>::MAX_UTC);
        let (old_ends, expiration) = match self.expiration {
            Expiration::Never => (Expiration::At(end), Expiration::Never),
            Expiration::At(at) => {
                let span = at.signed_duration_since(self.created);
                let anew = now.checked_add_signed(span).unwrap_or(at);
                (
                    Expiration::At(at.min(end)),
                    Expiration::At(anew.max(at).min(Expiration::latest(now))),
                )
            }
        };
        let draft = KeyDraft {
            owner: self.owner,
            name: self.name.next(),
            description: self.description.clone(),
            expiration,
            ip: self.ip.clone(),
            grant: self.grant.clone(),
            limit: self.limit,
        };
        Ok(Successor { draft, old_ends })
    }
}
