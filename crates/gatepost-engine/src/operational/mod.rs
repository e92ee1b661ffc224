//! Notices to users about their own webhooks: occurrences, which their events match like any other.

mod announcer;
mod catalog;
mod looks;
mod occurrences;

pub(crate) use announcer::Announcer;
pub(crate) use catalog::with_own_types;
