use super::api_key::ApiKey;
use super::draft::KeyDraft;
use super::expiration::Expiration;
use crate::grant::Grant;
use crate::ip::IpPolicy;
use crate::rate::RateLimit;

/// The bounds of a key: its expiration, addresses, grant, and request limit.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Bounds<'a> {
    /// Its expiration.
    pub expiration: Expiration,
    /// The addresses that may use it.
    pub ip: &'a IpPolicy,
    /// Its grant.
    pub grant: &'a Grant,
    /// Its request limit.
    pub limit: Option<RateLimit>,
}

/// The bound that a key would exceed, compared with the key that creates or edits it.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExceedsCaller {
    /// The key would be valid for longer.
    #[error("must not be later than that of the API key that is used")]
    Expiration,
    /// Its allow list is wider.
    #[error("must allow no address that the API key that is used does not allow")]
    Allow,
    /// The key has no allow list, and its deny list lacks entries of the other's.
    #[error("must deny every address that the API key that is used denies")]
    Deny,
    /// The key could write.
    #[error("must be set, because the API key that is used is read-only")]
    ReadOnly,
    /// The key could make more requests.
    #[error("must be set, and not be more than that of the API key that is used")]
    Requests,
    /// The key would have more scopes.
    #[error("must name scopes of the API key that is used, and no others")]
    Scopes,
    /// The key could use more tables.
    #[error("must name tables of the API key that is used, and no others")]
    Tables,
}

impl Bounds<'_> {
    /// Checks that these bounds are within `other`.
    ///
    /// # Errors
    /// The first exceeded bound: the expiration, then the addresses, then the grant, then the
    /// request limit.
    pub fn check_within(&self, other: &Bounds<'_>) -> Result<(), ExceedsCaller> {
        let is_later = match (self.expiration, other.expiration) {
            (_, Expiration::Never) => false,
            (Expiration::Never, Expiration::At(_)) => true,
            (Expiration::At(mine), Expiration::At(others)) => mine > others,
        };
        if is_later {
            return Err(ExceedsCaller::Expiration);
        }
        self.check_addresses(other.ip)?;
        self.check_grant(other.grant)?;
        match (self.limit, other.limit) {
            (_, None) => Ok(()),
            (Some(mine), Some(others)) if mine <= others => Ok(()),
            _ => Err(ExceedsCaller::Requests),
        }
    }

    fn check_addresses(&self, other: &IpPolicy) -> Result<(), ExceedsCaller> {
        if self.ip.is_within(other) {
            Ok(())
        } else if self.ip.allow.is_empty() && other.allow.is_empty() {
            Err(ExceedsCaller::Deny)
        } else {
            Err(ExceedsCaller::Allow)
        }
    }

    fn check_grant(&self, other: &Grant) -> Result<(), ExceedsCaller> {
        if self.grant.is_within(other) {
            Ok(())
        } else if other.is_read_only() && !self.grant.is_read_only() {
            Err(ExceedsCaller::ReadOnly)
        } else if !self.grant.tables().are_among(other.tables()) {
            Err(ExceedsCaller::Tables)
        } else if !self.grant.scopes().are_among(other.scopes()) || other.tables().is_empty() {
            Err(ExceedsCaller::Scopes)
        } else {
            // It names nothing, and so would allow everything.
            Err(ExceedsCaller::Tables)
        }
    }
}

impl ApiKey {
    /// Returns its bounds.
    #[must_use]
    pub fn bounds(&self) -> Bounds<'_> {
        Bounds {
            expiration: self.expiration,
            ip: &self.ip,
            grant: &self.grant,
            limit: self.limit,
        }
    }
}

impl KeyDraft {
    /// Returns the bounds of the new key.
    #[must_use]
    pub fn bounds(&self) -> Bounds<'_> {
        Bounds {
            expiration: self.expiration,
            ip: &self.ip,
            grant: &self.grant,
            limit: self.limit,
        }
    }
}
