//! Senders and requests for receivers on this machine.

use std::time::Duration;

use chrono::{DateTime, Utc};
use delivery::{Request, RequestBuilder, Sender, SenderBuilder, TargetPolicy};

pub(crate) fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).unwrap()
}

/// A policy that opens this machine, as every test with a receiver needs it.
pub(crate) fn local_policy() -> TargetPolicy {
    TargetPolicy::public()
        .allow("127.0.0.0/8".parse().unwrap())
        .allow("::1/128".parse().unwrap())
}

pub(crate) fn local_builder() -> SenderBuilder {
    Sender::builder(local_policy())
}

pub(crate) fn post(url: &str) -> RequestBuilder {
    Request::builder(url.parse().unwrap())
        .body("{}")
        .timeout(Duration::from_secs(5))
}
