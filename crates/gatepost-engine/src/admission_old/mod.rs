//! What may be sent when: lanes take turns, requests in flight are limited, retries have a pace.

mod backlogs;
mod board;
mod counts;
mod entry;
mod feedback;
mod held;
mod in_flight;
mod inquiries;
mod known;
mod lanes;
mod later;
mod line;
mod lot;
mod pace;
mod pacer;
mod parked;
mod precedence;
mod room;
mod shared_breaker;
mod slots;
mod standing;
#[cfg(test)]
mod tests;
mod turn;
mod turns;

use std::sync::Arc;
use std::time::Duration;

pub(crate) use feedback::{Feedback, Lesson};
pub(crate) use in_flight::{InFlight, Permit};
pub(crate) use inquiries::Inquiry;
pub(crate) use lanes::Lanes;
pub(crate) use lot::Lot;
pub(crate) use pacer::RetryPacer;
#[cfg(test)]
pub(crate) use room::Room;
pub(crate) use room::{Blocked, Trial, Wait};
pub(crate) use standing::SLOW_AFTER;
pub(crate) use turn::Turn;

use crate::config::Limits;

/// How often trials are offered to those that wait for one, and to how many at a time.
pub(crate) const OFFER_EVERY: Duration = Duration::from_millis(100);
const OFFERED: usize = 8;

#[derive(Debug)]
pub(crate) struct Admission {
    pub lanes: Arc<Lanes>,
    pub in_flight: Arc<InFlight>,
    pub retry_pacer: RetryPacer,
}

impl Admission {
    /// Offers what trials are free to lanes that wait for that, some at a time: a webhook that is
    /// not known to stall gets its turn, whoever has all the room and whatever arrives.
    pub(crate) fn offer_trials(&self) {
        if self.lanes.has_line() {
            let free = self.in_flight.free_trials();
            self.lanes.offer_trials(free.min(OFFERED));
        }
    }

    pub(crate) fn new(limits: &Limits) -> Self {
        let lanes = Lanes::new(limits.rates.resumed_per_second);
        Self {
            in_flight: InFlight::new(limits.clone(), lanes.clone()),
            lanes,
            retry_pacer: RetryPacer::new(limits.rates.retries_per_second),
        }
    }
}
