//! The networks from which accounts have logged in. Only a successful login of an account adds to
//! its networks.

use std::time::Duration;

use super::counter::{Charge, Counter};
use super::limits::FailureLimit;
use super::pair::Pair;
use super::table::Table;

/// The maximum number of networks for each account; the least recently used one is evicted.
const NETWORKS: usize = 8;

/// The known pairs of account and network, by account: an account that logs in from many networks
/// does not displace others.
#[derive(Debug)]
pub(super) struct Known(Table<Networks>);

#[derive(Debug, Default)]
struct Networks(Vec<Network>);

#[derive(Debug)]
struct Network {
    hash: u64,
    used: Duration,
    failures: Counter,
}

impl Known {
    pub(super) fn new(accounts: usize) -> Self {
        Self(Table::new(accounts))
    }

    /// Records a successful login.
    pub(super) fn remember(&self, pair: Pair, now: Duration) {
        let latest = |networks: &Networks| networks.0.iter().map(|known| known.used).max();
        let remember = |networks: &mut Networks| networks.remember(pair.network, now);
        self.0.enter(pair.account, latest, remember);
    }

    /// Counts a failure of a known pair. Returns the remaining time if the attempt is not allowed,
    /// and `None` for a pair that is not known.
    pub(super) fn charge(
        &self,
        pair: Pair,
        limit: &FailureLimit,
        now: Duration,
    ) -> Option<Result<Charge, Duration>> {
        self.failures(pair, |failures| failures.charge(limit, now))
    }

    pub(super) fn take_back(
        &self,
        pair: Pair,
        charge: Charge,
        limit: &FailureLimit,
        now: Duration,
    ) {
        self.failures(pair, |failures| failures.take_back(charge, limit, now));
    }

    fn failures<R>(&self, pair: Pair, act: impl FnOnce(&mut Counter) -> R) -> Option<R> {
        let found = self.0.look(pair.account, |networks| {
            let mut all = networks.0.iter_mut();
            let known = all.find(|known| known.hash == pair.network)?;
            Some(act(&mut known.failures))
        });
        found.flatten()
    }
}

impl Networks {
    fn remember(&mut self, network: u64, now: Duration) {
        if let Some(known) = self.0.iter_mut().find(|known| known.hash == network) {
            known.used = now;
            return;
        }
        let new = Network {
            hash: network,
            used: now,
            failures: Counter::default(),
        };
        if self.0.len() < NETWORKS {
            self.0.push(new);
        } else if let Some(oldest) = self.0.iter_mut().min_by_key(|known| known.used) {
            *oldest = new;
        }
    }
}
