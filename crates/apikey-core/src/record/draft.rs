use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;

use super::api_key::ApiKey;
use super::expiration::{Expiration, ExpirationError};
use super::text::{Description, KeyName};
use crate::digest::{Digest, DigestScheme, ImportedScheme};
use crate::grant::Grant;
use crate::ip::IpPolicy;
use crate::key::{GeneratorError, LookupId, MaskedKey};
use crate::rate::RateLimit;

/// The data of a new key, as in SPEC's form (SPEC 3, first row).
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct KeyDraft {
    /// The user account that will own the key.
    pub owner: OwnerId,
    /// Its name.
    pub name: KeyName,
    /// Its purpose.
    pub description: Description,
    /// Its expiration; a date must be in the future.
    pub expiration: Expiration,
    /// The addresses that may use it.
    pub ip: IpPolicy,
    /// The part of its user's permissions that it has.
    pub grant: Grant,
    /// Its request limit; `None` means that only the platform's limit applies.
    pub limit: Option<RateLimit>,
}

gatepost_ids::setters!(KeyDraft {
    /// Sets [`name`](Self::name).
    with_name(name: KeyName) => name,
    /// Sets [`description`](Self::description).
    with_description(description: Description) => description,
    /// Sets [`expiration`](Self::expiration).
    with_expiration(expiration: Expiration) => expiration,
    /// Sets [`ip`](Self::ip).
    with_ip(ip: IpPolicy) => ip,
    /// Sets [`grant`](Self::grant).
    with_grant(grant: Grant) => grant,
    /// Sets [`limit`](Self::limit).
    with_limit(limit: Option<RateLimit>) => limit,
});

/// The reason why no key can be created from a draft.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DraftError {
    /// The expiration settings are not valid.
    #[error(transparent)]
    Expiration(#[from] ExpirationError),
    /// The random number generator is broken.
    #[error(transparent)]
    Generator(#[from] GeneratorError),
}

impl KeyDraft {
    /// Sets the expiration from the fields of a form, Expiration Type and Expires, as
    /// [`Expiration::of_type`] parses them.
    ///
    /// # Errors
    /// [`ExpirationError`].
    pub fn with_expiration_type(
        self,
        expiration_type: &str,
        expires: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> Result<Self, ExpirationError> {
        let expiration = Expiration::of_type(expiration_type, expires, now)?;
        Ok(self.with_expiration(expiration))
    }

    /// Creates a draft of a key that never expires, may be used from every address and has all
    /// permissions of its user.
    #[must_use]
    pub fn new(owner: OwnerId, name: KeyName) -> Self {
        Self {
            owner,
            name,
            description: Description::default(),
            expiration: Expiration::Never,
            ip: IpPolicy::default(),
            grant: Grant::all(),
            limit: None,
        }
    }

    /// Creates the record of a key that an older system issued, from the SHA-256 of the whole token
    /// and a masked form chosen by the platform. Its holders continue to use the token;
    /// [`PresentedKey::imported`](crate::PresentedKey::imported) parses it from a request.
    ///
    /// # Errors
    /// [`DraftError::Expiration`]: expired keys cannot be imported.
    pub fn import_sha256(
        self,
        token_sha256: [u8; 32],
        masked: MaskedKey,
        created: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<ApiKey, DraftError> {
        self.expiration.check(now)?;
        let lookup = LookupId::of_imported(&token_sha256);
        let scheme = DigestScheme::Imported(ImportedScheme::Sha256);
        Ok(self.record(lookup, masked, Digest::new(scheme, token_sha256), created))
    }

    /// Returns the record of a key with this digest, created at `created`.
    pub(crate) fn record(
        self,
        lookup: LookupId,
        masked: MaskedKey,
        digest: Digest,
        created: DateTime<Utc>,
    ) -> ApiKey {
        ApiKey {
            owner: self.owner,
            lookup,
            masked,
            digest,
            name: self.name,
            description: self.description,
            expiration: self.expiration,
            ip: self.ip,
            grant: self.grant,
            limit: self.limit,
            enabled: true,
            locked: false,
            created,
            last_login: None,
        }
    }
}
