//! Decides which webhook sends next, and how many requests are in flight: fair shares for realms,
//! owners and webhooks, whatever their targets do.
//!
//! A request has a [`Class`], and a class has slots. Within a class, and among those of targets
//! that responded last time, the realm with the fewest requests in flight goes next, in it the
//! owner with the fewest; of equals, the one whose deadline is first. A deadline is the time at
//! which a queue became ready, plus the time for which its target has been silent, at most a
//! minute.
//!
//! Of targets that responded and then stall all at once, nothing is known for two seconds but how
//! long they have been silent. So each class of them has slots that those silent for longer have
//! not.
//!
//! Only webhooks that could send now have a place among those that are ready. A webhook leaves it
//! at its own limit, and while it must wait for a time: its circuit breaker, its rate, a target
//! that asked to wait. When that ends it is put back.
//!
//! There is no lock, no clock and no I/O in here: time is an argument, and the caller claims.

mod about_webhook;
mod config;
mod pace;
mod permit;
mod queues;
mod realms;
mod slots;
mod state;
mod target;
#[cfg(test)]
mod tests;

pub(crate) use self::config::{Config, MOST};
pub(crate) use self::permit::{Outcome, Permit};
pub(crate) use self::queues::{Count, Record, Settings, Waiting, Webhook};
pub(crate) use self::state::Scheduler;
pub(crate) use self::target::SLOW;
