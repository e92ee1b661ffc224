//! Occurrences emitted in sequence, compared with the sequence of their arrival.

use std::collections::HashMap;

use chrono::{DateTime, Utc};

use super::accepted::numbers;
use super::order::spans;
use super::{Judge, Promise};
use crate::simulation::ledger::{Happened, Hook};

/// An occurrence, and the first and the last request with it at a webhook.
#[derive(Clone, Copy, Debug)]
struct Came {
    number: u64,
    happened: Happened,
    first: usize,
    last: usize,
}

impl Came {
    /// Returns whether it was answered before the other was emitted, for the same audience.
    fn is_before(&self, other: &Self) -> bool {
        let (one, other) = (&self.happened, &other.happened);
        let answered = one.answered.filter(|_| one.is_emitted_one_way());
        one.user == other.user && answered.is_some_and(|answered| answered < other.began)
    }
}

impl Happened {
    /// Returns whether it was emitted only once while it waited in the outbox: of two ways that it
    /// takes otherwise, the faster one makes its deliveries.
    fn is_emitted_one_way(&self) -> bool {
        !(self.later && self.repeated)
    }
}

impl Judge<'_> {
    /// Checks that the later of two occurrences does not arrive before the earlier one.
    pub(super) fn sequence(&mut self) {
        let happened = self.evidence.ledger.happened.lock().unwrap().clone();
        for (index, hook) in self.hooks.clone().iter().enumerate() {
            for span in spans(hook) {
                let came = self.came(index, hook, span);
                let came = came.into_iter().filter_map(|(number, (first, last))| {
                    let happened = *happened.get(&number)?;
                    (span.0 < happened.began).then_some(Came {
                        number,
                        happened,
                        first,
                        last,
                    })
                });
                let came: Vec<Came> = came.collect();
                for one in &came {
                    let overtook = |other: &&Came| one.is_before(other) && other.first < one.last;
                    if let Some(other) = came.iter().find(overtook) {
                        let what = format!("{} overtook {} at {index}", other.number, one.number);
                        self.breach(Promise::SequenceIsKept, what);
                    }
                }
            }
        }
    }

    /// Returns the first and the last request within that time, by occurrence.
    fn came(
        &self,
        index: usize,
        hook: &Hook,
        (from, until): (DateTime<Utc>, DateTime<Utc>),
    ) -> HashMap<u64, (usize, usize)> {
        let mut came = HashMap::new();
        let seen = self.evidence.seen.iter().enumerate();
        let seen = seen.filter(|(_, request)| !hook.replayed && Some(request.host) == hook.host);
        for (at, request) in seen.filter(|(_, one)| from < one.at && one.at < until) {
            if let Some((number, _)) = numbers(&request.body).filter(|(_, hook)| *hook == index) {
                came.entry(number).or_insert((at, at)).1 = at;
            }
        }
        came
    }
}
