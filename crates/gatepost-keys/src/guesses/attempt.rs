//! A password check in progress.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use super::counters::{Book, Charged};
use super::pair::Pair;

/// The remaining time until a retry is allowed.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, thiserror::Error)]
#[error("too many failed logins; try again in {} s", self.seconds())]
pub struct RetryAfter(Duration);

impl RetryAfter {
    pub(super) fn new(left: Duration) -> Self {
        Self(left)
    }

    /// Returns the remaining time.
    #[must_use]
    pub fn duration(self) -> Duration {
        self.0
    }

    /// Returns the value of a `Retry-After` header (RFC 9110 §10.2.3): whole seconds, rounded up.
    #[must_use]
    pub fn seconds(self) -> u64 {
        self.0.as_secs() + u64::from(self.0.subsec_nanos() > 0)
    }
}

/// The permission to check one password. It counts as a failure from the start, so that a thousand
/// concurrent attempts count as a thousand; if it is dropped, it stays a failure.
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

    /// Records that the password was right: the attempt is not a failure, and the account is known
    /// at this address from now on.
    pub fn succeeded(self) {
        self.book.take_back(self.pair, self.charged);
        self.book.know(self.pair);
    }

    /// Records that the password was not checked, because too many checks are waiting. The address,
    /// or the known pair, is charged as for a failed check; otherwise waiting clients could starve
    /// all others. The account is not charged, because an unchecked password is not a guess.
    pub fn kept_waiting(self) {
        self.book.charge_address_alone(self.pair, self.charged);
    }

    /// Records that the password was not checked, because the system that checks it is unavailable:
    /// not a failure.
    pub fn not_checked(self) {
        self.book.take_back(self.pair, self.charged);
    }
}
