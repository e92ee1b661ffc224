//! The counters of the limiter, by hashes of addresses, accounts and secrets.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use gatepost_ids::trim_pasted;
use gatepost_storage::Clock;
use tokio::time::Instant;

use super::counter::{Charge, Counter};
use super::known_networks::Known;
use super::limits::{FailureLimit, GuessLimits};
use super::pair::Pair;
use super::table::Table;

/// The maximum length of an account name; longer names with the same beginning count as one.
const LONGEST_NAME: usize = 256;

/// The counters of a limiter. Names, addresses and secrets are stored as hashes of 64 bits under a
/// random key for each process, so that nobody can target an entry of another.
pub(super) struct Book {
    limits: GuessLimits,
    clock: Arc<dyn Clock>,
    began: Instant,
    hasher: RandomState,
    addresses: Table<Counter>,
    accounts: Table<Counter>,
    known: Known,
    /// Wrong secrets, with the time at which each was last presented.
    wrong: Table<Duration>,
}

/// The counters that an attempt was charged to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Charged {
    Known(Charge),
    Stranger { address: Charge, account: Charge },
}

impl Book {
    pub(super) fn new(limits: GuessLimits, clock: Arc<dyn Clock>) -> Self {
        let each = limits.remembered.get();
        Self {
            limits,
            clock,
            began: Instant::now(),
            hasher: RandomState::new(),
            addresses: Table::new(each),
            accounts: Table::new(each),
            known: Known::new(each),
            wrong: Table::new(each),
        }
    }

    pub(super) fn pair(&self, account: &str, from: IpAddr) -> Pair {
        let name = trim_pasted(account).chars().take(LONGEST_NAME);
        Pair {
            account: self
                .hasher
                .hash_one(name.flat_map(char::to_lowercase).collect::<String>()),
            network: self.network(from),
        }
    }

    /// Counts a failure of a known pair or of a stranger. Returns the remaining time if the attempt
    /// is not allowed.
    pub(super) fn charge(&self, pair: Pair) -> Result<Charged, Duration> {
        let now = self.now();
        match self.known.charge(pair, &self.limits.known, now) {
            Some(charged) => charged.map(Charged::Known),
            None => self.charge_stranger(pair, now),
        }
    }

    fn charge_stranger(&self, pair: Pair, now: Duration) -> Result<Charged, Duration> {
        let limits = &self.limits;
        // The address comes first: an address over its limit must not fill the table of accounts.
        let address = charge(&self.addresses, pair.network, &limits.address, now)?;
        let account = charge(&self.accounts, pair.account, &limits.account, now);
        if account.is_err() {
            take_back(&self.addresses, pair.network, address, &limits.address, now);
        }
        Ok(Charged::Stranger {
            address,
            account: account?,
        })
    }

    /// Takes back a charge that was not a failure.
    pub(super) fn take_back(&self, pair: Pair, charged: Charged) {
        let (limits, now) = (&self.limits, self.now());
        match charged {
            Charged::Known(charge) => self.known.take_back(pair, charge, &limits.known, now),
            Charged::Stranger { address, account } => {
                take_back(&self.addresses, pair.network, address, &limits.address, now);
                take_back(&self.accounts, pair.account, account, &limits.account, now);
            }
        }
    }

    /// Charges the address only, not the account.
    pub(super) fn charge_address_alone(&self, pair: Pair, charged: Charged) {
        if let Charged::Stranger { account, .. } = charged {
            let (limit, now) = (&self.limits.account, self.now());
            take_back(&self.accounts, pair.account, account, limit, now);
        }
    }

    pub(super) fn know(&self, pair: Pair) {
        self.known.remember(pair, self.now());
    }

    /// Counts a wrong secret, unless it was counted before. Returns the remaining time if the
    /// address is over its limit.
    pub(super) fn wrong_secret(&self, secret: &[u8], from: IpAddr) -> Result<(), Duration> {
        let (network, now) = (self.network(from), self.now());
        let shut = self.addresses.look(network, |counter| counter.wait(now));
        if let Some(wait) = shut.flatten() {
            return Err(wait);
        }
        let hash = self.hasher.hash_one((network, secret));
        if self.wrong.look(hash, |last| *last = now).is_some() {
            return Ok(());
        }
        self.wrong.enter(hash, |last| *last, |last| *last = now);
        charge(&self.addresses, network, &self.limits.address, now).map(drop)
    }

    /// Returns the time since the creation of these counters, unaffected by setting the clock.
    fn now(&self) -> Duration {
        let passed = self.clock.passed();
        passed.unwrap_or_else(|| self.began.elapsed())
    }

    /// Returns the hash of a client's network: one IPv4 address, or a /64 of IPv6.
    fn network(&self, addr: IpAddr) -> u64 {
        self.hasher.hash_one(match addr.to_canonical() {
            IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 64))),
            v4 => v4,
        })
    }
}

impl fmt::Debug for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Book")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Counts a failure unless attempts are blocked. Returns the remaining time if they are.
fn charge(
    table: &Table<Counter>,
    hash: u64,
    limit: &FailureLimit,
    now: Duration,
) -> Result<Charge, Duration> {
    let worth = |counter: &Counter| counter.worth(limit, now);
    table.enter(hash, worth, |counter| counter.charge(limit, now))
}

fn take_back(
    table: &Table<Counter>,
    hash: u64,
    charge: Charge,
    limit: &FailureLimit,
    now: Duration,
) {
    table.look(hash, |counter| counter.take_back(charge, limit, now));
}
