//! Notices to users about their own webhooks: occurrences, which their events match like any other.

mod announcer;
mod catalog;
mod occurrences;
mod trouble_search;

pub(crate) use announcer::Announcer;
pub(crate) use catalog::with_own_types;
