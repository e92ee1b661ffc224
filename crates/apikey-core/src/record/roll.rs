//! Rolling: a new key replaces another, and both are valid for a while.

use chrono::{DateTime, TimeDelta, Utc};

use super::api_key::ApiKey;
use super::draft::KeyDraft;
use super::edit::EditError;
use super::expiration::Expiration;
use super::state::KeyMove;

/// The maximum overlap in seconds: 30 days.
const MOST: i64 = 30 * 24 * 60 * 60;

/// The time for which an old key is still valid after it was rolled: 0 seconds to 30 days.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Overlap(TimeDelta);

/// The reason why a number is not an [`Overlap`].
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("must be 0 to {MOST} seconds (30 days)")]
#[non_exhaustive]
pub struct OverlapError;

impl Overlap {
    /// Creates an overlap of this many seconds.
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

/// The result of rolling a key.
#[derive(Clone, Debug, Eq, PartialEq)]
#[allow(clippy::exhaustive_structs, reason = "each part has to be carried out")]
pub struct Successor {
    /// The new key: all fields of the old one except its string, under the next name.
    pub draft: KeyDraft,
    /// The expiration of the old key: never later than before.
    pub old_ends: Expiration,
}

impl ApiKey {
    /// Returns the result of rolling this key. The new key is valid for as long as the old one was
    /// created for, counted from now, and for at most 100 years.
    ///
    /// # Errors
    /// [`EditError::Expired`]: an expired key cannot be rolled (SPEC 3).
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
