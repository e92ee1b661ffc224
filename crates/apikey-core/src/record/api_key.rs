//! The record itself.

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;

use super::expiration::Expiration;
use super::state::KeyState;
use super::text::{Description, KeyName};
use crate::digest::Digest;
use crate::grant::Grant;
use crate::ip::IpPolicy;
use crate::key::{LookupId, MaskedKey};
use crate::rate::RateLimit;

/// A stored API key (SPEC 2.1): everything except the key string, which only its holder has. The
/// row number is the backend's, and is not part of it.
#[derive(Clone, Debug, Eq, PartialEq)]
#[allow(
    clippy::exhaustive_structs,
    reason = "a record: who stores it learns of a new field from the compiler"
)]
pub struct ApiKey {
    /// The user account whose permissions the key carries.
    pub owner: OwnerId,
    /// The id that identifies this record for a presented key.
    pub lookup: LookupId,
    /// The masked form, which is shown instead of the key.
    pub masked: MaskedKey,
    /// The digest that a presented key is compared with.
    pub digest: Digest,
    /// Descriptive identifier.
    pub name: KeyName,
    /// Purpose, requester, related systems.
    pub description: Description,
    /// Its expiration.
    pub expiration: Expiration,
    /// The addresses that may use it.
    pub ip: IpPolicy,
    /// The part of its user's permissions that it has.
    pub grant: Grant,
    /// Its request limit; `None` means that only the platform's limit applies.
    pub limit: Option<RateLimit>,
    /// Whether it is enabled. A disabled key gets the same response as a deleted one, until it is
    /// enabled again.
    pub enabled: bool,
    /// Whether another user than its owner disabled it: its owner cannot enable it again.
    pub locked: bool,
    /// The time at which it was generated.
    pub created: DateTime<Utc>,
    /// The most recent successful authentication.
    pub last_login: Option<LastLogin>,
}

/// A successful authentication: SPEC's *Last Logged In* and *Last Logged In IP*.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[allow(
    clippy::exhaustive_structs,
    reason = "a record: who stores it learns of a new field from the compiler"
)]
pub struct LastLogin {
    /// The time.
    pub at: DateTime<Utc>,
    /// The source address.
    pub from: IpAddr,
}

impl ApiKey {
    /// Returns whether it is active or expired. A stored key is never [`KeyState::Deleted`]:
    /// deletion removes it.
    #[must_use]
    pub fn state(&self, now: DateTime<Utc>) -> KeyState {
        KeyState::of(&self.expiration, now)
    }

    /// Records a successful authentication (SPEC 5.1 rule 6). Logins may be reported late and out
    /// of order; the newest is kept.
    pub fn record_login(&mut self, login: LastLogin) {
        if self.last_login.is_none_or(|last| last.at <= login.at) {
            self.last_login = Some(login);
        }
    }
}
