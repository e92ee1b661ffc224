//! One password that is being checked.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use super::book::{Book, Charged};
use super::pair::Pair;

/// When to try again: the time that is really left.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, thiserror::Error)]
#[error("too many failed logins; try again in {} s", self.seconds())]
pub struct RetryAfter(Duration);

impl RetryAfter {
    pub(super) fn new(left: Duration) -> Self {
        Self(left)
    }

    /// The time left.
    #[must_use]
    pub fn duration(self) -> Duration {
        self.0
    }

    /// The value of a `Retry-After` header (RFC 9110 §10.2.3): whole seconds, rounded up.
    #[must_use]
    pub fn seconds(self) -> u64 {
        self.0.as_secs() + u64::from(self.0.subsec_nanos() > 0)
    }
}

/// Leave to check one password. It counts as a failure from the start, so a thousand at once are a
/// thousand; dropped, it stays one.
#[derive(Debug)]
#[must_use = "an attempt that is dropped is a failed one"]
pub struct Attempt {
    book: Arc<Book>,
    pair: Pair,
    charged: Charged,
}

impl Attempt {
    pub(super) fn begin(book: Arc<Book>, account: &str, from: IpAddr) -> Result<Self, RetryAfter> {
        let pair = book.pair(account, from);
        let charged = book.charge(pair).map_err(RetryAfter)?;
        Ok(Self {
            book,
            pair,
            charged,
        })
    }

    /// The password was right: no failure, and the account is known at this address from now on.
    pub fn succeeded(self) {
        self.book.take_back(self.pair, self.charged);
        self.book.know(self.pair);
    }

    /// The password was not checked, because too many wait to be checked. Whoever waits is charged
    /// like a check that failed, or nobody else would ever have a turn: the address, or the known
    /// pair. The account is not: what its owner or a stranger could not try is no guess.
    pub fn kept_waiting(self) {
        self.book.charge_address_alone(self.pair, self.charged);
    }

    /// The password was not checked, because what knows it cannot be asked now: no failure.
    pub fn not_checked(self) {
        self.book.take_back(self.pair, self.charged);
    }
}
