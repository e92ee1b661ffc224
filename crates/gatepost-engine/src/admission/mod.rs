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
mod lot;
mod pace;
mod pacer;
mod parked;
mod room;
mod shared_breaker;
mod slots;
mod standing;
#[cfg(test)]
mod tests;
mod turn;
mod turns;

use std::sync::Arc;

pub(crate) use feedback::{Feedback, Lesson};
pub(crate) use in_flight::{InFlight, Permit};
pub(crate) use inquiries::Inquiry;
pub(crate) use lanes::Lanes;
pub(crate) use lot::Lot;
pub(crate) use pacer::RetryPacer;
#[cfg(test)]
pub(crate) use room::Room;
pub(crate) use room::{Blocked, Wait};
pub(crate) use standing::SLOW_AFTER;
pub(crate) use turn::Turn;

use crate::config::Limits;

#[derive(Debug)]
pub(crate) struct Admission {
    pub lanes: Arc<Lanes>,
    pub in_flight: Arc<InFlight>,
    pub retry_pacer: RetryPacer,
}

impl Admission {
    pub(crate) fn new(limits: &Limits) -> Self {
        let lanes = Lanes::new(limits.rates.resumed_per_second);
        Self {
            in_flight: InFlight::new(limits.clone(), lanes.clone()),
            lanes,
            retry_pacer: RetryPacer::new(limits.rates.retries_per_second),
        }
    }
}
