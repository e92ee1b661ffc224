//! What is known of a key that was presented, before its owner is asked for.

use std::net::IpAddr;
use std::sync::Arc;

use apikey_core::{Accepted, Grant, KeyId, KeyRefusal, OwnerId, Peppers};
use chrono::{DateTime, Utc};

use crate::throttle::Meter;

/// From where and when a key was presented, and what its digest is made with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circumstances<'a> {
    pub(crate) addr: IpAddr,
    pub(crate) now: DateTime<Utc>,
    pub(crate) peppers: &'a Peppers,
}

/// A record was found, and this is what it says of the key.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) key: KeyId,
    pub(crate) owner: OwnerId,
    pub(crate) grant: Grant,
    pub(crate) meter: Option<Arc<Meter>>,
    pub(crate) outcome: Result<Accepted, KeyRefusal>,
    /// Whether the record was read from the store for this request.
    pub(crate) is_cold: bool,
}

impl Judged {
    /// Whether whoever presents the key does not have it.
    pub(crate) fn is_wrong_secret(&self) -> bool {
        is_wrong_secret(self.outcome)
    }
}

/// Whether whoever presents the key does not have it.
pub(crate) fn is_wrong_secret(outcome: Result<Accepted, KeyRefusal>) -> bool {
    use KeyRefusal::{Unknown, UnknownPepper, WrongSecret};
    matches!(outcome, Err(WrongSecret | UnknownPepper | Unknown))
}
