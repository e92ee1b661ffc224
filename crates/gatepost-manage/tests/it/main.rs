//! `Management`: permissions, audit records, and completion of changes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test stops at the first surprise"
)]

mod calls;
mod failing;
mod judged;
mod kept_back;
mod limits;
mod listed;
mod looked_up;
mod matrix;
mod moved;
mod owned;
mod people;
mod references;
mod replays;
mod revoked;
mod subscriptions;
mod unreadable;
mod users;
mod watched;
mod world;
