//! What may be sent when: lanes take turns, requests in flight are limited, retries have a pace.

mod in_flight;
mod lanes;
mod pacer;
mod rates;
mod targets;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub(crate) use in_flight::{InFlight, Permit};
pub(crate) use lanes::Lanes;
pub(crate) use pacer::RetryPacer;
pub(crate) use targets::Feedback;

use crate::config::Limits;

#[derive(Debug)]
pub(crate) struct Admission {
    pub lanes: Lanes,
    pub in_flight: Arc<InFlight>,
    pub retry_pacer: RetryPacer,
}

impl Admission {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            lanes: Lanes::new(),
            in_flight: InFlight::new(limits.clone()),
            retry_pacer: RetryPacer::new(limits.rates.retries_per_second),
        }
    }
}
