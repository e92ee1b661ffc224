//! The crate from outside: the rules of SPEC 2.1, 3, 5.1 and 7, and vectors of other systems.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test stops at the first surprise"
)]

mod absences;
mod bearer;
mod bounds;
mod common;
mod digests;
mod grant;
mod ip_policy;
mod ip_vectors;
mod key_string;
mod pasted;
mod request_limits;
mod rolls;
mod spec_2_1_api_key;
mod spec_5_1_verify_key;
