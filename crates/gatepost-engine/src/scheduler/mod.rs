//! Decides which webhook sends next, and how many requests are in flight: fair shares for realms,
//! owners and webhooks, however their targets behave.
//!
//! A request has a [`Class`], and a class has slots. Within a class, and among the classes of
//! targets that responded last time, the realm with the fewest requests in flight goes next, and
//! within it the owner with the fewest; of equals, the one with the earliest deadline. A deadline
//! is the time at which a queue became ready, plus the time for which its target has been silent,
//! at most a minute.
//!
//! If many responsive targets stall at the same time, this shows for two seconds only in how long
//! they have been silent. So each class of them has slots that targets silent for longer cannot
//! use.
//!
//! Only webhooks that could send immediately are among those that are ready. A webhook is removed
//! at its own limit, and while it must wait for a time: for its circuit breaker, its rate, or a
//! target that asked to wait. It is put back afterwards.
//!
//! This module has no lock, clock or I/O: time is an argument, and the caller claims.

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
mod webhooks;

pub(crate) use self::config::{Config, MOST};
pub(crate) use self::permit::{Outcome, Permit};
pub(crate) use self::queues::{Count, History, Settings, Waiting, Webhook};
pub(crate) use self::state::Scheduler;
pub(crate) use self::target::SLOW;
