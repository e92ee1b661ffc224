//! Who may have, watch and receive what, as the platform says it.
//!
//! Everything that is asked of the platform's code about users is asked here: with a guard, within
//! five seconds, and never in a transaction of the store.

mod accounts;
mod failures;
mod flights;
mod hearing;
mod kept;
mod limits;
mod owners;
mod parts;
mod places;
mod quotas;
mod rule;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod watch;

use std::sync::Arc;

use accounts::AccountBook;
use gatepost_ids::Audience;
pub(crate) use hearing::{Heard, Hearing};
use owners::Owners;
pub(crate) use parts::Ground;
pub(crate) use quotas::Room;
use quotas::{Drops, Rates, Usage};
pub(crate) use rule::Rule;
use watch::Watches;
pub use watch::{May, Watch, WatchAnswer, WatchError, Watched};

/// Answers for the platform. All that it keeps is bounded, whatever the number of owners.
#[derive(Debug)]
pub(crate) struct Judge {
    decides: Decides,
    default_audience: Option<Audience>,
    book: Arc<AccountBook>,
    owners: Arc<Owners>,
    usage: Arc<Usage>,
    drops: Drops,
    /// What owners do by hand.
    runs: Rates,
    /// Changes of records by operators.
    changes: Rates,
}

/// Who decides who receives what.
#[derive(Debug)]
enum Decides {
    Nobody,
    Address,
    Platform(Arc<Watches>),
}
