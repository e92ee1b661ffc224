use super::api_key::ApiKey;
use super::draft::KeyDraft;
use super::expiration::Expiration;
use crate::ip::IpPolicy;

/// How far a key reaches: until when, and from where. What it may do there is its user's.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<'a> {
    /// When it stops being valid.
    pub expiration: Expiration,
    /// From where it may be used.
    pub ip: &'a IpPolicy,
}

/// In what a key would reach beyond the one that makes or edits it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, thiserror::Error)]
pub enum BeyondBounds {
    /// It would be valid for longer.
    #[error("must not be later than that of the API key that is used")]
    Expiration,
    /// Its allow list is wider.
    #[error("must allow no address that the API key that is used does not allow")]
    Allow,
    /// It has no allow list, and its deny list leaves out what the other's has.
    #[error("must deny every address that the API key that is used denies")]
    Deny,
}

impl Bounds<'_> {
    /// Refuses what reaches beyond `other` in any way.
    ///
    /// # Errors
    /// Says in what, the expiration first.
    pub fn check_within(&self, other: &Bounds<'_>) -> Result<(), BeyondBounds> {
        let is_later = match (self.expiration, other.expiration) {
            (_, Expiration::Never) => false,
            (Expiration::Never, Expiration::At(_)) => true,
            (Expiration::At(mine), Expiration::At(others)) => mine > others,
        };
        if is_later {
            return Err(BeyondBounds::Expiration);
        }
        if self.ip.is_within(other.ip) {
            return Ok(());
        }
        if self.ip.allow.is_empty() && other.ip.allow.is_empty() {
            Err(BeyondBounds::Deny)
        } else {
            Err(BeyondBounds::Allow)
        }
    }
}

impl ApiKey {
    /// How far it reaches.
    #[must_use]
    pub fn bounds(&self) -> Bounds<'_> {
        Bounds {
            expiration: self.expiration,
            ip: &self.ip,
        }
    }
}

impl KeyDraft {
    /// How far the key will reach.
    #[must_use]
    pub fn bounds(&self) -> Bounds<'_> {
        Bounds {
            expiration: self.expiration,
            ip: &self.ip,
        }
    }
}
