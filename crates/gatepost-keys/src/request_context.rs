//! The inputs of a decision other than the key and its record.

use std::net::IpAddr;

use apikey_core::Peppers;
use chrono::{DateTime, Utc};

/// The client address, the time, and the peppers for the digest of a presented key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circumstances<'a> {
    pub(crate) addr: IpAddr,
    pub(crate) now: DateTime<Utc>,
    pub(crate) peppers: &'a Peppers,
}
