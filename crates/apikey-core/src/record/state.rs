use chrono::{DateTime, Utc};

use super::expiration::Expiration;

/// The states of a key (SPEC 3). A new key is `Active`.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[allow(clippy::exhaustive_enums, reason = "these are all there are")]
pub enum KeyState {
    /// The key authenticates.
    Active,
    /// Its date is reached. It stays listed until it is deleted, and is never active again.
    Expired,
    /// The key is deleted.
    Deleted,
}

/// The transitions between the states of a key (SPEC 3).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[allow(clippy::exhaustive_enums, reason = "these are all there are")]
pub enum KeyMove {
    /// Delete confirmed.
    Delete,
    /// Edit then Submit: metadata and access controls change, the state does not.
    Edit,
    /// Expiration date reached.
    Expire,
}

/// A transition that SPEC 3 does not have.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("a key that is {from:?} has no move {by:?}")]
#[non_exhaustive]
pub struct InvalidTransition {
    /// The state.
    pub from: KeyState,
    /// The transition.
    pub by: KeyMove,
}

impl KeyState {
    /// Returns the state of a stored key.
    #[must_use]
    pub fn of(expiration: &Expiration, now: DateTime<Utc>) -> Self {
        if expiration.is_expired(now) {
            Self::Expired
        } else {
            Self::Active
        }
    }

    /// Returns the state after a transition.
    ///
    /// # Errors
    /// [`InvalidTransition`] for every pair that is not a row of SPEC 3: an expired key cannot be
    /// edited (SPEC 7, *a new key must be created*), and a deleted one has no transitions.
    pub fn next(self, by: KeyMove) -> Result<Self, InvalidTransition> {
        match (self, by) {
            (Self::Active, KeyMove::Edit) => Ok(Self::Active),
            (Self::Active, KeyMove::Expire) => Ok(Self::Expired),
            (Self::Active | Self::Expired, KeyMove::Delete) => Ok(Self::Deleted),
            _ => Err(InvalidTransition { from: self, by }),
        }
    }
}

impl Expiration {
    /// Returns the expiry transition once it is due. *Never Expire* has none (SPEC 3).
    #[must_use]
    pub fn due_move(&self, now: DateTime<Utc>) -> Option<KeyMove> {
        self.is_expired(now).then_some(KeyMove::Expire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_state_transitions_match_spec_3() {
        use KeyMove::{Delete, Edit, Expire};
        use KeyState::{Active, Deleted, Expired};
        let legal = [
            (Active, Expire, Expired),
            (Active, Delete, Deleted),
            (Expired, Delete, Deleted),
            (Active, Edit, Active),
        ];
        for from in [Active, Expired, Deleted] {
            for by in [Delete, Edit, Expire] {
                let row = legal.iter().find(|(f, b, _)| (*f, *b) == (from, by));
                let expected = row
                    .map(|(_, _, to)| *to)
                    .ok_or(InvalidTransition { from, by });
                assert_eq!(from.next(by), expected);
            }
        }
    }

    #[test]
    fn never_expiring_key_has_no_expiry_transition() {
        assert_eq!(Expiration::Never.due_move(DateTime::<Utc>::MAX_UTC), None);
        let at = "2027-03-01T00:00:00Z".parse().unwrap();
        assert_eq!(Expiration::At(at).due_move(at), Some(KeyMove::Expire));
    }
}
