//! What a judgement depends on beside the key and its record.

use std::net::IpAddr;

use apikey_core::Peppers;
use chrono::{DateTime, Utc};

/// From where and when a key was presented, and what its digest is made with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circumstances<'a> {
    pub(crate) addr: IpAddr,
    pub(crate) now: DateTime<Utc>,
    pub(crate) peppers: &'a Peppers,
}
