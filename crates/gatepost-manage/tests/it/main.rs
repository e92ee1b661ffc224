//! `Management`: permissions, audit records, and completion of changes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test stops at the first surprise"
)]

mod authorization;
mod calls;
mod failing;
mod limits;
mod lookup_cost;
mod matrix;
mod moved_owners;
mod owners;
mod people;
mod references;
mod replays;
mod revocation;
mod secret_carry_over;
mod subscriptions;
mod unreadable;
mod users;
mod visible_rows;
mod watched;
mod world;
