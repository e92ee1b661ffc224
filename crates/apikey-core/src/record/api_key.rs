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
use crate::key::{KeyHint, LookupId};
use crate::rate::RateLimit;

/// An API key as it is stored (SPEC 2.1): everything but the key string, which nobody has but its
/// holder. The row number is the backend's and stands beside it.
#[derive(Clone, Debug, Eq, PartialEq)]
#[allow(
    clippy::exhaustive_structs,
    reason = "a record: who stores it learns of a new field from the compiler"
)]
pub struct ApiKey {
    /// The user account whose permissions the key carries.
    pub owner: OwnerId,
    /// Finds this record for a presented key.
    pub lookup: LookupId,
    /// Shown instead of the key.
    pub hint: KeyHint,
    /// What a presented key is compared with.
    pub digest: Digest,
    /// Descriptive identifier.
    pub name: KeyName,
    /// Purpose, requester, related systems.
    pub description: Description,
    /// When the key stops being valid.
    pub expiration: Expiration,
    /// From where it may be used.
    pub ip: IpPolicy,
    /// What it may do of what its user may.
    pub grant: Grant,
    /// How many requests it may make; `None` sets no limit beside the platform's.
    pub limit: Option<RateLimit>,
    /// Whether it is accepted. A disabled key answers as a deleted one, until it is enabled again.
    pub enabled: bool,
    /// Somebody else than its owner disabled it: its owner cannot enable it again.
    pub locked: bool,
    /// When it was generated.
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
    /// When.
    pub at: DateTime<Utc>,
    /// The source address.
    pub from: IpAddr,
}

impl ApiKey {
    /// Active or expired. A stored key is never [`KeyState::Deleted`]: deletion removes it.
    #[must_use]
    pub fn state(&self, now: DateTime<Utc>) -> KeyState {
        KeyState::of(&self.expiration, now)
    }

    /// Records a successful authentication (SPEC 5.1 rule 6). Logins may be reported late and out
    /// of order; the newest stays.
    pub fn record_login(&mut self, login: LastLogin) {
        if self.last_login.is_none_or(|last| last.at <= login.at) {
            self.last_login = Some(login);
        }
    }
}
